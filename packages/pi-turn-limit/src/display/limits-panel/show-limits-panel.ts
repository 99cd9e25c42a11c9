import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../say.ts";
import { openScreen } from "../screen.ts";
import type { LimitRow } from "./limit-row.ts";
import { LimitsPanel } from "./limits-panel.ts";
import { limitsTable } from "./limits-table.ts";

/**
 * Shows the limits where the person is: on a screen of their own, as a notification, or on stderr. `isLastRun` says
 * whether the usage is that of a run that is over.
 */
export async function showLimitsPanel(
  ctx: ExtensionContext,
  rows: () => readonly LimitRow[],
  isLastRun: () => boolean,
): Promise<void> {
  if (ctx.mode === "tui") await openScreen(ctx, (host) => new LimitsPanel(host, rows, isLastRun));
  else say(ctx, limitsTable(rows(), isLastRun()));
}
