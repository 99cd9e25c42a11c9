import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { agentFolder } from "../config/pi-folders.ts";
import { say } from "../ui/say.ts";
import { type ReadOptions, readHistory } from "./history.ts";
import { report } from "./report.ts";
import { ReportView } from "./report-view.ts";
import { sessionsFolder } from "./session-files.ts";
import { summarize } from "./summary.ts";

/** Shows the report where the person is: on a screen of its own, as a notification, or on stderr. */
export async function showStats(ctx: ExtensionCommandContext): Promise<void> {
  if (ctx.mode === "tui") await showScreen(ctx);
  else say(ctx, await readReport());
}

async function showScreen(ctx: ExtensionCommandContext): Promise<void> {
  const closed = new AbortController();
  await ctx.ui.custom<void>((tui, theme, keys, done) => {
    const view = new ReportView({
      rows: () => tui.terminal.rows,
      dim: (text) => theme.fg("dim", text),
      matches: (data, key) => keys.matches(data, key),
      changed: () => tui.requestRender(),
      close: () => {
        closed.abort();
        done();
      },
    });
    const progress = (read: number, all: number) => view.progress(read / all);
    readReport({ signal: closed.signal, progress }).then(
      (text) => view.show(text),
      (error) =>
        view.show(`The sessions could not be read: ${error instanceof Error ? error.message : error}`),
    );
    return view;
  });
}

async function readReport(options?: ReadOptions): Promise<string> {
  return report(summarize(await readHistory(sessionsFolder(agentFolder()), options)));
}
