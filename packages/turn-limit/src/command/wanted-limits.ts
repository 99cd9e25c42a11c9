import type { Max } from "../core/limits/boundary.ts";
import { amountsIn, PER, saidAmount } from "../core/text/amount-per-period.ts";
import { type Amount, counted, DOLLARS, DURATION, TOKENS } from "../core/text/amounts.ts";
import type { Period } from "../pools/ledger/period.ts";
import { wrongInput } from "./command-error.ts";

/** What a run can be held to, and how that is written. */
const AMOUNTS = {
  turns: counted(0),
  requests: counted(0),
  tokens: TOKENS,
  cost: DOLLARS,
  time: DURATION,
} satisfies Record<string, Amount>;

export type RunMeasure = keyof typeof AMOUNTS;

export const RUN_MEASURES = Object.keys(AMOUNTS) as RunMeasure[];

const PERIODS: readonly Period[] = ["day", "week", "month"];

/** A limit as it was typed: for this run, or for everything in a period. */
export interface WantedLimit {
  readonly measure: RunMeasure;
  readonly max: Max;
  readonly per?: Period;
}

/** The option for a limit: `max-cost`. */
export function optionFor<Measure extends RunMeasure>(measure: Measure): `max-${Measure}` {
  return `max-${measure}`;
}

/** Reads the limits off the options: `$5`, `$20 per day`, both as `$5, $20 per day`. */
export function wantedLimits(
  options: Readonly<Partial<Record<`max-${RunMeasure}`, readonly string[]>>>,
): WantedLimit[] {
  return RUN_MEASURES.flatMap((measure) => {
    const texts = options[optionFor(measure)] ?? [];
    const limits = texts.flatMap(amountsIn).map((text) => wantedLimit(measure, text));
    const twice = limits.find(({ per }, index) => limits.findIndex((other) => other.per === per) !== index);
    if (twice) {
      const whose = twice.per === undefined ? "for the run" : `${PER} ${twice.per}`;
      throw wrongInput(
        `${JSON.stringify(texts.join(", "))} from --${optionFor(measure)} has two limits ${whose}. Use one.`,
      );
    }
    return limits;
  });
}

function wantedLimit(measure: RunMeasure, text: string): WantedLimit {
  const { amount, per: word, following } = saidAmount(text);
  const { parse, allowed } = AMOUNTS[measure];
  const max = amount === "unlimited" ? amount : parse(amount);
  const per = PERIODS.find((period) => period === word);
  if (max !== undefined && following.length === 0 && (word === undefined || per !== undefined))
    return { measure, max, ...(per && { per }) };
  throw wrongInput(
    `${JSON.stringify(text)} from --${optionFor(measure)} is not a limit. Use ${allowed}, or unlimited; ` +
      `${PER} day, ${PER} week or ${PER} month may follow.`,
  );
}
