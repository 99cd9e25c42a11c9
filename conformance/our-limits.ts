import type { AdapterOptions } from "../packages/turn-limit/src/adapters/loop/index.ts";
import type { Trial } from "./contender.ts";

/** The limits of turn-limit in a trial. */
export function ourLimits({ turns, steps, wantsAnswer, pool }: Trial): AdapterOptions {
  const max = pool ? undefined : turns;
  return {
    turns: { max: max ?? "unlimited", headless: wantsAnswer ? "synthesize" : "stop" },
    steps: steps ?? "unlimited",
    ...(pool && { pool }),
  };
}
