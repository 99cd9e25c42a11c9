import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { SavedRun } from "./saved-run.ts";

/** What the limits add to the state of an agent. */
export const stateSchema = z.object({
  turnLimitOutcome: z.any().optional() as z.ZodOptional<z.ZodType<Outcome>>,
  /** Which run it is, and what it has left, for an invocation that resumes it. */
  _turnLimitRun: z.any().optional() as z.ZodOptional<z.ZodType<SavedRun>>,
});

/** The state as the hooks see it. */
export interface AgentState extends z.infer<typeof stateSchema> {
  messages: BaseMessage[];
}
