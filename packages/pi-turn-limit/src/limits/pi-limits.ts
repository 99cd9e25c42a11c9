import type { LimitIdentity, Max, Totals } from "turn-limit";
import {
  type Amount,
  counted,
  DEFAULT_MAX_TURNS,
  DOLLARS,
  DURATION,
  listed,
  maxText,
  TOKENS,
} from "../core.ts";
import { limitPer } from "./limit-per-period.ts";
import { nameWithPeriod, PERIODS, type Period, periodCalled, perText } from "./periods.ts";
import {
  amountAfter,
  BEFORE_CALLS,
  BEFORE_TURNS,
  choice,
  counting,
  maximum,
  onlyToEndTheRun,
  policies,
  reserve,
  type Setting,
} from "./setting.ts";

/** Everything that the extension knows about one kind of limit. */
export interface PiLimit {
  /** Its key in the settings, and the core's label for it. */
  readonly key: string;
  /** The kind of limit that it is, where that is not its key: `cost` for `cost per day`. */
  readonly kind?: string;
  /** Which member of its family it is: `bash` of the limits of tools. */
  readonly member?: string;
  /** In the widget and the panel, for example `Tokens`; `rowLabel` where the panel has another one. */
  readonly label: string;
  readonly rowLabel?: string;
  /** The period that it holds for; left out where that is one prompt. */
  readonly per?: Period;
  /** What the limit for a prompt can say and this one, for a period, cannot: `reserve`. */
  readonly ofOneRun?: readonly string[];
  /** What it counts, in the singular: it has a `token limit`, a `token policy`. */
  readonly noun: string;
  /** What it is called when it is reached; left out: `token limit`. */
  readonly title?: string;
  /** The unit in "How many more tokens?", for example `tokens`. */
  readonly unit: string;
  readonly amount: Amount;
  /** By their names in the settings, in the order in which a text says them. */
  readonly settings: { readonly max: ReturnType<typeof maximum> } & Readonly<Record<string, Setting>>;
  /** What it limits, for the JSON schema. */
  readonly about: string;
  /** A text with everything that a text can say. */
  readonly example: string;
  /** Slash command with the texts that it offers, flag and environment variable, where it has them. */
  readonly command?: string;
  readonly suggestions?: readonly string[];
  readonly flag?: string;
  readonly env?: string;
  /** The title of the question, where it is not `Token limit reached`. */
  readonly heading?: string;
  /** What a person is told in the question. */
  asked(used: number, max: Max): string;
  /**
   * What was used of it, as a sentence that goes on with the period: `You've used 25 turns`. Left out where the limit
   * can only hold for a prompt.
   */
  spent?(used: number, max: Max): string;
  /** Why a run ended, in parentheses, where `used/max` does not say it. */
  reached?(used: number): string;
  /** What is said when it stops a run, where that is not `Token limit reached (…).` */
  exceeded?(max: Max): string;
  /** Why a run ended, where that is not `by the token limit`. */
  readonly because?: string;
  /** What to do about it, where that is not to allow more. */
  readonly remedy?: string;
  /** What a person is asked after the reason, where the core gives one instead of numbers. */
  readonly goOn?: string;
  /** What was done too often if the self-check finds more than was admitted: `requests were sent`. */
  readonly overrun?: string;
  /** Does its command show the maximum beside the usage? */
  readonly usedOfMax?: boolean;
  /** Usage in a run where the limit has no maximum. */
  total(totals: Totals): number;
  /** When it is left out of the widget. */
  readonly hidden?: "at zero" | "always";
}

/** Limits of one kind by names that a person chooses, such as `tools.bash`. */
export interface LimitFamily {
  readonly key: string;
  readonly noun: string;
  readonly about: string;
  member(name: string): PiLimit;
}

/** The kinds of limits, in the order in which they are shown. */

const COUNT = counted(0);
const FROM_ONE = counted(1);

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

const turnsSpent = (used: number) => `You've used ${used === 1 ? "1 turn" : `${used} turns`}`;
const stepsSpent = (used: number) =>
  `The agent has made ${used === 1 ? "1 tool call" : `${used} tool calls`}`;
const timeSpent = (used: number) => `The agent has worked for ${DURATION.show(used)}`;

export const piLimits = [
  {
    key: "turns",
    label: "Turns",
    noun: "turn",
    unit: "turns",
    amount: COUNT,
    settings: {
      max: maximum(COUNT, DEFAULT_MAX_TURNS),
      ...policies(BEFORE_TURNS),
      grace: amountAfter("grace", COUNT, {
        description:
          "How many turns before the limit the model is told to wrap up. 0, or as many as the limit: never. A project may not change your grace.",
        alone: { flag: "turn-grace", env: "PI_TURN_GRACE" },
      }),
      message: wrapUpMessage,
    },
    about: "How many turns a run may take.",
    example: "25 stop grace 3",
    command: "turn-limit",
    suggestions: ["10", "25", "50", "100", "unlimited", "25 grace 3", "100 per session"],
    flag: "max-turns",
    env: "PI_MAX_TURNS",
    asked: (used) => `${turnsSpent(used)}.`,
    spent: turnsSpent,
    overrun: "requests were sent",
    usedOfMax: true,
    total: ({ turns }) => turns,
  },
  {
    key: "steps",
    label: "Steps",
    noun: "step",
    unit: "steps",
    amount: FROM_ONE,
    settings: { max: maximum(FROM_ONE), ...policies(BEFORE_CALLS, { onExhausted: "raise" }) },
    about: "How many tool calls a run may make.",
    example: "40 synthesize",
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
    key: "tokens",
    label: "Tokens",
    noun: "token",
    unit: "tokens",
    amount: TOKENS,
    settings: {
      max: maximum(TOKENS),
      ...policies(BEFORE_TURNS),
      reserve: reserve(TOKENS),
      cacheReads: counting("cache reads"),
      cacheWrites: counting("cache writes"),
    },
    about: "How many tokens a run may use.",
    example: "200k stop reserve 10k",
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
    asked: (used, max) => `You've used ${TOKENS.show(used, max)} of ${maxText(TOKENS, max)} tokens.`,
    spent: (used, max) => `You've used ${TOKENS.show(used, max)} tokens`,
    total: ({ input, output }) => input + output,
  },
  {
    key: "cost",
    label: "Cost",
    noun: "cost",
    unit: "dollars",
    amount: DOLLARS,
    settings: {
      max: maximum(DOLLARS),
      ...policies(BEFORE_TURNS),
      reserve: reserve(DOLLARS),
      unpriced: choice({
        name: () => "unpriced policy",
        words: ["warn", "stop", "tokens"],
        initial: "warn",
        description:
          "With a model whose price is not known: warn and go on, stop, or leave it to the token limit.",
        objection: onlyToEndTheRun,
      }),
    },
    about: "What a run may cost, in US dollars.",
    example: "$5 stop reserve $0.25",
    command: "cost-limit",
    suggestions: ["$1", "$5", "$10", "$5 synthesize", "$5 stop reserve $0.25", "$20 per day", "unlimited"],
    flag: "max-cost",
    env: "PI_MAX_COST",
    asked: (used, max) => `You've spent ${DOLLARS.show(used, max)} of ${maxText(DOLLARS, max)}.`,
    spent: (used, max) => `You've used ${DOLLARS.show(used, max)}`,
    total: ({ cost }) => cost,
  },
  {
    key: "time",
    label: "Time",
    noun: "time",
    unit: "minutes",
    amount: DURATION,
    settings: { max: maximum(DURATION), ...policies(BEFORE_TURNS) },
    about: "How long a run may take.",
    example: "10m stop",
    command: "time-limit",
    suggestions: ["5m", "10m", "30m", "1h", "10m synthesize", "2h per day", "unlimited"],
    flag: "max-time",
    env: "PI_MAX_TIME",
    asked: (used) => `${timeSpent(used)}.`,
    spent: timeSpent,
    total: ({ time }) => time,
  },
  {
    key: "tools",
    noun: "tool",
    about: "How many calls of single tools a run may make, by the name of the tool.",
    member: (tool: string) => ({
      key: `tools.${tool}`,
      kind: "tools",
      member: tool,
      label: tool,
      rowLabel: `${tool} calls`,
      noun: tool,
      title: `limit for ${tool}`,
      unit: `${tool} calls`,
      amount: COUNT,
      settings: { max: maximum(COUNT), ...policies(BEFORE_CALLS, { headless: "refuse" }) },
      about: "How many calls of this tool a run may make.",
      example: "30 stop",
      asked: (used: number) => `${tool} was called ${used === 1 ? "once" : `${used} times`}.`,
      total: ({ calls }: Totals) => (Object.hasOwn(calls, tool) ? (calls[tool] ?? 0) : 0),
    }),
  },
  {
    key: "repeats",
    label: "Repeats",
    noun: "repeat",
    unit: "repeats",
    amount: FROM_ONE,
    settings: { max: maximum(FROM_ONE), ...policies(BEFORE_CALLS) },
    about: "How often in a row a run may make a tool call that gives the same result.",
    example: "3 stop",
    asked: (used) => `The agent made the same call ${rowText(used)}, with the same result.`,
    reached: (used) => `the same call with the same result, ${rowText(used)}`,
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

type ValueOf<S> = S extends Setting<infer Value> ? Value : never;
type ValuesOf<S> = { readonly [Name in keyof S]: ValueOf<S[Name]> };
type RowValues<Row> = Row extends { member(name: string): { settings: infer S } }
  ? { readonly [name: string]: ValuesOf<S> }
  : Row extends { settings: infer S }
    ? ValuesOf<S>
    : never;

/** The settings in use: `{ turns: { max: 25, … }, tokens: …, tools: { bash: … }, boundary: "confirm" }`. */
export type LimitValues = {
  readonly [Row in (typeof piLimits)[number] as Row["key"]]: RowValues<Row>;
} & { readonly boundary: ValueOf<typeof boundaryStyle> };

/** The kinds of limits that can hold for a period. */
export type PeriodKind = Extract<(typeof piLimits)[number], { spent: unknown }>["key"];

export type BoundaryStyle = LimitValues["boundary"];

/** The table, and the limits in it that are no families. */
export const limitTable: readonly (PiLimit | LimitFamily)[] = piLimits;
export const singleLimits = limitTable.filter((row): row is PiLimit => !isFamily(row));

export function isFamily(row: PiLimit | LimitFamily): row is LimitFamily {
  return "member" in row;
}

/** Where the settings of a limit are: `["tokens"]`, `["tools", "bash"]`, `["cost per day"]`. */
export function pathOf({ key, kind = key, member }: PiLimit): string[] {
  return member === undefined ? [key] : [kind, member];
}

/** What the core knows the limit by. */
export function identityOf({ key, kind = key, member, per }: PiLimit): LimitIdentity {
  const of = { ...(member !== undefined && { tool: member }), ...(per && { per }) };
  return { kind: kind as LimitIdentity["kind"], ...of };
}

/** A limit where it stands. What was written by another version may not say what it is. */
export interface NamedLimit {
  readonly limit: string;
  readonly identity?: LimitIdentity | undefined;
}

/** The limit that the core speaks of. */
export function limitOf({ limit, identity }: NamedLimit): PiLimit {
  if (!identity) return unknownLimit(limit);
  const { kind, tool, pool, per } = identity;
  if ("sources" in identity) return refusedLimit(limit, identity as RefusedIdentity);
  if (kind === "store") return { ...unknownLimit(limit), ...STORE_GATE };
  if (kind === "freeze") return { ...unknownLimit(limit), ...freezeGate(`${pool}`) };
  const period = periodCalled(per);
  const key = period === undefined ? kind : nameWithPeriod(kind, period);
  const known = limitAt([key, ...(tool === undefined ? [] : [tool])]);
  if (!known) return unknownLimit(limit);
  // The limit of another session that this one draws from, too: in the words of that limit.
  return pool === undefined ? known : { ...known, hidden: "always" };
}

const STORE_GATE = {
  because: "the store of your shared budgets could not be used",
  remedy: "Without it, the limits that hold over several sessions cannot hold this one.",
  goOn: "Go on, with these limits for this session by itself?",
  heading: "Shared budget",
  hidden: "always",
} as const;

function freezeGate(pool: string) {
  return {
    because: "a shared budget is frozen",
    remedy: `To let its agents go on, use npx turn-limit pools unfreeze "${pool}".`,
    goOn: "Go on all the same?",
    heading: "Shared budget",
    hidden: "always",
  } as const;
}

/** The limit whose settings are there: `["tokens"]`, `["tools", "bash"]`, `["cost per day"]`. Nothing if there is none. */
export function limitAt([key = "", member, ...rest]: readonly string[]): PiLimit | undefined {
  if (rest.length > 0) return undefined;
  for (const row of limitTable) {
    if (isFamily(row) && row.key === key) return member === undefined ? undefined : row.member(member);
    if (isFamily(row) || member !== undefined) continue;
    if (row.key === key) return row;
    const per = PERIODS.find((period) => nameWithPeriod(row.key, period) === key);
    if (per) return limitPer(row, per);
  }
  return undefined;
}

/** A limit and, where it can have one, the same limit for each period. */
export function withPeriods(limit: PiLimit): PiLimit[] {
  return [limit, ...PERIODS.flatMap((per) => limitPer(limit, per) ?? [])];
}

// A session that was written by a newer version may name a limit that this one does not have.
function unknownLimit(key: string): PiLimit {
  const words = { key, label: key, noun: key, unit: key, about: "", example: "" };
  const asked = (used: number) => `${key}: ${used}.`;
  return { ...words, amount: COUNT, settings: { max: maximum(COUNT) }, asked, total: () => 0 };
}

/** What the boundary is known by that stands for limits that cannot be used: where they were set. */
export interface RefusedIdentity extends LimitIdentity {
  readonly kind: "custom";
  readonly sources: readonly string[];
}

/** The core's label for it. */
export function nameOfRefused(sources: readonly string[]): string {
  return `refused.${sources.join(", ")}`;
}

/** Where a limit was set, with its period where it has one: `--max-cost (per day)`. */
export function sourceWithPeriod(source: string, per: Period | undefined): string {
  return per === undefined ? source : `${source} (${perText(per)})`;
}

function refusedLimit(name: string, { sources }: RefusedIdentity): PiLimit {
  const isOne = sources.length === 1;
  const because = `${listed(sources, "and")} cannot be used`;
  const limitsNothing = `${because}, so ${isOne ? "it limits" : "they limit"} nothing.`;
  return {
    ...unknownLimit(name),
    unit: "turns",
    heading: isOne ? "A limit cannot be used" : "Limits cannot be used",
    asked: () => [limitsNothing, ...waysToSet(sources)].join(" "),
    exceeded: () => `${because}, so nothing was sent.`,
    because,
    remedy: isOne ? "Correct it, or leave it out." : "Correct them, or leave them out.",
    hidden: "always",
  };
}

/** How a person can set in the session what these sources were to set. */
function waysToSet(sources: readonly string[]): string[] {
  const limits = singleLimits.flatMap(withPeriods);
  const commands = sources.flatMap((source) => {
    const { command, example = "", per } = limits.find((limit) => isSetBy(limit, source)) ?? {};
    const period = per === undefined ? "" : ` ${perText(per)}`;
    return command === undefined ? [] : [`/${command} ${example.split(" ")[0]}${period}`];
  });
  const inFiles = sources.length - commands.length;
  if (commands.length === 0) return ["To set it right, correct the file, then use /reload."];
  return [
    `Use ${listed(commands, "and")} to set ${commands.length === 1 ? "the limit" : "these limits"}.`,
    ...(inFiles === 0 ? [] : ["To set the others, correct the file, then use /reload."]),
  ];
}

function isSetBy({ key, flag, env, per }: PiLimit, source: string): boolean {
  const texts = [env, flag && `--${flag}`].filter((text) => text !== undefined);
  return texts.some((text) => source === sourceWithPeriod(text, per)) || source.startsWith(`"${key}" in `);
}

function rowText(count: number): string {
  return count === 1 ? "again" : `${count} times in a row`;
}
