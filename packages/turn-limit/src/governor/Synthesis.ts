import type { Boundary, Synthesize } from "./Decision.ts";

/** What the model is told in the tools-free turn, unless the host has a better text. */
export const DEFAULT_SYNTHESIS_MESSAGE =
  "Your budget for this task is used up, and you have no tools any more. Answer now, from what you have found " +
  "so far. Say what you know, what you could not find out, and what is left to do.";

/** The tools-free turn of a run that is out of budget: which limit made it due, and whether it has begun. */
export interface Synthesis extends Boundary {
  begun: boolean;
}

/** The decision that lets the tools-free turn begin. */
export function synthesize({ begun: _, ...boundary }: Synthesis, message: string): Synthesize {
  return { ...boundary, kind: "synthesize", message };
}
