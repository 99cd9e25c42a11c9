import type { Max, Totals } from "turn-limit";
import { counted, DEFAULT_MAX_TURNS, DOLLARS, DURATION, maxText, TOKENS, UNPRICED } from "../core.ts";
import { extension } from "./extension.ts";
import { isFamily, type LimitFamily, ofKind, type PiLimit, type Who } from "./pi-limit.ts";
import { planFamily } from "./plan.ts";
import {
  amountAfter,
  BEFORE_CALLS,
  BEFORE_TURNS,
  choice,
  counting,
  fixedMaximum,
  type Maximum,
  maximum,
  onlyToEndTheRun,
  policies,
  reserve,
  type Setting,
} from "./setting.ts";

const COUNT = counted(0);
const FROM_ONE = counted(1);
// Made once: Pi's start waits for it.
const TURN_POLICIES = policies(BEFORE_TURNS);

const wrapUpMessage: Setting<string> = {
  name: () => "wrap-up message",
  initial: "",
  allowed: ["a text"],
  schema: {
    description:
      "What the model is told then, instead of the default text. Only counts in your own settings.",
    type: "string",
    pattern: "\\S",
  },
  read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
  isValid: (value) => typeof value === "string",
  format: (value) => JSON.stringify(value),
  isOfOneRun: true,
  objection: () => "only you say what the model is told",
};

const turnsSpent = (used: number, _max: Max, who: Who) =>
  `${who} used ${used === 1 ? "1 turn" : `${used} turns`}`;
const stepsSpent = (used: number) =>
  `The agent has made ${used === 1 ? "1 tool call" : `${used} tool calls`}`;
const timeSpent = (used: number) => `The agent has worked for ${DURATION.show(used)}`;

const TOOL_COMMAND = "tool-limit";

/** The kinds of limits, in the order in which they are shown. */
export const piLimits = [
  {
    ...ofKind("turns"),
    label: "Turns",
    unit: "turns",
    settings: {
      max: maximum(COUNT, DEFAULT_MAX_TURNS),
      ...TURN_POLICIES,
      ...extension(COUNT),
      grace: amountAfter("grace", COUNT, {
        description:
          "How many turns before the limit the model is told to wrap up. 0, or as many as the limit: never. A project may not change your grace.",
        alone: { flag: "turn-grace", env: "PI_TURN_GRACE" },
      }),
      message: wrapUpMessage,
    },
    about: "How many turns a run may take.",
    example: ["25", "stop grace 3"],
    command: "turn-limit",
    suggestions: [
      "10",
      "25",
      "50",
      "100",
      "unlimited",
      "25 grace 3",
      "25 extend 3",
      "p90",
      "100 per session",
    ],
    flag: "max-turns",
    env: "PI_MAX_TURNS",
    asked: (used, max, who) => `${turnsSpent(used, max, who)}.`,
    spent: turnsSpent,
    overrun: "requests were sent",
    usedOfMax: true,
    total: ({ turns }) => turns,
  },
  {
    ...ofKind("steps"),
    label: "Steps",
    unit: "steps",
    settings: { max: maximum(FROM_ONE), ...policies(BEFORE_CALLS, { onExhausted: "raise" }) },
    about: "How many tool calls a run may make.",
    example: ["40", "synthesize"],
    command: "step-limit",
    suggestions: ["20", "40", "100", "40 synthesize", "200 per session", "unlimited"],
    flag: "max-steps",
    env: "PI_MAX_STEPS",
    asked: (used) => `${stepsSpent(used)}.`,
    spent: stepsSpent,
    exceeded: (max) => `Step limit exceeded (${max}).`,
    overrun: "tool calls were executed",
    total: ({ steps }) => steps,
  },
  {
    ...ofKind("tokens"),
    label: "Tokens",
    unit: "tokens",
    settings: {
      max: maximum(TOKENS),
      ...TURN_POLICIES,
      ...extension(TOKENS),
      reserve: reserve(TOKENS),
      cacheReads: counting("cache reads"),
      cacheWrites: counting("cache writes"),
    },
    about: "How many tokens a run may use.",
    example: ["200k", "stop reserve 10k"],
    command: "token-limit",
    suggestions: [
      "100k",
      "200k",
      "500k",
      "1m",
      "200k synthesize",
      "200k stop reserve 10k",
      "2m per week",
      "unlimited",
    ],
    flag: "max-tokens",
    env: "PI_MAX_TOKENS",
    asked: (used, max, who) => `${who} used ${TOKENS.show(used, max)} of ${maxText(TOKENS, max)} tokens.`,
    spent: (used, max, who) => `${who} used ${TOKENS.show(used, max)} tokens`,
    total: ({ input, output }) => input + output,
  },
  {
    ...ofKind("cost"),
    label: "Cost",
    unit: "dollars",
    settings: {
      max: maximum(DOLLARS),
      ...TURN_POLICIES,
      ...extension(DOLLARS),
      reserve: reserve(DOLLARS),
      unpriced: choice({
        name: () => "unpriced policy",
        words: UNPRICED,
        initial: "warn",
        description:
          "With a model whose price is not known: warn and go on, stop, or leave it to the token limit.",
        objection: onlyToEndTheRun,
      }),
    },
    about: "What a run may cost, in US dollars.",
    example: ["$5", "stop reserve $0.25"],
    command: "cost-limit",
    suggestions: ["$1", "$5", "$10", "$5 synthesize", "$5 stop reserve $0.25", "$20 per day", "unlimited"],
    flag: "max-cost",
    env: "PI_MAX_COST",
    asked: (used, max, who) => `${who} spent ${DOLLARS.show(used, max)} of ${maxText(DOLLARS, max)}.`,
    spent: (used, max, who) => `${who} used ${DOLLARS.show(used, max)}`,
    total: ({ cost }) => cost,
  },
  {
    ...ofKind("time"),
    label: "Time",
    unit: "minutes",
    settings: { max: maximum(DURATION), ...TURN_POLICIES, ...extension(DURATION) },
    about: "How long a run may take.",
    example: ["10m", "stop"],
    command: "time-limit",
    suggestions: ["5m", "10m", "30m", "1h", "10m synthesize", "2h per day", "unlimited"],
    flag: "max-time",
    env: "PI_MAX_TIME",
    asked: (used) => `${timeSpent(used)}.`,
    spent: timeSpent,
    total: ({ time }) => time,
  },
  planFamily,
  {
    ...ofKind("tools"),
    about: "How many calls of single tools a run may make, by the name of the tool.",
    example: "bash",
    command: TOOL_COMMAND,
    member: (tool: string) => ({
      key: `tools.${tool}`,
      kind: "tools",
      member: tool,
      label: tool,
      rowLabel: `${tool} calls`,
      noun: tool,
      unit: `${tool} calls`,
      settings: { max: maximum(COUNT), ...policies(BEFORE_CALLS, { headless: "refuse" }) },
      about: "How many calls of this tool a run may make.",
      example: ["30", "stop"],
      command: `${TOOL_COMMAND} ${tool}`,
      suggestions: ["10", "30", "100", "30 stop", "unlimited"],
      asked: (used: number) => `${tool} was called ${used === 1 ? "once" : `${used} times`}.`,
      total: ({ calls }: Totals) => (Object.hasOwn(calls, tool) ? (calls[tool] ?? 0) : 0),
    }),
  },
  {
    ...ofKind("repeats"),
    label: "Repeats",
    unit: "repeats",
    settings: { max: fixedMaximum(FROM_ONE), ...policies(BEFORE_CALLS) },
    about: "How often in a row a run may make a tool call that gives the same result.",
    example: ["3", "stop"],
    asked: (used) => `The agent repeated itself, and got the same result ${rowText(used)}.`,
    reached: (used) => `the same result, ${rowText(used)}`,
    total: () => 0,
    hidden: "at zero",
  },
] as const satisfies readonly (PiLimit | LimitFamily)[];

/** How a person is asked at the boundary of any limit. */
export const boundaryStyle = choice({
  name: () => "boundary",
  words: ["confirm", "menu"],
  initial: "confirm",
  description:
    "How you are asked at a limit: a yes or no, or a menu of what to do. Only counts in your own settings.",
  objection: (theirs, yours) => (theirs === yours ? undefined : "only you say how you are asked"),
});

// A percentile has been chosen by then.
type ValueOf<S> = S extends Maximum ? Max : S extends Setting<infer Value> ? Value : never;
type ValuesOf<S> = { readonly [Name in keyof S]: ValueOf<S[Name]> };
type RowValues<Row> = Row extends { member(name: string): { settings: infer S } }
  ? { readonly [name: string]: ValuesOf<S> }
  : Row extends { settings: infer S }
    ? ValuesOf<S>
    : never;

/** The settings in use: `{ turns: { max: 25, … }, tokens: …, tools: { bash: … }, boundary: "confirm" }`. */
export type LimitValues = {
  readonly [Row in (typeof piLimits)[number] as Row["key"]]: RowValues<Row>;
} & {
  readonly boundary: ValueOf<typeof boundaryStyle>;
  /** When the model is told what it has left, as a person writes it. */
  readonly tell?: string;
};

/** The kinds of limits that can hold for a period. */
export type PeriodKind = Extract<(typeof piLimits)[number], { spent: unknown }>["key"];

export type BoundaryStyle = LimitValues["boundary"];

/** The table, and the limits in it that are no families. */
export const limitTable: readonly (PiLimit | LimitFamily)[] = piLimits;
export const singleLimits = limitTable.filter((row): row is PiLimit => !isFamily(row));

/** The kinds of limits that can hold for a period. */
export const PERIOD_KINDS = singleLimits.filter(({ spent }) => spent).map(({ key }) => key as PeriodKind);

function rowText(count: number): string {
  return count === 1 ? "again" : `${count} times in a row`;
}
