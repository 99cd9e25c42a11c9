import {
  formatDollars,
  formatDuration,
  formatPercent,
  formatTokens,
  showDollars,
  showDuration,
  showPercent,
  showTokens,
} from "./write-amounts.ts";

/**
 * What a run does.
 *
 * - `turn`: a model request that the run had not made before
 * - `retry`: the same request once more, because it failed or its answer was thrown away
 * - `aside`: a request besides the turns, for example for a title, where the host says so before it is sent
 * - `compaction`: a request with which the host shortens the transcript
 * - `nested`: what a tool call spends by itself, for example on a sub-agent
 * - `synthesis`: the tools-free last turn
 * - `call`: a tool call that runs, by itself or within another one
 * - `refusal`: a tool call that must not run
 * - `waiting`: a person is asked, or approves something
 */
const ACTIVITIES = [
  "turn",
  "retry",
  "aside",
  "compaction",
  "nested",
  "synthesis",
  "call",
  "refusal",
  "waiting",
] as const;

/** Something that a run does. */
export type Activity = (typeof ACTIVITIES)[number];

/** What there is to know about something that can be measured. */
interface MeasureRow {
  /** The activities that count for it. Time passes in them, with all that happens in them and between them. */
  readonly counts: readonly Activity[];
  /** Is it counted one by one, when it begins? What is not is known when an answer is there, or time has passed. */
  readonly oneByOne: boolean;
  /** Is it always a whole number? */
  readonly whole: boolean;
  /** How many units of a store are one of it: stores only know whole numbers. */
  readonly storeUnits: number;
  /** In steps of how much a maximum is chosen from what runs took. */
  readonly grain: number;
  /** What is used of it, beside its limit if it has one: it must not look like all of that before it is. */
  show(amount: number, limit?: number | "unlimited"): string;
  /** The exact amount, as a person would type it. */
  format(amount: number): string;
}

/** What can be counted one by one. */
function counted(...activities: Activity[]) {
  const written = { show: String, format: String };
  return { counts: activities, oneByOne: true, whole: true, storeUnits: 1, grain: 1, ...written } as const;
}

/**
 * Everything that is measured, in the order in which it is shown: what counts for it, in which numbers, and how they are
 * written. Limits, pools, commands and screens have it from here. How a text is read is in `text/amounts.ts`.
 */
export const MEASURES = {
  turns: counted("turn", "synthesis"),
  requests: counted("turn", "retry", "aside", "synthesis"),
  steps: counted("call"),
  tokens: {
    counts: ["turn", "retry", "aside", "synthesis", "compaction", "nested"],
    oneByOne: false,
    whole: true,
    storeUnits: 1,
    grain: 1_000,
    show: showTokens,
    format: formatTokens,
  },
  /** US dollars. */
  cost: {
    counts: ["turn", "retry", "aside", "synthesis", "compaction", "nested"],
    oneByOne: false,
    whole: false,
    storeUnits: 1_000_000_000,
    grain: 0.01,
    show: showDollars,
    format: formatDollars,
  },
  /** Milliseconds. */
  time: {
    counts: ["turn", "retry", "aside", "synthesis"],
    oneByOne: false,
    whole: false,
    storeUnits: 1,
    grain: 1_000,
    show: showDuration,
    format: formatDuration,
  },
  /** Tool calls again, by the name of the tool. */
  calls: counted("call"),
  /** Per cent of a window of a subscription, as its provider tells it. */
  percent: {
    counts: ["turn", "retry", "aside", "synthesis"],
    oneByOne: false,
    whole: false,
    storeUnits: 100,
    grain: 1,
    show: showPercent,
    format: formatPercent,
  },
} as const satisfies Record<string, MeasureRow>;

/** The name of something that is measured. */
export type Measure = keyof typeof MEASURES;

/** Those that are counted one by one. */
export type Countable = {
  [Name in Measure]: (typeof MEASURES)[Name]["oneByOne"] extends true ? Name : never;
}[Measure];

type Counted = Readonly<Record<Measure, boolean>>;

// The same by activity, because it is looked up several times in each turn.
const COUNTED = Object.fromEntries(
  ACTIVITIES.map((activity) => [
    activity,
    Object.fromEntries(
      Object.entries<MeasureRow>(MEASURES).map(([measure, { counts }]) => [
        measure,
        counts.includes(activity),
      ]),
    ),
  ]),
) as Record<Activity, Counted>;

const { turn: OF_TURNS, call: OF_CALLS } = COUNTED;

/** What the activity counts for. The two of every turn are found without a look-up. */
export function countedFor(activity: Activity): Counted {
  return activity === "turn" ? OF_TURNS : activity === "call" ? OF_CALLS : COUNTED[activity];
}
