import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Max } from "turn-limit";
import { PERIODS, type Period } from "../limits/periods.ts";
import { isObject } from "../settings/settings.ts";
import { isBelowAnother, isFirstInPi } from "./session-place.ts";

/** What a session hands down to the agents below it: the budgets they draw from, and who asks a person for them. */
export interface HandedDown {
  /** The file in which the budgets are kept. */
  readonly store: string;
  /** A pool for the prompt of each session above, the nearest last. */
  readonly prompts: readonly HandedPrompt[];
  /** The limits that hold for a period. */
  readonly periods: readonly HandedPeriod[];
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
  readonly cost: { readonly max: Max; readonly unpriced: "warn" | "stop" | "tokens" };
  /** Left out where there is no limit of time. */
  readonly time?: { readonly max: number };
}

/** A limit that holds for a period in a session above. */
export interface HandedPeriod {
  readonly kind: "turns" | "steps" | "tokens" | "cost" | "time";
  readonly per: Period;
  readonly max: number;
  /** Which session it is, of a limit per session. */
  readonly session?: string;
  readonly unpriced?: "warn" | "stop" | "tokens";
  readonly cacheReads?: boolean;
  readonly cacheWrites?: boolean;
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
  const { version, ...handed } = Object(parsed(text)) as Record<string, unknown>;
  return version === VERSION && isHandedDown(handed) ? handed : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isHandedDown(value: Record<string, unknown>): value is Record<string, unknown> & HandedDown {
  const { store, prompts, periods, ask } = value;
  return (
    typeof store === "string" &&
    store !== "" &&
    !store.includes("\0") &&
    Array.isArray(prompts) &&
    prompts.every(isPrompt) &&
    areDifferent(prompts.map(({ pool }) => pool)) &&
    Array.isArray(periods) &&
    periods.every(isPeriod) &&
    areDifferent(periods.map(({ kind, per, session }) => JSON.stringify([kind, per, session]))) &&
    (ask === undefined || (isObject(ask) && isId(ask.pool) && Number.isSafeInteger(ask.pid)))
  );
}

function isPrompt(value: unknown): boolean {
  if (!isObject(value) || !isId(value.pool) || !String(value.pool).startsWith(PROMPT)) return false;
  const { isOpen, tokens, cost, time } = value;
  return (
    isFlag(isOpen) &&
    isObject(tokens) &&
    (tokens.max === "unlimited" || isAmountOf("tokens", tokens.max)) &&
    isFlag(tokens.cacheReads) &&
    isFlag(tokens.cacheWrites) &&
    isObject(cost) &&
    isMax(cost.max) &&
    isUnpriced(cost.unpriced) &&
    (time === undefined || (isObject(time) && isAmount(time.max)))
  );
}

const KINDS: readonly unknown[] = ["turns", "steps", "tokens", "cost", "time"];
const WHOLE: readonly unknown[] = ["turns", "steps", "tokens"];

function isPeriod(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, per, max, session, unpriced, cacheReads, cacheWrites } = value;
  return (
    KINDS.includes(kind) &&
    PERIODS.some((period) => period === per) &&
    isAmountOf(kind, max) &&
    (per === "session" ? isId(session) : session === undefined) &&
    (unpriced === undefined || (kind === "cost" && isUnpriced(unpriced))) &&
    (cacheReads === undefined || (kind === "tokens" && isFlag(cacheReads))) &&
    (cacheWrites === undefined || (kind === "tokens" && isFlag(cacheWrites)))
  );
}

// Two that are the same would be one budget with two limits.
function areDifferent(names: readonly unknown[]): boolean {
  return new Set(names).size === names.length;
}

function isId(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !value.includes("@");
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isAmountOf(kind: unknown, value: unknown): boolean {
  return isAmount(value) && (!WHOLE.includes(kind) || Number.isSafeInteger(value));
}

function isMax(value: unknown): boolean {
  return value === "unlimited" || isAmount(value);
}

function isUnpriced(value: unknown): boolean {
  return value === "warn" || value === "stop" || value === "tokens";
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
