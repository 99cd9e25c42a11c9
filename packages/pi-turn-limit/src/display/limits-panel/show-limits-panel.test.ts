import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limit, limits, matches, plain } from "../../../test/helpers/limits-panel.ts";
import { limitsTable } from "./limits-table.ts";
import { LimitsPanel, showLimitsPanel } from "./show-limits-panel.ts";

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
    () => [limit({ used: `${seen.used}`, set: () => ({ rows: [] }) })],
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

type Factory = (tui: object, theme: object, keys: object, done: () => void) => LimitsPanel;

const idle = () => false;

/** A Pi with a terminal, and the panel that it was given. */
function terminal() {
  const shown: { panel?: LimitsPanel } = {};
  const custom = (factory: Factory) =>
    new Promise<void>((done) => {
      const tui = { terminal: { rows: 24 }, requestRender: () => {} };
      shown.panel = factory(tui, plain, { matches }, done);
      shown.panel.focused = true;
    });
  return { shown, ctx: { mode: "tui", hasUI: true, ui: { custom } } as unknown as ExtensionContext };
}

const none = () => [];

test("on a terminal it is over when the panel is closed", async () => {
  const { ctx, shown } = terminal();
  const over = showLimitsPanel(ctx, () => limits, none, idle);
  expect(shown.panel?.render(80)[1]).toBe("Limits");
  shown.panel?.handleInput("q");
  await expect(over).resolves.toBeUndefined();
});

test("it is over when a question takes the place of the panel", async () => {
  const { ctx, shown } = terminal();
  const over = showLimitsPanel(ctx, () => limits, none, idle);
  if (shown.panel) shown.panel.focused = false;
  await expect(over).resolves.toBeUndefined();
});

test("an RPC client is told the table", async () => {
  const told: string[] = [];
  const ui = { notify: (text: string) => told.push(text) };
  await showLimitsPanel(
    { mode: "rpc", hasUI: true, ui } as unknown as ExtensionContext,
    () => limits,
    none,
    idle,
  );
  expect(told).toEqual([limitsTable(limits, false)]);
});
