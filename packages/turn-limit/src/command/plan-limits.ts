import { amountsIn } from "../core/text/amount-per-period.ts";
import { PERCENT } from "../core/text/amounts.ts";
import { quoted } from "../core/text/refused-amounts.ts";
import { invalid } from "../core/words.ts";
import { wrongInput } from "./command-error.ts";

/** How much of a window of a subscription may be used, as it was typed. */
export interface WantedWindow {
  readonly window: string;
  /** In per cent. */
  readonly max: number;
  /** Is it waited for until it starts over, instead of what is done at the other limits? */
  readonly waits: boolean;
}

export const MAX_PLAN = "max-plan";

const FORM = "a window and per cent, such as 5h 80% or 7d 50% wait";

/** Reads `5h 80%, 7d 50% wait`. */
export function wantedWindows(texts: readonly string[] = []): WantedWindow[] {
  const windows = texts
    .flatMap(amountsIn)
    .map((text) => windowIn(text) ?? refused(`Use ${FORM}, not ${quoted(text)}.`));
  const twice = windows.find(
    ({ window }, index) => windows.findIndex((other) => other.window === window) !== index,
  );
  return twice ? refused(`It has two limits of ${twice.window}. Use one.`) : windows;
}

function windowIn(text: string): WantedWindow | undefined {
  const [window = "", percent = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  const max = PERCENT.parse(percent);
  const waits = rest.length === 1 && rest[0] === "wait";
  const isRead =
    /^[1-9][0-9]*[mhd]$/.test(window) && max !== undefined && max > 0 && (waits || rest.length === 0);
  return isRead ? { window, max, waits } : undefined;
}

function refused(why: string): never {
  throw wrongInput(invalid("plan limit", why, `--${MAX_PLAN}`));
}
