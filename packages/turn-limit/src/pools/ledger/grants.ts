import type { Reply } from "../../core/governor/decision.ts";
import type { ExtensionRound } from "../../core/governor/run-state.ts";
import type { Max } from "../../core/limits/boundary.ts";
import { of } from "./amounts.ts";
import type { Change } from "./pool-changes.ts";
import type { PoolQuestion, RecordState } from "./pool-state.ts";

/** The person who makes a change, for others to read; or the run that extends a limit by itself. */
export interface ByPerson {
  /** Where it was done, as it follows "Answered": `on the phone`, `in the terminal`, `with turn-limit pools`, `by itself`. */
  where: string;
  /** What it was done to, as people know it: the run, the pool, or the member that asked. */
  to: string;
}

/**
 * What a person decided about a run or a pool, and when; or what a run was given without a question, because it got somewhere.
 * Stores keep it also when the run is gone.
 */
export interface Grant extends ByPerson {
  /** The key of the change: of two with the same there is one. */
  key: string;
  /** The record that was changed. */
  record: string;
  /** In the store's time. */
  at: number;
  /** What was done: the kind of the change. */
  did: Change["kind"];
  /** An answer: to which question, and what it was. */
  question?: Pick<PoolQuestion, "id" | "limit" | "identity" | "used" | "max" | "round" | "why">;
  reply?: Reply;
  /** An extension: of what, and by how much, in units of `Amounts`. */
  measure?: string;
  by?: Max;
  /** A freeze or a stop: why. */
  why?: string;
  /** Another round without a question: of what, how much it admits, which one it is, and what for. */
  round?: ExtensionRound;
}

/** How many are kept: of a whole store, or, by a store on many servers, of each pool and run. */
export const REMEMBERED_GRANTS = 1_000;
export const REMEMBERED_GRANTS_OF_ONE = 100;

/** How many milliseconds a store on servers keeps those of a pool or run after the last one. */
export const GRANTS_KEPT = 31 * 86_400_000;

/** What is kept of a change that was made. `undefined`: no person made it. */
export function grantOf(
  record: string,
  change: Change,
  { questions }: Pick<RecordState, "questions">,
  now: number,
): Grant | undefined {
  const { person, key, kind } = change;
  if (!person) return undefined;
  const { where, to } = person;
  const grant: Grant = { key, record, at: now, did: kind, where, to };
  if (change.kind === "extend") return { ...grant, measure: change.measure, by: change.by };
  if (change.kind === "round") return { ...grant, round: change.round };
  if (change.kind === "freeze" || change.kind === "stop") return { ...grant, why: change.why };
  if (change.kind !== "answer") return grant;
  const asked = of(questions, change.question);
  return { ...grant, reply: change.reply, ...(asked && { question: askedAbout(asked) }) };
}

function askedAbout(asked: PoolQuestion): NonNullable<Grant["question"]> {
  const { id, limit, identity, used, max, round, why } = asked;
  const more = { ...(round !== undefined && { round }), ...(why !== undefined && { why }) };
  return { id, limit, used, max, ...(identity && { identity }), ...more };
}

/** The last of them, in their order. */
export function lastGrants(grants: readonly Grant[]): Grant[] {
  return [...grants].sort((one, other) => one.at - other.at).slice(-REMEMBERED_GRANTS);
}
