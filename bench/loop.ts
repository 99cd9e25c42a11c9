import { beingSeen, comparisonOf } from "./adapters.ts";
import type { Builds } from "./builds.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";

/** In nanoseconds, for a run that is long enough for its beginning not to matter. */
const goals: Record<number, number> = { 1000: 700, 100000: 700 };

/** A loop written by hand, which costs next to nothing itself. */
export async function loop(builds: Builds): Promise<Measurement[]> {
  const { native = "none", hooks, times } = await comparisonOf("loop", builds);
  const figures = times.map(
    ({ turns, ns: { now, before, none, native: counted, hooks: awaiting } }): Measurement => ({
      figure: `A turn of ${count(turns)}`,
      unit: "ns",
      now,
      before,
      base: { name: native, samples: counted ?? none },
      floor: hooks && awaiting ? { name: hooks, samples: awaiting } : undefined,
      goal: goals[turns] ? { atMost: goals[turns], compared: "more" } : undefined,
    }),
  );
  const longest = times.at(-1);
  return [...figures, ...(longest ? beingSeen(`A turn of ${count(longest.turns)}`, longest.ns) : [])];
}
