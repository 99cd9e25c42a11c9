import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Outcome } from "turn-limit";
import { countOf, DOLLARS, DURATION, extensionText, TOKENS, wrap } from "../core.ts";
import { limitOf } from "../limits/limit-of.ts";
import { titleOf } from "../limits/pi-limit.ts";

/** The session entry of a run in which a limit intervened. */
export const OUTCOME = "turn-limit:outcome";

/** A run ended. Sent to other extensions, and kept in the session if a limit intervened. */
export interface OutcomeRecord extends Omit<Outcome, "kind" | "intervened"> {
  outcome: Outcome["kind"];
  /** The same in a line for a person. */
  summary: string;
}

/** Shows what a limit did to a run as one line of the transcript, which the model does not see. */
export function registerSummaryLine(pi: ExtensionAPI): void {
  pi.registerEntryRenderer<OutcomeRecord>(OUTCOME, ({ data }, _options, theme) => {
    // A session file can be edited by anyone.
    if (typeof data?.summary !== "string") return undefined;
    return {
      render: (width) => ["", ...wrap(data.summary, width - 1).map((line) => theme.fg("dim", ` ${line}`))],
      invalidate() {},
    };
  });
}

/** `Stopped by the turn limit · 25 turns · 41 steps · 182.3k tokens · $0.93 · 6m 12s` */
export function summary(record: Omit<OutcomeRecord, "summary">): string {
  const { turns, steps, usage, time, unpriced } = record;
  const tokens = usage && usage.input + usage.output;
  const parts = [
    headline(record),
    ...(record.extensions ?? []).map((one) => `${limitOf(one).label.toLowerCase()} ${extensionText(one)}`),
    countOf(turns, "turn"),
    countOf(steps, "step"),
    tokens ? `${TOKENS.show(tokens)} tokens` : "",
    usage?.cost ? `${unpriced ? "≥" : ""}${DOLLARS.show(usage.cost)}` : "",
    time === undefined ? "" : DURATION.show(time),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function headline({ outcome, limit, identity }: Omit<OutcomeRecord, "summary">): string {
  const by = limit === undefined ? undefined : limitOf({ limit, identity });
  const ended = (how: string) => (by?.because ? `: ${by.because}` : by ? ` ${how} the ${titleOf(by)}` : "");
  const headlines: Record<OutcomeRecord["outcome"], string> = {
    completed: "Completed",
    "wrapped-up": "Wrapped up",
    salvaged: `Answered without tools${ended("at")}`,
    declined: `Stopped by you${ended("at")}`,
    stopped: `Stopped${ended("by")}`,
    aborted: "Aborted",
    failed: "Failed",
    "limit-overrun": "Stopped: more was done than admitted",
  };
  return headlines[outcome];
}
