import { expect, test } from "vitest";
import { ReportView } from "./report-view.ts";

/** A view on a terminal of this height; keys are named as Pi names them. */
function viewOn(rows: number) {
  const seen = { closed: false, redrawn: 0 };
  const view = new ReportView({
    rows: () => rows,
    dim: (text) => text,
    matches: (data, key) => key === `tui.select.${data}`,
    changed: () => {
      seen.redrawn += 1;
    },
    close: () => {
      seen.closed = true;
    },
  });
  return { view, seen, body: (width = 80) => view.render(width).slice(1, -2) };
}

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n");

test("a text that fits is shown whole", () => {
  const { view, body } = viewOn(24);
  view.show(tenLines);
  expect(body()).toEqual(tenLines.split("\n"));
  expect(view.render(80).at(-2)).toBe("Escape closes");
});

test("a text that is too high scrolls, and not beyond its ends", () => {
  const { view, body } = viewOn(13);
  view.show(tenLines);
  expect(body()[0]).toBe("line 1");
  expect(view.render(80).at(-2)).toBe("↑↓ scroll · Escape closes");
  view.handleInput("down");
  expect(body()[0]).toBe("line 2");
  view.handleInput("pageDown");
  view.handleInput("down");
  expect(body()).toEqual(["line 6", "line 7", "line 8", "line 9", "line 10"]);
  view.handleInput("pageUp");
  view.handleInput("pageUp");
  view.handleInput("up");
  expect(body()[0]).toBe("line 1");
});

test("no line is wider than the terminal", () => {
  const { view } = viewOn(24);
  view.show("x".repeat(80));
  for (const line of view.render(20)) expect(line.length).toBeLessThanOrEqual(20);
});

test.for(["cancel", "confirm"])("%s closes it", (key) => {
  const { view, seen } = viewOn(24);
  view.handleInput("x");
  expect(seen.closed).toBe(false);
  view.handleInput(key);
  expect(seen.closed).toBe(true);
});

test("while the sessions are read it says how far that is, and draws only what changes", () => {
  const { view, seen, body } = viewOn(24);
  expect(body()).toEqual(["Reading your sessions…"]);
  view.progress(0.421);
  view.progress(0.429);
  expect(body()).toEqual(["Reading your sessions… 42 %"]);
  expect(seen.redrawn).toBe(1);
});
