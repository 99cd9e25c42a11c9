import { expect, test } from "vitest";
import { plain } from "../../test/helpers/limits-panel.ts";
import { ReportView } from "./report-view.ts";

/** A view on a terminal of this height; keys are named as Pi names them. */
function viewOn(rows: number) {
  const seen = { closed: false, redrawn: 0 };
  const view = new ReportView({
    theme: plain,
    height: () => rows,
    matches: (data, key) => key.endsWith(`.${data}`),
    changed: () => {
      seen.redrawn += 1;
    },
    close: () => {
      seen.closed = true;
    },
    lost: () => {},
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

test("Home and End go to the ends", () => {
  const { view, body } = viewOn(13);
  view.show(tenLines);
  expect(body()[0]).toBe("line 1");
  view.handleInput("cursorLineEnd");
  expect(body().at(-1)).toBe("line 10");
  view.handleInput("cursorLineStart");
  expect(body()[0]).toBe("line 1");
});

test("a text that depends on the width is made for the width it is shown in", () => {
  const { view, body } = viewOn(24);
  view.show((width) => `${width} columns`);
  expect(body(60)).toEqual(["60 columns"]);
  expect(body(100)).toEqual(["100 columns"]);
});

test("no line is wider than the terminal", () => {
  const { view } = viewOn(24);
  view.show("x".repeat(80));
  for (const line of view.render(20)) expect(line.length).toBeLessThanOrEqual(20);
});

test.for(["cancel", "confirm", "q"])("%s closes it", (key) => {
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
