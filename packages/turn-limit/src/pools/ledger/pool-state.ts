import type { Reply } from "../../core/governor/decision.ts";
import type { Extended, LimitIdentity, Max, Waits } from "../../core/limits/boundary.ts";
import type { Readings } from "./readings.ts";
import type { Resumption } from "./resumption.ts";
import type { Maxima } from "./store.ts";
import type { KeepFor } from "./terms.ts";

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
  /** More was used than is known, because a model has no price. */
  unpriced?: true;
  /** How often the limit was extended without a question, if it was. */
  extended?: Extended;
  /** Nobody has to reply: the limit is waited for. */
  waits?: Waits;
  /** How much a yes allows, where that is not `max`. */
  round?: Max;
  /** The id of the process that asks, and the maximum that it set itself, where a reply depends on that. @internal */
  pid?: number;
  set?: number;
  /** When it was asked, and when it is no longer, in the store's time. */
  asked: number;
  until?: number;
  /** The reply that counts, once there is one, and by which change, when and where it was given, as far as that is known. */
  reply?: Reply;
  replied?: { key?: string; at: number; where?: string };
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
  /** Since when it is frozen, why, and where that was done. */
  frozen?: Order;
  /** When a freeze was last lifted: it was not lost with the record. */
  unfrozen?: number;
  /** The last changes, so that one that is made again is not made twice. */
  done: readonly string[];
}

/** Something that a person wants to happen: when it was said, why, and where. */
export interface Order {
  at: number;
  why: string;
  where?: string;
}

/** What holds for a record: for a pool without periods, or for one period of it. */
export interface RecordState {
  /** What was allowed in addition. */
  extra: Maxima;
  questions: Readonly<Record<string, PoolQuestion>>;
  /** What providers told of the windows of subscriptions: the newest readings. */
  readings?: Readings;
  /** What was done once for everyone, by names of its members' own. */
  marks?: readonly string[];
  /** When the run of this record was last told to stop. */
  stopped?: Order;
  /** Who goes on with the parked run of this record. */
  resumption?: Resumption;
  /** How often it was reset. What was granted before a reset cannot be given back after it. */
  resets?: number;
  /** The last changes, so that one that is made again is not made twice. Stores remember extensions for good. */
  done: readonly string[];
}

export const EMPTY_HEAD: PoolHead = { limits: {}, done: [] };

export const EMPTY_STATE: RecordState = { extra: {}, questions: {}, done: [] };

/** What members see of a pool. */
export function seenState(head: PoolHead, state: RecordState): PoolState {
  const { limits, zone, keepFor, frozen, unfrozen } = head;
  const { extra, questions, marks, readings, stopped, resumption, resets } = state;
  return {
    limits,
    extra,
    questions,
    ...(zone !== undefined && { zone }),
    ...(keepFor !== undefined && { keepFor }),
    ...(frozen && { frozen }),
    ...(unfrozen !== undefined && { unfrozen }),
    ...(marks && { marks }),
    ...(readings && { readings }),
    ...(stopped && { stopped }),
    ...(resumption && { resumption }),
    ...(resets !== undefined && { resets }),
  };
}
