import type { AdapterOptions } from "../shared/AdapterOptions.ts";

/** Can one of the limits end a run with an answer made without tools? */
export function maySynthesize({
  turns,
  steps,
  tokens,
  cost,
  time,
  tools = {},
  repeats,
  limits = [],
}: AdapterOptions): boolean {
  const all: unknown[] = [turns, steps, tokens, cost, time, ...Object.values(tools), repeats, ...limits];
  return all.some(isFollowedByAnswer);
}

function isFollowedByAnswer(limit: unknown): boolean {
  const { onExhausted, headless } = Object(limit) as Record<string, unknown>;
  return onExhausted === "synthesize" || headless === "synthesize";
}
