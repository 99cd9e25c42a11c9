import type { Reply } from "../../core/governor/decision.ts";
import type { LimitIdentity, Max } from "../../core/limits/boundary.ts";
import { of } from "./amounts.ts";
import type { Maxima } from "./store.ts";
import { agreed, disagreement, type KeepFor, type Terms } from "./terms.ts";

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

/** What holds for all members of a pool, and changes seldom: its head, and the state of the record. */
export type PoolState = Omit<PoolHead & RecordState, "done">;

/** What holds for a pool in every period. */
export interface PoolHead {
  /** How much the pool admits. */
  limits: Maxima;
  /** The time zone of its periods, and for how long its record is kept. */
  zone?: string;
  keepFor?: KeepFor;
  /** Since when it is frozen, and why. */
  frozen?: { at: number; why: string };
  /** The last changes, so that one that is made again is not made twice. */
  done: readonly string[];
}

/** What holds for a record: for a pool without periods, or for one period of it. */
export interface RecordState {
  /** What was allowed in addition. */
  extra: Maxima;
  questions: Readonly<Record<string, PoolQuestion>>;
  /** What was done once for everyone, by names of its members' own. */
  marks?: readonly string[];
  /** How often it was reset. What was granted before a reset cannot be given back after it. */
  resets?: number;
  /** The last changes, so that one that is made again is not made twice. Stores remember extensions for good. */
  done: readonly string[];
}

/** Something that is changed for all members. `key` tells one change from another that looks the same. */
export type Change = HeadChange | RecordChange;

/** A change of what holds for a pool in every period. */
export type HeadChange = { key: string } & (
  | {
      /** A member joins. Its terms must be those that are recorded; `otherwise` is recorded where neither says anything. */
      kind: "join";
      terms: Terms;
      otherwise: Terms;
    }
  | { kind: "terms"; terms: Terms }
  | { kind: "limits"; limits: Maxima }
  | { kind: "freeze"; why: string }
  | { kind: "unfreeze" }
);

/** A change of what holds for a record. */
export type RecordChange = { key: string } & (
  | { kind: "extend"; measure: string; by: Max }
  | { kind: "end-extension"; measure: string }
  | { kind: "reset" }
  | { kind: "ask"; question: Omit<PoolQuestion, "asked" | "reply" | "until">; within?: number }
  | { kind: "answer"; question: string; reply: Reply }
  | { kind: "withdraw"; question: string }
  | { kind: "mark"; mark: string }
);

/** What came of a change. */
export interface Changed {
  /**
   * Was it made? `false`: there is no such question, it has been answered, the mark was there, or the member that joins
   * has other terms than the pool.
   */
  made: boolean;
  state: PoolState;
  now: number;
}

/** What a change makes of a head or of a state: the same object if nothing changes. */
export interface Result<T> {
  made: boolean;
  after: T;
}

export const EMPTY_HEAD: PoolHead = { limits: {}, done: [] };

export const EMPTY_STATE: RecordState = { extra: {}, questions: {}, done: [] };

/** What members see of a pool. */
export function seenState(head: PoolHead, state: RecordState): PoolState {
  const { limits, zone, keepFor, frozen } = head;
  const { extra, questions, marks, resets } = state;
  return {
    limits,
    extra,
    questions,
    ...(zone !== undefined && { zone }),
    ...(keepFor !== undefined && { keepFor }),
    ...(frozen && { frozen }),
    ...(marks && { marks }),
    ...(resets !== undefined && { resets }),
  };
}

const REMEMBERED = 20;

export function isHeadChange(change: Change): change is HeadChange {
  return ["join", "terms", "limits", "freeze", "unfreeze"].includes(change.kind);
}

/** The head of a pool after a change. */
export function changedHead(head: PoolHead, change: HeadChange, now: number): Result<PoolHead> {
  if (change.kind === "join") {
    const { terms, otherwise } = change;
    if (disagreement(head, terms)) return { made: false, after: head };
    return { made: true, after: agreed(agreed(head, terms), otherwise) };
  }
  if (head.done.includes(change.key)) return { made: true, after: head };
  const done = [...head.done, change.key].slice(-REMEMBERED);
  if (change.kind === "terms") {
    const limits = { ...head.limits, ...change.terms.limits };
    return { made: true, after: { ...head, ...change.terms, limits, done } };
  }
  if (change.kind === "limits") return { made: true, after: { ...head, limits: { ...change.limits }, done } };
  if (change.kind === "unfreeze") {
    const { frozen: _, ...thawed } = head;
    return { made: true, after: { ...thawed, done } };
  }
  return { made: true, after: { ...head, frozen: { at: now, why: change.why }, done } };
}

/** The state of a record after a change. `isDone`: the store knows that it was made before. */
export function changedState(
  state: RecordState,
  change: RecordChange,
  now: number,
  isDone = false,
): Result<RecordState> {
  if (isDone || state.done.includes(change.key)) return { made: true, after: state };
  const after = change.kind === "answer" ? answered(state, change, now) : changed(state, change, now);
  if (after === state) return { made: false, after };
  if (change.kind === "extend") return { made: true, after };
  return { made: true, after: { ...after, done: [...state.done, change.key].slice(-REMEMBERED) } };
}

function changed(
  state: RecordState,
  change: Exclude<RecordChange, { kind: "answer" }>,
  now: number,
): RecordState {
  switch (change.kind) {
    case "extend":
      return {
        ...state,
        extra: { ...state.extra, [change.measure]: sum(of(state.extra, change.measure), change.by) },
      };
    case "end-extension":
      return { ...state, extra: without(state.extra, change.measure) };
    case "reset":
      return { ...state, extra: {}, resets: (state.resets ?? 0) + 1 };
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
  state: RecordState,
  { question: id, reply }: RecordChange & { kind: "answer" },
  now: number,
): RecordState {
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

function current(questions: RecordState["questions"], now: number): RecordState["questions"] {
  const isCurrent = ({ until, asked }: PoolQuestion) => now < (until ?? asked + LONGEST) + LONGEST;
  return Object.fromEntries(Object.entries(questions).filter(([, question]) => isCurrent(question)));
}
