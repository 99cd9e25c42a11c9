import type { Max } from "../limits/Max.ts";

/** The limits a governor can hold. */
export type LimitName = "turns";

/** Where a limit stood when it was hit. */
export interface Boundary {
  limit: LimitName;
  used: number;
  max: Max;
}

/** The turn may begin; it has been counted. */
export interface Proceed {
  kind: "proceed";
}

/** Ask the person, hold the turn meanwhile, and give the reply to `answer()`. */
export interface Ask extends Boundary {
  kind: "ask";
}

/** End the run. The turn must not begin. */
export interface Stop extends Boundary {
  kind: "stop";
  /** Why: a person said no, or nobody could be asked. */
  outcome: "declined" | "stopped";
}

/** What the host has to do about the turn that is about to begin. */
export type TurnDecision = Proceed | Ask | Stop;
