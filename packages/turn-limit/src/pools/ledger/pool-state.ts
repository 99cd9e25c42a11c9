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
  /** The id of the process that asks, and the maximum that it set itself, where a reply depends on that. @internal */
  pid?: number;
  set?: number;
  /** When it was asked, and when it is no longer, in the store's time. */
  asked: number;
  until?: number;
  /** The reply that counts, once there is one. */
  reply?: Reply;
}

/** What holds for all members of a pool, and changes seldom. */
export interface PoolState {
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
  state: PoolState;
  now: number;
}

export const EMPTY_STATE: PoolState = { limits: {}, extra: {}, questions: {}, done: [] };

const REMEMBERED = 20;

/** The state of a pool after a change, which is the same object if nothing changes. */
export function changedState(state: PoolState, change: Change, now: number): PoolState {
  if (state.done.includes(change.key)) return state;
  const after = change.kind === "answer" ? answered(state, change, now) : changed(state, change, now);
  return after === state ? state : { ...after, done: [...state.done, change.key].slice(-REMEMBERED) };
}

function changed(state: PoolState, change: Exclude<Change, { kind: "answer" }>, now: number): PoolState {
  switch (change.kind) {
    case "extend":
      return {
        ...state,
        extra: { ...state.extra, [change.measure]: sum(of(state.extra, change.measure), change.by) },
      };
    case "end-extension":
      return { ...state, extra: without(state.extra, change.measure) };
    case "limits":
      return { ...state, limits: { ...change.limits } };
    case "freeze":
      return { ...state, frozen: { at: now, why: change.why } };
    case "unfreeze": {
      const { frozen: _, ...thawed } = state;
      return thawed;
    }
    case "reset":
      return { ...state, extra: {} };
    case "ask": {
      const { question, within } = change;
      const until = within === undefined ? {} : { until: now + within };
      const questions = {
        ...current(state.questions, now),
        [question.id]: { ...question, asked: now, ...until },
      };
      return { ...state, questions };
    }
    case "withdraw":
      return { ...state, questions: without(state.questions, change.question) };
    case "mark":
      return state.marks?.includes(change.mark)
        ? state
        : { ...state, marks: [...(state.marks ?? []), change.mark] };
  }
}

// The first reply counts, if it comes in time.
function answered(
  state: PoolState,
  { question: id, reply }: Change & { kind: "answer" },
  now: number,
): PoolState {
  const question = of(state.questions, id);
  const isOver = question?.until !== undefined && now >= question.until;
  if (!question || question.reply !== undefined || isOver) return state;
  return { ...state, questions: { ...state.questions, [id]: { ...question, reply } } };
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

function current(questions: PoolState["questions"], now: number): PoolState["questions"] {
  const isCurrent = ({ until, asked }: PoolQuestion) => now < (until ?? asked + LONGEST) + LONGEST;
  return Object.fromEntries(Object.entries(questions).filter(([, question]) => isCurrent(question)));
}
