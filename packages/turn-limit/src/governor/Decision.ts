import type { Max } from "../limits/Max.ts";

/** The limits a governor can hold. */
export type LimitName = "turns" | "steps";

/** Where a limit stood when it was hit. */
export interface Boundary {
  limit: LimitName;
  used: number;
  max: Max;
}

/** The turn or step may begin; it has been counted. */
export interface Proceed {
  kind: "proceed";
}

/** Ask the person, hold the turn meanwhile, and give the reply to `answer()`. */
export interface Ask extends Boundary {
  kind: "ask";
}

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
  /** Why: a person said no, or a limit was hit and nobody could be asked. */
  outcome: "declined" | "stopped";
}

/** What the host has to do about the turn that is about to begin. */
export type TurnDecision = Proceed | Ask | WrapUp | Synthesize | Stop;

/** What the host has to do about the tool call that is about to begin. */
export type StepDecision = Proceed | Refuse | RefuseAndSynthesize;
