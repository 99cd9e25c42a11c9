import type { GovernedRuns } from "./GovernedRuns.ts";

/** Puts the signal of the run under way beside the caller's, which is mostly the same in all requests of a run. */
export function cutOffSignals(runs: GovernedRuns): (callers: AbortSignal | undefined) => AbortSignal {
  let known: { callers: AbortSignal; cutOff: AbortSignal; either: AbortSignal } | undefined;
  return (callers) => {
    const { cutOff } = runs;
    if (!callers) return cutOff;
    if (known?.callers !== callers || known.cutOff !== cutOff) {
      known = { callers, cutOff, either: AbortSignal.any([callers, cutOff]) };
    }
    return known.either;
  };
}
