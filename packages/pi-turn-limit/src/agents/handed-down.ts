import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Max, Unpriced } from "turn-limit";
import {
  amount,
  amountMax,
  type Check,
  check,
  count,
  flag,
  KINDS,
  list,
  object,
  oneOf,
  optional,
} from "../core.ts";
import { PERIODS, type Period, startsOver } from "../limits/periods.ts";
import { PERIOD_KINDS, type PeriodKind } from "../limits/pi-limits.ts";
import { isWindow } from "../limits/plan.ts";
import { isBelowAnother, isFirstInPi } from "./session-place.ts";

/** What a session hands down to the agents below it: the budgets they draw from, and who asks a person for them. */
export interface HandedDown {
  /** The file in which the budgets are kept. */
  readonly store: string;
  /** A pool for the prompt of each session above, the nearest last. */
  readonly prompts: readonly HandedPrompt[];
  /** The limits that hold for a period. */
  readonly periods: readonly HandedPeriod[];
  /** The limits of windows of a subscription. */
  readonly plan?: readonly HandedWindow[];
  /** Where questions are put, and the process that asks a person. Left out where no session above has one. */
  readonly ask?: { readonly pool: string; readonly pid: number };
}

/** What a prompt of a session above may still use. */
export interface HandedPrompt {
  readonly pool: string;
  /** Is the pool there, so that it says how much is left? If not, the limits say it: no tool call was made yet. */
  readonly isOpen: boolean;
  /** As it was set there. What is unlimited is only counted. */
  readonly tokens: { readonly max: Max; readonly cacheReads: boolean; readonly cacheWrites: boolean };
  readonly cost: { readonly max: Max; readonly unpriced: Unpriced };
  /** Left out where there is no limit of time. */
  readonly time?: { readonly max: number };
}

/** A limit that holds for a period in a session above. */
export interface HandedPeriod {
  readonly kind: PeriodKind;
  readonly per: Period;
  readonly max: number;
  /** Which session it is, of a limit per session. */
  readonly session?: string;
  readonly unpriced?: Unpriced;
  readonly cacheReads?: boolean;
  readonly cacheWrites?: boolean;
  /** Is it waited for until it starts over? */
  readonly waits?: boolean;
}

/** A limit of a window of a subscription in a session above: its length, and in per cent how much of it may be used. */
export interface HandedWindow {
  readonly window: string;
  readonly max: number;
  /** Is it waited for until it starts over? */
  readonly waits?: boolean;
}

const VERSION = 1;
/** What the pools of prompts are called, so that none is taken for the pool of a period. */
export const PROMPT = "prompt ";

/** As it stands in the environment. */
export function writeHandedDown(handed: HandedDown): string {
  return JSON.stringify({ version: VERSION, ...handed });
}

/** Reads it; nothing if it is damaged, or of another version. */
export function readHandedDown(text: string): HandedDown | undefined {
  try {
    const { version, ...handed } = JSON.parse(text);
    requireHandedDown(handed, "");
    return version === VERSION ? handed : undefined;
  } catch {
    return undefined;
  }
}

const poolId: Check<string> = check(
  (value) => typeof value === "string" && value !== "" && !value.includes("@"),
  "the id of a pool",
);

// Without a maximum, the core would take the one that is there by default.
function limit(kind: HandedPeriod["kind"], max: Check<Max> = amountMax): Check<unknown> {
  return (value, name) => {
    max(Object(value).max, `${name}.max`);
    return KINDS[kind].check(value, name);
  };
}

const requirePrompt = object({
  pool: check((value) => poolId(value, "pool").startsWith(PROMPT), "the id of a prompt's pool"),
  isOpen: flag,
  tokens: limit("tokens"),
  cost: limit("cost"),
  time: optional(limit("time", amount), undefined),
});

const requirePeriod: Check<unknown> = (value, name) => {
  const { kind, per, session, waits, ...options } = Object(value);
  oneOf(...PERIODS)(per, `${name}.per`);
  check(() => (session === undefined) === (per !== "session"), "a session")(session, `${name}.session`);
  optional(poolId, undefined)(session, `${name}.session`);
  const isWait = (said: unknown) => said === undefined || (said === true && startsOver(per));
  check(isWait, "a limit that starts over")(waits, `${name}.waits`);
  return limit(oneOf(...PERIOD_KINDS)(kind, `${name}.kind`), amount)(options, name);
};

const requireHandedDown = object({
  store: check((value) => typeof value === "string" && value !== "" && !value.includes("\0"), "a file"),
  prompts: different(requirePrompt, ({ pool }) => pool),
  periods: different(requirePeriod, ({ kind, per, session }) => JSON.stringify([kind, per, session])),
  plan: optional(
    different(
      object({
        window: check((value) => isWindow(value), "a window"),
        max: amount,
        waits: optional(flag, undefined),
      }),
      ({ window }) => window,
    ),
    undefined,
  ),
  ask: optional(object({ pool: poolId, pid: count() }), undefined),
});

// Two that are the same would be one budget with two limits.
function different(item: Check<unknown>, nameOf: (item: Record<string, unknown>) => unknown): Check<unknown> {
  return (value, name) => {
    list(item)(value, name);
    const names = (value as Record<string, unknown>[]).map(nameOf);
    return check(() => new Set(names).size === names.length, "different ones")(value, name);
  };
}

/** The variable by which a session hands its budgets down to what is started below it. */
export const PARENT_VARIABLE = "PI_TURN_LIMIT_PARENT";

type Session = Pick<ExtensionContext, "hasUI" | "sessionManager">;

// On the process, not in the module: Pi loads the module again for each session.
const INHERITED = Symbol.for("pi-turn-limit.inherited");
const shared = globalThis as { [INHERITED]?: { readonly text: string | undefined } };

/**
 * What was handed down to this session; "damaged" where that cannot be used. Its place must have been taken before.
 */
export function handedTo(session: Session): HandedDown | "damaged" | undefined {
  // What this process was started with. By now a session of its own may have written the variable.
  shared[INHERITED] ??= { text: process.env[PARENT_VARIABLE] };
  if (!isBelowAnother(session)) return undefined;
  const text = isFirstInPi(session) ? shared[INHERITED].text : process.env[PARENT_VARIABLE];
  return text ? (readHandedDown(text) ?? "damaged") : undefined;
}

/**
 * Hands something down to whatever is started from this process from now on. A session inside another one hands down
 * nothing: what it starts belongs to the session around it, as its siblings do.
 */
export function handDown(session: Session, handed: HandedDown | undefined): void {
  if (!isFirstInPi(session)) return;
  if (handed === undefined) delete process.env[PARENT_VARIABLE];
  else process.env[PARENT_VARIABLE] = writeHandedDown(handed);
}
