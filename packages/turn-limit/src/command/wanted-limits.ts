import { maximumWithoutRuns } from "../core/history/chosen-maximum.ts";
import type { Max } from "../core/limits/boundary.ts";
import { KINDS } from "../core/limits/kinds.ts";
import { amountsIn, PER, saidAmount } from "../core/text/amount-per-period.ts";
import { amountOf } from "../core/text/amounts.ts";
import {
  NOT_OF_RUNS,
  type Percentile,
  parsePercentile,
  UP_TO,
  whyNoPercentile,
} from "../core/text/percentile.ts";
import { quoted, whyNoAmount, whyNoPeriod, writeInstead } from "../core/text/refused-amounts.ts";
import { BY, EXTEND, saidExtension, whyNoBy, whyNoExtension } from "../core/text/said-extension.ts";
import { invalid } from "../core/words.ts";
import type { Period } from "../pools/ledger/period.ts";
import { POOLED, type Pooled } from "../pools/pool-options.ts";
import { wrongInput } from "./command-error.ts";
import { inOrder } from "./pool-measures.ts";

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
  /** What it is to be chosen by from what one's own runs took. Until it is, `max` is what holds where that says nothing. */
  readonly percentile?: Percentile;
  /** How often it is extended while the run gets somewhere, and by how much. */
  readonly extend?: number;
  readonly extendBy?: number;
  /** Is it waited for until it starts over, instead of what is done at the other limits? */
  readonly waits?: true;
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

/**
 * Reads the limits off the options: `$5`, `$20 per day`, both as `$5, $20 per day`. `ofRuns`: they are limits of single
 * runs, and can be chosen from what such runs took: `p90 up to $5`.
 */
export function wantedLimits(
  options: Readonly<Partial<Record<`max-${RunMeasure}`, readonly string[]>>>,
  { ofRuns = false }: { ofRuns?: boolean } = {},
): WantedLimit[] {
  return RUN_MEASURES.flatMap((measure) => {
    const texts = options[optionFor(measure)] ?? [];
    const limits = texts.flatMap(amountsIn).map((text) => wantedLimit(measure, text, ofRuns));
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

function wantedLimit(measure: RunMeasure, text: string, ofRuns: boolean): WantedLimit {
  const limit = readLimit(measure, text, ofRuns);
  if (limit) return limit;
  throw wrongInput(
    invalid(`${KINDS[measure].noun} limit`, whyNoLimit(measure, text, ofRuns), `--${optionFor(measure)}`),
  );
}

function readLimit(measure: RunMeasure, text: string, ofRuns: boolean): WantedLimit | undefined {
  const { amount, per: word, following } = saidAmount(text);
  const of = amountOf({ kind: measure });
  const percentile = ofRuns && word === undefined ? parsePercentile(amount, of) : undefined;
  const max = percentile
    ? maximumWithoutRuns(KINDS[measure].initial ?? UNLIMITED, percentile)
    : amount === UNLIMITED
      ? amount
      : of.parse(amount);
  const per = PERIODS.find((period) => period === word);
  const mayExtend = ofRuns && word === undefined && max !== UNLIMITED;
  const { rest = following, ...extension } = (mayExtend && saidExtension(following, of)) || {};
  const waits = per !== undefined && rest.length === 1 && rest[0] === WAIT;
  const isEnd = waits || rest.length === 0;
  const isRead = max !== undefined && isEnd && (word === undefined || per !== undefined);
  if (!isRead) return undefined;
  const more = { ...(per && { per }), ...(waits && { waits }), ...(percentile && { percentile }) };
  return { measure, max, ...more, ...extension };
}

/** The limit as it can be typed: `34`, `$20 per day`. */
export function typedLimit({ measure, max, per, waits, extend, extendBy }: WantedLimit): string {
  const of = amountOf({ kind: measure });
  const amount = max === UNLIMITED ? max : of.format(max);
  return [
    amount,
    ...(per === undefined ? [] : [PER, per]),
    ...(waits ? [WAIT] : []),
    ...(extend === undefined ? [] : [EXTEND, String(extend)]),
    ...(extendBy === undefined ? [] : [BY, of.format(extendBy)]),
  ].join(" ");
}

function whyNoLimit(measure: RunMeasure, text: string, ofRuns: boolean): string {
  const instead = writeInstead(text, (meant) => readLimit(measure, meant, ofRuns) !== undefined);
  if (instead !== undefined) return instead;
  const { amount, per, following } = saidAmount(text);
  const of = amountOf({ kind: measure });
  if (parsePercentile(amount, of) && (per !== undefined || !ofRuns)) return NOT_OF_RUNS;
  const isAccepted = amount === UNLIMITED || of.parse(amount) !== undefined || parsePercentile(amount, of);
  if (!isAccepted) return whyNoPercentile(amount, of) ?? whyNoAmount(amount, of, [UNLIMITED]);
  if (per !== undefined && !PERIODS.some((period) => period === per)) return whyNoPeriod(per, PERIODS);
  const [next = ""] = following;
  if (next === EXTEND) {
    if (per !== undefined || !ofRuns) return NOT_EXTENDED;
    if (amount === UNLIMITED) return `Nothing can follow ${UNLIMITED}.`;
    const said = saidExtension(following, of);
    return said
      ? `After ${text.trim().split(/\s+/).slice(0, -said.rest.length).join(" ")} nothing can follow: leave out ${quoted(said.rest[0] ?? "")}.`
      : whyNoExtension(following, of);
  }
  if (next === BY && per === undefined && ofRuns && amount !== UNLIMITED) return whyNoBy(of);
  if (per !== undefined && next === WAIT)
    return `After ${amount} ${PER} ${per} ${WAIT} nothing can follow: leave out ${quoted(following.slice(1).join(" "))}.`;
  if (per !== undefined) return `After ${amount} ${PER} ${per} only ${WAIT} can follow, not ${quoted(next)}.`;
  const isPercentile = parsePercentile(amount, of) !== undefined;
  if (next === WAIT && isPercentile) return NOT_OF_RUNS;
  if (next === WAIT)
    return `${amount} ${WAIT} needs a period, at the end of which it starts over: ${amount} ${PER} day ${WAIT}.`;
  if (isPercentile)
    return amount.includes(UP_TO)
      ? `After ${amount} only ${EXTEND} and how often can follow, not ${quoted(next)}.`
      : `After ${amount}, use ${UP_TO} and a number, or ${EXTEND} and how often, not ${quoted(next)}.`;
  if (ofRuns && amount !== UNLIMITED)
    return `After ${amount}, use ${PER} and a period, or ${EXTEND} and how often, not ${quoted(next)}.`;
  return `After ${amount}, use ${PER} and a period, not ${quoted(next)}.`;
}

const UNLIMITED = "unlimited";

/** The word behind a limit that is waited for until it starts over. */
const WAIT = "wait";
const NOT_EXTENDED = `A limit that others share is not extended by itself: leave out ${EXTEND}.`;
