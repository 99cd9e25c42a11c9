import type { Reply } from "../../core/governor/decision.ts";
import type { LimitIdentity, Max } from "../../core/limits/boundary.ts";
import { of } from "./amounts.ts";
import type { Maxima } from "./store.ts";

/** A question of a member to whoever watches the pool. */
export interface PoolQuestion {
  id: string;
  /** Who asks, and what it is called. */
  member: string;
  name: string;
  /** What is used up: what the limit is called, what it is, and in its own units. Records of version 0.1 say no identity. */
  limit: string;
  identity?: LimitIdentity;
  used: number;
  max: Max;
  /** Why, where a number does not say it. */
  why?: string;
  /** The process that asks, and what the limit is set to there, where whoever answers has to know that. @internal */
  pid?: number;
  set?: number;
  /** When it was asked, and when it is no longer, in the store's time. */
  asked: number;
  until?: number;
  /** The reply that counts, once there is one. */
  reply?: Reply;
}

/** What holds for all members of a pool, and changes seldom. */
export interface Head {
  /** What the owner of the pool admits, for members that bring no limits of their own. */
  limits: Maxima;
  /** What was allowed in addition. */
  extra: Maxima;
  /** Since when it is frozen, and why. */
  frozen?: { at: number; why: string };
  questions: Readonly<Record<string, PoolQuestion>>;
  /** What was done once for everyone, by names of its members' own. */
  marks?: readonly string[];
  /** The last changes, so that one that is made again is not made twice. */
  done: readonly string[];
}

/** Something that is changed for all members. `key` tells one change from another that looks the same. */
export type Change = { key: string } & (
  | { kind: "extend"; measure: string; by: Max }
  | { kind: "end-extension"; measure: string }
  | { kind: "limits"; limits: Maxima }
  | { kind: "freeze"; why: string }
  | { kind: "unfreeze" }
  | { kind: "reset" }
  | { kind: "ask"; question: Omit<PoolQuestion, "asked" | "reply" | "until">; within?: number }
  | { kind: "answer"; question: string; reply: Reply }
  | { kind: "withdraw"; question: string }
  | { kind: "mark"; mark: string }
);

/** What came of a change. */
export interface Changed {
  /** Was it made? `false`: there is no such question, it has been answered, or the mark was there. */
  made: boolean;
  head: Head;
  now: number;
}

export const EMPTY_HEAD: Head = { limits: {}, extra: {}, questions: {}, done: [] };

const REMEMBERED = 20;

/** The head after a change, which is the same object if nothing changes. */
export function changedHead(head: Head, change: Change, now: number): Head {
  if (head.done.includes(change.key)) return head;
  const after = change.kind === "answer" ? answered(head, change, now) : changed(head, change, now);
  return after === head ? head : { ...after, done: [...head.done, change.key].slice(-REMEMBERED) };
}

function changed(head: Head, change: Exclude<Change, { kind: "answer" }>, now: number): Head {
  switch (change.kind) {
    case "extend":
      return {
        ...head,
        extra: { ...head.extra, [change.measure]: sum(of(head.extra, change.measure), change.by) },
      };
    case "end-extension":
      return { ...head, extra: without(head.extra, change.measure) };
    case "limits":
      return { ...head, limits: { ...change.limits } };
    case "freeze":
      return { ...head, frozen: { at: now, why: change.why } };
    case "unfreeze": {
      const { frozen: _, ...thawed } = head;
      return thawed;
    }
    case "reset":
      return { ...head, extra: {} };
    case "ask": {
      const { question, within } = change;
      const until = within === undefined ? {} : { until: now + within };
      const questions = {
        ...current(head.questions, now),
        [question.id]: { ...question, asked: now, ...until },
      };
      return { ...head, questions };
    }
    case "withdraw":
      return { ...head, questions: without(head.questions, change.question) };
    case "mark":
      return head.marks?.includes(change.mark)
        ? head
        : { ...head, marks: [...(head.marks ?? []), change.mark] };
  }
}

// The first reply counts, if it comes in time.
function answered(head: Head, { question: id, reply }: Change & { kind: "answer" }, now: number): Head {
  const question = of(head.questions, id);
  const isOver = question?.until !== undefined && now >= question.until;
  if (!question || question.reply !== undefined || isOver) return head;
  return { ...head, questions: { ...head.questions, [id]: { ...question, reply } } };
}

/** How much a pool admits, with what was allowed in addition. */
export function sum(one: Max | undefined, other: Max | undefined): Max {
  if (one === "unlimited" || other === "unlimited") return "unlimited";
  return (one ?? 0) + (other ?? 0);
}

function without<T>(from: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
}

// Questions whose askers are gone have no end of their own. A day is long enough for any of them.
const LONGEST = 86_400_000;

function current(questions: Head["questions"], now: number): Head["questions"] {
  const isCurrent = ({ until, asked }: PoolQuestion) => now < (until ?? asked + LONGEST) + LONGEST;
  return Object.fromEntries(Object.entries(questions).filter(([, question]) => isCurrent(question)));
}
