import type { Max } from "turn-limit";
import type { Amount } from "./Amount.ts";
import { isUnlimited } from "./grammar.ts";
import type { Headless, OnBudgetExhausted } from "./LimitValues.ts";

/** One thing that can be configured about a budget. */
export interface Setting<Value> {
  /** What it is called in messages, for example `token limit`. */
  readonly name: string;
  /** The value when nobody says otherwise. */
  readonly initial: Value;
  /** The forms that a settings file may have it in, in words. */
  readonly allowed: readonly string[];
  /** Returns `value` if it is a value of this setting. */
  of(value: unknown): Value | undefined;
  /** Reads what a settings file says. */
  read(value: unknown): Value | undefined;
  /** The value as it stands in a message. */
  format(value: Value): string;
  /** Why a project may not say `theirs` where the person says `yours`; nothing if it may. */
  objection(theirs: Value, yours: Value): string | undefined;
}

/** How much there is of a budget. */
export function maximum(name: string, amount: Amount): Setting<Max> {
  const format = (max: Max) => (max === "unlimited" ? max : amount.format(max));
  return {
    name,
    initial: "unlimited",
    allowed: [...amount.allowed, '"unlimited"'],
    of: (value) => (isUnlimited(value) ? "unlimited" : amount.of(value)),
    read: (value) => (isUnlimited(value) ? "unlimited" : amount.read(value)),
    format,
    objection: (theirs, yours) => (admitsMore(theirs, yours) ? notRaised(format(yours)) : undefined),
  };
}

/** How much of a budget is kept back. As much as the limit or more counts as none: raising it could switch it off. */
export function reserve(name: string, amount: Amount): Setting<number> {
  return {
    name,
    initial: 0,
    allowed: amount.allowed,
    of: amount.of,
    read: amount.read,
    format: amount.format,
    objection: (theirs, yours) =>
      yours > 0 && theirs !== yours
        ? `a project may not change your reserve of ${amount.format(yours)}`
        : undefined,
  };
}

/** One of several words, of which a project may only choose the strictest. */
export function policy<Word extends string>(
  name: string,
  words: readonly [initial: Word, ...others: Word[]],
  strictest: NoInfer<Word>,
): Setting<Word> {
  return choice(name, words, (theirs, yours) => {
    if (theirs === yours || theirs === strictest) return undefined;
    return yours === strictest
      ? `a project may not change your "${yours}"`
      : `a project may change your "${yours}" only to "${strictest}"`;
  });
}

/** What to do when a budget is used up and someone can be asked. */
export function exhaustionPolicy(name: string): Setting<OnBudgetExhausted> {
  return policy(name, ["ask", "stop", "synthesize"], "stop");
}

/** What to do when a budget is used up and nobody can be asked. */
export function headlessPolicy(name: string): Setting<Headless> {
  return policy(name, ["stop", "synthesize"], "stop");
}

/** One of several words, which only the person chooses. */
export function ownChoice<Word extends string>(
  name: string,
  words: readonly [initial: Word, ...others: Word[]],
  why: string,
): Setting<Word> {
  return choice(name, words, (theirs, yours) => (theirs === yours ? undefined : why));
}

/** Whether something counts towards a budget. */
export function counting(name: string): Setting<boolean> {
  const of = (value: unknown) => (typeof value === "boolean" ? value : undefined);
  return {
    name,
    initial: false,
    allowed: ["true or false"],
    of,
    read: of,
    format: String,
    objection: (theirs, yours) => (yours && !theirs ? "a project may switch it on, not off" : undefined),
  };
}

/** Does `max` admit more than `other`? */
export function admitsMore(max: Max, other: Max): boolean {
  if (other === "unlimited") return false;
  return max === "unlimited" || max > other;
}

/** Why a project may not raise a limit. */
export function notRaised(yours: string): string {
  return `a project may lower your limit of ${yours}, not raise it`;
}

function choice<Word extends string>(
  name: string,
  words: readonly [initial: Word, ...others: Word[]],
  objection: Setting<Word>["objection"],
): Setting<Word> {
  const of = (value: unknown) => words.find((word) => word === value);
  const quoted = words.map((word) => `"${word}"`);
  return {
    name,
    initial: words[0],
    allowed: [`${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`],
    of,
    read: of,
    format: (word) => `"${word}"`,
    objection,
  };
}
