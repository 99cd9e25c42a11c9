import { comparisonOf } from "./adapters.ts";
import type { Builds } from "./builds.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";

/** In nanoseconds, for a run that is long enough for its beginning not to matter. */
const goals: Record<number, number> = { 1000: 700, 100000: 700 };

/** A loop written by hand, which costs next to nothing itself. */
export async function loop(builds: Builds): Promise<Measurement[]> {
  const { native = "none", times } = await comparisonOf("loop", builds);
  return times.map(({ turns, ns: { now, before, none, native: counted } }) => ({
    figure: `A turn of ${count(turns)}`,
    unit: "ns",
    now,
    before,
    base: { name: native, samples: counted ?? none },
    goal: goals[turns] ? { atMost: goals[turns], compared: "more" } : undefined,
  }));
}
