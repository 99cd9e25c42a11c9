import { z } from "zod";
import type { Outcome } from "../../governor/Outcome.ts";

/** What the limits add to the state of an agent. */
export const stateSchema = z.object({
  turnLimitOutcome: z.any().optional() as z.ZodOptional<z.ZodType<Outcome>>,
});
