import type { Max } from "../core/limits/boundary.ts";
import { KINDS } from "../core/limits/kinds.ts";
import { amountsIn, PER, saidAmount } from "../core/text/amount-per-period.ts";
import { amountOf } from "../core/text/amounts.ts";
import type { Period } from "../pools/ledger/period.ts";
import { POOLED, type Pooled } from "../pools/pool-options.ts";
import { wrongInput } from "./command-error.ts";
import { inOrder } from "./measures.ts";

/** What a run behind the gateway can be held to: whatever stands before a request. Tool calls do not pass through it. */
export type RunMeasure = {
  [Name in Pooled]: (typeof KINDS)[Name]["before"] extends "turn" ? Name : never;
}[Pooled];

export const RUN_MEASURES = inOrder(
  POOLED.filter((name): name is RunMeasure => KINDS[name].before === "turn"),
);

const PERIODS: readonly Period[] = ["day", "week", "month"];

/** A limit as it was typed: for this run, or for everything in a period. */
export interface WantedLimit {
  readonly measure: RunMeasure;
  readonly max: Max;
  readonly per?: Period;
}

/** Do prices have to be known for it? */
export function needsPrices(measure: RunMeasure): boolean {
  return KINDS[measure].measure === "cost";
}

/** The option for a limit: `max-cost`. */
export function optionFor<Measure extends RunMeasure>(measure: Measure): `max-${Measure}` {
  return `max-${measure}`;
}

/** The options for limits: each may be given several times. */
export function limitOptions<Measure extends RunMeasure>(measures: readonly Measure[]) {
  const options = measures.map((measure) => [optionFor(measure), "values"]);
  return Object.fromEntries(options) as Record<`max-${Measure}`, "values">;
}

/** Where the text of an option begins in a help. */
const TEXT_COLUMN = 23;

/** The options for limits in a help. `about`: a value and what is said of it; of the others, that they limit it. */
export function limitsHelp(
  measures: readonly RunMeasure[],
  about: Readonly<Partial<Record<RunMeasure, readonly [value: string, ...lines: string[]]>>>,
): string {
  const others = measures.filter((measure) => !Object.hasOwn(about, measure));
  return [...(Object.keys(about) as RunMeasure[]), ...others]
    .map((measure) => {
      const { noun } = KINDS[measure];
      const [value, ...lines] = about[measure] ?? [amountOf({ kind: measure }).example, `${noun} limit`];
      const option = `  --${optionFor(measure)} ${value}`.padEnd(TEXT_COLUMN);
      return option + lines.join(`\n${" ".repeat(TEXT_COLUMN)}`);
    })
    .join("\n");
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
  const { parse, allowed } = amountOf({ kind: measure });
  const max = amount === "unlimited" ? amount : parse(amount);
  const per = PERIODS.find((period) => period === word);
  if (max !== undefined && following.length === 0 && (word === undefined || per !== undefined))
    return { measure, max, ...(per && { per }) };
  throw wrongInput(
    `${JSON.stringify(text)} from --${optionFor(measure)} is not a limit. Use ${allowed}, or unlimited; ` +
      `${PER} day, ${PER} week or ${PER} month may follow.`,
  );
}
