import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { limits, matches, plain } from "../../../test/helpers/limits-panel.ts";
import type { LimitsPanel } from "./limits-panel.ts";
import { limitsTable } from "./limits-table.ts";
import { showLimitsPanel } from "./show-limits-panel.ts";

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

test("on a terminal it is over when the panel is closed", async () => {
  const { ctx, shown } = terminal();
  const over = showLimitsPanel(ctx, () => limits, idle);
  expect(shown.panel?.render(80)[1]).toBe("Limits");
  shown.panel?.handleInput("q");
  await expect(over).resolves.toBeUndefined();
});

test("it is over when a question takes the place of the panel", async () => {
  const { ctx, shown } = terminal();
  const over = showLimitsPanel(ctx, () => limits, idle);
  if (shown.panel) shown.panel.focused = false;
  await expect(over).resolves.toBeUndefined();
});

test("an RPC client is told the table", async () => {
  const told: string[] = [];
  const ui = { notify: (text: string) => told.push(text) };
  await showLimitsPanel({ mode: "rpc", hasUI: true, ui } as unknown as ExtensionContext, () => limits, idle);
  expect(told).toEqual([limitsTable(limits, false)]);
});
