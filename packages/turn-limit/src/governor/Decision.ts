import type { Max } from "../limits/Max.ts";

/** The limits a governor can hold: those of its options, of single tools, and of one's own. */
export type LimitName =
  | "turns"
  | "steps"
  | "tokens"
  | "cost"
  | "time"
  | "repeats"
  | `tools.${string}`
  | (string & {});

/** Where a limit stood when it was hit. Tokens and steps are counted, cost is in US dollars, time in milliseconds. */
export interface Boundary {
  limit: LimitName;
  used: number;
  max: Max;
  /** What is used of a cost limit is not all of it: a model has no price. */
  unpriced?: true;
}

/** The turn or step may begin; it has been counted. */
export interface Proceed {
  kind: "proceed";
}

/** Ask the person, hold the turn meanwhile, and give the reply to `answer()`. */
export interface Ask extends Boundary {
  kind: "ask";
}

/**
 * What a person replies: to go on or not; to go on with this much; to go on without this limit until the next prompt; or
 * to let the held turn be one in which the model wraps up.
 */
export type Reply = boolean | { more: number } | "unlimited" | "wrap-up";

/** The turn may begin; tell the model first, in this message, to stop working and deliver. */
export interface WrapUp {
  kind: "wrap-up";
  message: string;
}

/** The turn may begin, as the run's last: offer the model no tools, and tell it this message. */
export interface Synthesize extends Boundary {
  kind: "synthesize";
  message: string;
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
   * Why: a person said no, a limit was hit and nobody could be asked, or more was sent or executed than had been
   * admitted.
   */
  outcome: "declined" | "stopped" | "limit-overrun";
}

/** What the host has to do about the turn that is about to begin. */
export type TurnDecision = Proceed | Ask | WrapUp | Synthesize | Stop;

/** What the host has to do about the tool call that is about to begin. */
export type StepDecision = Proceed | Refuse | RefuseAndSynthesize;

/**
 * What the host has to do when the time is up in the middle of a turn: ask, while the turn goes on; end the run; or cut
 * off what is under way, for the next turn will be the tools-free one.
 */
export type OverdueDecision = Ask | Stop | RefuseAndSynthesize;
