import type { Reply } from "../../core/governor/decision.ts";
import { type LimitIdentity, labelOf } from "../../core/limits/boundary.ts";
import { builtIn } from "../../core/limits/kinds.ts";
import { type Amount, amountOf } from "../../core/text/amounts.ts";
import { MOST, toUnits } from "../units.ts";

// What a person types, or a program prints, to answer a question.

/** A limit as it is named where it is reached. Records of earlier versions do not say what it is. */
export interface NamedLimit {
  readonly limit: string;
  readonly identity?: LimitIdentity | null | undefined;
}

/** Replies by the words for them. */
export const REPLIES: Readonly<Record<string, Reply>> = {
  yes: true,
  no: false,
  unlimited: "unlimited",
  "wrap-up": "wrap-up",
};

/** The reply in a text: a word, or how much more is allowed. `undefined`: it is none. */
export function replyIn(text: string, limit: NamedLimit): Reply | undefined {
  const word = text.toLowerCase();
  if (Object.hasOwn(REPLIES, word)) return REPLIES[word];
  const measure = measureOf(limit);
  const more = amountFor(measure).parse(text);
  return more !== undefined && isCountable(measure, more) ? { more } : undefined;
}

/** What a limit measures: `cost` for the limit `cost of pool research`. A window of a subscription is a measure of its own. */
export function measureOf({ limit, identity }: NamedLimit): string {
  if (!identity || identity.kind === "custom") return limit;
  const { kind, tool, per } = identity;
  if (kind === "plan" && per !== undefined) return labelOf({ kind, per });
  return labelOf({ kind, ...(tool !== undefined && { tool }) });
}

/** How amounts of a measure are read. What is typed is always more: one or more. */
export function amountFor(measure: string): Amount {
  return amountOf(builtIn(measure) ?? { kind: "custom" }, 1);
}

/** What a limit measures, by what it is called: `cost` for `cost per day`. */
export function measureCalled(limit: string): string {
  const own = SHARED.exec(limit)?.[1] ?? limit;
  return builtIn(own) ? own : limit;
}

const SHARED = /^(\S+) (?:of pool .+|per (?:session|day|week|month))$/;

/** Is it above zero, and not more than stores can count? */
export function isCountable(measure: string, amount: number): boolean {
  const stored = toUnits(measure, amount);
  return stored > 0 && stored < MOST;
}
