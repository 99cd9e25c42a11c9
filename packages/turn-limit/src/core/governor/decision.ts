import { type Check, check, count } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { LimitExceeded, StepLimitExceeded } from "../errors/limit-exceeded.ts";
import { type Boundary, boundaryAlone, isOwn, type Max, type Waits } from "../limits/boundary.ts";
import { reachedError } from "../words.ts";

/** The turn or step may begin; it has been counted. */
export interface Proceed {
  kind: "proceed";
  /** It is a call of the final tool: the answer, and no step. */
  isAnswer?: true;
  /** Of a turn: what the model is told of what it has left, as the last thing in this one request. */
  told?: string;
}

/**
 * Ask the person, and give the reply to `answer()`, together with this decision. Meanwhile the turn is held; with
 * `midTurn` the turn goes on.
 */
export interface Ask extends Boundary {
  kind: "ask";
  /** Tells one question from another. */
  id: number;
  midTurn?: true;
  /** The turn is held until the limit starts over, and nobody has to reply. A person may all the same. */
  waits?: Waits;
  /** How much a yes allows, where that is not `max`: more or less than the limit is set to was allowed before. */
  round?: Max;
}

/**
 * Find out whether the run got somewhere since the round of this limit began, and give what was found to `answer()`,
 * together with this decision: then another round begins, or the limit's policy says what happens. Meanwhile the turn is
 * held; with `midTurn` the turn goes on.
 */
export interface CheckProgress extends Boundary {
  kind: "check-progress";
  /** Tells one question from another. */
  id: number;
  /** How many turns began since the round did. */
  turns: number;
  midTurn?: true;
}

/** Did a run get somewhere? With what it was, if that is known: `{ progress: "3 files changed" }`. */
export type Verdict = boolean | { progress: string };

/**
 * What a person replies: to go on or not; to go on with this much; to go on without this limit until the next prompt; or
 * to let the held turn be one in which the model wraps up. `unanswered` says that no person replied, so that the limit's
 * `headless` policy is used.
 */
export type Reply = boolean | { more: number } | "unlimited" | "wrap-up" | "unanswered";

/** A reply that allows more. */
export type Yes = Exclude<Reply, false | "wrap-up" | "unanswered">;

/** The turn may begin; tell the model first, in this message, to stop working and deliver. */
export interface WrapUp {
  kind: "wrap-up";
  message: string;
  /** What the model is told of what it has left, after that. */
  told?: string;
}

/**
 * The turn may begin, as the run's last: offer the model no tools, or just the one with which it gives its answer, and tell
 * it this message.
 */
export interface Synthesize extends Boundary {
  kind: "synthesize";
  message: string;
  finalTool?: string;
}

/** The step must not begin: give the model this reason as the call's result. */
export interface Refuse extends Boundary {
  kind: "refuse";
  reason: string;
}

/** The step must not begin, as with {@link Refuse}, and the next turn will be the tools-free one. */
export interface RefuseAndSynthesize extends Boundary {
  kind: "synthesize";
  reason: string;
}

/** End the run. The turn must not begin. */
export interface Stop extends Boundary {
  kind: "stop";
  /**
   * Why: a person said no, a limit was hit and there was no person to ask, or more was sent or executed than had been
   * admitted.
   */
  outcome: "declined" | "stopped" | "limit-overrun";
  /** Must the host's call reject? {@link limitError} makes the error. */
  raises: boolean;
}

/** What the host has to do about the turn that is about to begin. */
export type TurnDecision = Proceed | Ask | CheckProgress | WrapUp | Synthesize | Stop;

/** What the host has to do about the tool call that is about to begin. */
export type StepDecision = Proceed | Refuse | RefuseAndSynthesize;

/**
 * What the host has to do when the time is up in the middle of a turn: ask, or find out whether the run got somewhere,
 * while the turn goes on; end the run; or cut off what is running, because the next turn will be the tools-free one.
 */
export type OverdueDecision = Ask | CheckProgress | Stop | RefuseAndSynthesize;

/** The turn must not begin, for a reason that does not end the run. */
export function notBegun(boundary: Boundary): Stop {
  const { unpriced } = boundary;
  const stop = { ...boundaryAlone(boundary), kind: "stop", outcome: "stopped", raises: false } as const;
  return unpriced ? { ...stop, unpriced } : stop;
}

export const PROCEED: Proceed = Object.freeze({ kind: "proceed" });

/** The call of the final tool may begin. */
export const ANSWERS: Proceed = Object.freeze({ kind: "proceed", isAnswer: true });

/** The error that the host's call must reject with if this stop raises; otherwise `undefined`. */
export function limitError(stop: Stop): LimitExceeded | undefined {
  const { raises, limit, identity, used, max } = stop;
  if (!raises || max === "unlimited") return undefined;
  if (isOwn(identity, "steps")) return new StepLimitExceeded(max);
  return new LimitExceeded(limit, used, max, reachedError(stop));
}

const positive: Check<number> = check(
  (value) => Number.isFinite(value) && (value as number) > 0,
  "a number above 0",
);

/** Checks a reply. `whole`: the limit counts units, so `more` must be a whole number. No reply at all is a no. */
export function requireReply(reply: unknown, whole: boolean): Reply {
  if (typeof reply === "boolean") return reply;
  if (reply === undefined || reply === null) return false;
  if (reply === "unlimited" || reply === "wrap-up" || reply === "unanswered") return reply;
  if (typeof reply !== "object" || !("more" in reply))
    throw new InvalidLimit(
      "reply",
      reply,
      'true, false, { more: … }, "unlimited", "wrap-up" or "unanswered"',
    );
  return { more: (whole ? count(1) : positive)(reply.more, "reply.more") };
}

/** Checks what was found of a run's progress. Nothing at all is none. */
export function requireVerdict(verdict: unknown): Verdict {
  if (typeof verdict === "boolean") return verdict;
  if (verdict === undefined || verdict === null) return false;
  const { progress } = Object(verdict);
  if (typeof progress === "string" && progress.trim() !== "") return { progress };
  throw new InvalidLimit("progress", verdict, "true, false, or { progress: … } with what it was");
}
