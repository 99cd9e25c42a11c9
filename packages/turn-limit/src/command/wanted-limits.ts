import type { Max } from "../core/limits/boundary.ts";
import { KINDS } from "../core/limits/kinds.ts";
import { amountsIn, PER, saidAmount } from "../core/text/amount-per-period.ts";
import { amountOf } from "../core/text/amounts.ts";
import { quoted, whyNoAmount, whyNoPeriod, writeInstead } from "../core/text/refused-amounts.ts";
import { invalid } from "../core/words.ts";
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
  const limit = readLimit(measure, text);
  if (limit) return limit;
  throw wrongInput(
    invalid(`${KINDS[measure].noun} limit`, whyNoLimit(measure, text), `--${optionFor(measure)}`),
  );
}

function readLimit(measure: RunMeasure, text: string): WantedLimit | undefined {
  const { amount, per: word, following } = saidAmount(text);
  const max = amount === UNLIMITED ? amount : amountOf({ kind: measure }).parse(amount);
  const per = PERIODS.find((period) => period === word);
  const isRead = max !== undefined && following.length === 0 && (word === undefined || per !== undefined);
  return isRead ? { measure, max, ...(per && { per }) } : undefined;
}

function whyNoLimit(measure: RunMeasure, text: string): string {
  const instead = writeInstead(text, (meant) => readLimit(measure, meant) !== undefined);
  if (instead !== undefined) return instead;
  const { amount, per, following } = saidAmount(text);
  const of = amountOf({ kind: measure });
  if (amount !== UNLIMITED && of.parse(amount) === undefined) return whyNoAmount(amount, of, [UNLIMITED]);
  if (per !== undefined && !PERIODS.some((period) => period === per)) return whyNoPeriod(per, PERIODS);
  const [next = ""] = following;
  return per === undefined
    ? `After ${amount}, use ${PER} and a period, not ${quoted(next)}.`
    : `After ${amount} ${PER} ${per} nothing can follow: leave out ${quoted(next)}.`;
}

const UNLIMITED = "unlimited";
