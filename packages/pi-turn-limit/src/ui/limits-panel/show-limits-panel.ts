import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../say.ts";
import type { LimitRow } from "./limit-row.ts";
import { LimitsPanel } from "./limits-panel.ts";
import { limitsTable } from "./limits-table.ts";

/** How the panel is opened. */
export interface LimitsPanelOptions {
  /** The title above the limits. */
  readonly title?: string;
}

/** Shows the limits where the person is: on a screen of their own, as a notification, or on stderr. */
export async function showLimitsPanel(
  ctx: ExtensionContext,
  rows: () => readonly LimitRow[],
  { title = "Limits" }: LimitsPanelOptions = {},
): Promise<void> {
  if (ctx.mode === "tui") await openPanel(ctx, rows, title);
  else say(ctx, limitsTable(rows()));
}

// Pi 0.87.1 drops the panel without an event when a question takes its place, and accepts no prompt until a command is
// over. So the command ends when the panel loses the keys.
function openPanel(ctx: ExtensionContext, rows: () => readonly LimitRow[], title: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = ctx.ui.custom<void>(
      (tui, theme, keys, done) =>
        new LimitsPanel(
          {
            theme,
            height: () => tui.terminal.rows,
            matches: (data, binding) => keys.matches(data, binding),
            changed: () => tui.requestRender(),
            close: done,
            lost: resolve,
          },
          rows,
          title,
        ),
    );
    closed.then(resolve, reject);
  });
}
