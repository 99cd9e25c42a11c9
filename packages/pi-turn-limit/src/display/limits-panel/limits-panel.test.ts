import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limit, matches, plain } from "../../../test/helpers/limits-panel.ts";
import { LimitsPanel } from "./limits-panel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A panel on a terminal that draws it whenever it asks, unless something else is shown. */
function opened() {
  const seen = { used: 1, screen: "", drawn: 0, closed: 0, lost: 0, hidden: false, lastRun: false };
  const draw = () => {
    if (seen.hidden) return;
    seen.drawn += 1;
    seen.screen = panel.render(80).join("\n");
  };
  const host = {
    theme: plain,
    height: () => 24,
    matches,
    changed: draw,
    close: () => {
      seen.closed += 1;
    },
    lost: () => {
      seen.lost += 1;
    },
  };
  const panel = new LimitsPanel(
    host,
    () => [limit({ used: `${seen.used}`, set: () => undefined })],
    () => seen.lastRun,
  );
  panel.focused = true;
  draw();
  return { panel, seen, draw };
}

test("it stays current while it is open", () => {
  const { seen } = opened();
  expect(seen.screen).toContain(" 1/25");
  seen.used = 7;
  vi.advanceTimersByTime(250);
  expect(seen.screen).toContain(" 7/25");
  vi.advanceTimersByTime(1_000);
  expect(seen.drawn).toBe(6);
});

test("a key is seen at once, and does not make it draw more often afterwards", () => {
  const { panel, seen } = opened();
  panel.handleInput("\r");
  expect(seen.screen).toContain("Enter sets");
  vi.advanceTimersByTime(1_000);
  expect(seen.drawn).toBe(6);
});

test.for(["\x1b", "q"])("%j closes it, and nothing is left running", (key) => {
  const { panel, seen } = opened();
  panel.handleInput(key);
  expect(seen.closed).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
  panel.render(80);
  panel.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("it rests while something else is shown in its place, and goes on when it is shown again", () => {
  const { panel, seen, draw } = opened();
  seen.hidden = true;
  panel.focused = false;
  expect(seen.lost).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
  seen.hidden = false;
  panel.focused = true;
  draw();
  vi.advanceTimersByTime(250);
  expect(seen.drawn).toBe(3);
});

test("the title says whether it shows what the last run took", () => {
  const { seen, draw } = opened();
  expect(seen.screen).toMatch(/^Limits *$/m);
  seen.lastRun = true;
  draw();
  expect(seen.screen).toContain("Limits, and what the last run took");
});
