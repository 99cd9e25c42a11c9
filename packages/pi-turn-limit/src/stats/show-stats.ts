import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { messageOf } from "../core.ts";
import { say } from "../display/say.ts";
import { openScreen } from "../display/screen.ts";
import { sessionsFolder } from "../settings/pi-folders.ts";
import { type ReadOptions, readHistory } from "./history.ts";
import { report } from "./report.ts";
import { ReportView } from "./report-view.ts";
import { type Summary, summarize } from "./summary.ts";

/** Shows the report where the person is: on a screen of its own, as a notification, or on stderr. */
export async function showStats(ctx: ExtensionCommandContext): Promise<void> {
  if (ctx.mode === "tui") await showScreen(ctx);
  else say(ctx, report(await readSummary()));
}

async function showScreen(ctx: ExtensionCommandContext): Promise<void> {
  const closed = new AbortController();
  await openScreen(ctx, (host) => {
    const close = () => {
      closed.abort();
      host.close();
    };
    const view = new ReportView({ ...host, close });
    const progress = (read: number, all: number) => view.progress(read / all);
    readSummary({ signal: closed.signal, progress }).then(
      (summary) => view.show((width) => report(summary, width)),
      (error) => view.show(`The sessions could not be read: ${messageOf(error)}`),
    );
    return view;
  });
}

async function readSummary(options?: ReadOptions): Promise<Summary> {
  return summarize(await readHistory(sessionsFolder(), options));
}
