import type { RunContext } from "@openai/agents";
import type { GovernedLoop } from "./governed-loop.ts";

type Context = RunContext<unknown>;

const loops = new WeakMap<Context, GovernedLoop>();

/** The loop that a context belongs to, if it is under limits. */
export function loopOf(context: unknown): GovernedLoop | undefined {
  return loops.get(context as Context);
}

/** What runs with this context belongs to this loop. */
export function governContext(context: Context, loop: GovernedLoop): void {
  loops.set(context, loop);
}

/** The run of this context is over. */
export function releaseContext(context: Context): void {
  loops.delete(context);
}
