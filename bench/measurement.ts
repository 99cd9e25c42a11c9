import type { Builds } from "./builds.ts";
import { excess, excessInterval, type Interval, median, ratio, ratioInterval } from "./statistics.ts";

/** How the numbers of a measurement are written. */
export type Unit = "ns" | "ms" | "bytes" | "per second" | "instructions" | "of a core";

/**
 * What a figure should come to. `times` and `more` compare with the base (or, for `than: "floor"`, with the floor);
 * without either, the goal is about the figure itself, in the unit of its samples. `orFloor`: as much as the floor is
 * enough.
 */
export interface Goal {
  atMost?: number;
  atLeast?: number;
  compared?: "times" | "more";
  than?: "base" | "floor";
  orFloor?: boolean;
}

/**
 * One figure: what a part of the benchmark hands over. The samples of one round are side by side: `now[3]` was measured
 * next to `base[3]`.
 */
export interface Measurement {
  figure: string;
  unit: Unit;
  now: readonly number[];
  /** The build before. Left out if this clone does not have it. */
  before?: readonly number[] | undefined;
  /** Without us: no limiter, the host's own limiter, a bare command or a bare proxy. */
  base?: { name: string; samples: readonly number[] } | undefined;
  /** The least that anybody in our place could take: an empty hook, script or transaction. */
  floor?: { name: string; samples: readonly number[] } | undefined;
  goal?: Goal | undefined;
}

/** One part of the benchmark, which can be run alone. It has the builds to compare, and about `seconds` to do it. */
export interface Part {
  title: string;
  seconds: number;
  measure(builds: Builds): Promise<Measurement[]>;
}

/** What a measurement comes to. */
export interface Row {
  figure: string;
  unit: Unit;
  base?: { name: string; value: number } | undefined;
  floor?: { name: string; value: number } | undefined;
  before?: number | undefined;
  now: number;
  /** In times, each with the interval of the true ratio. */
  timesBase?: Interval | undefined;
  timesBefore?: Interval | undefined;
  moreThanBase?: Interval | undefined;
  goal?: Goal | undefined;
  verdict?: Verdict | undefined;
}

/** `near` says that the interval contains the goal: another run may come to the opposite. */
export interface Verdict {
  met: boolean;
  near: boolean;
  /** What is there only if the goal is missed, and the floor misses it as well: nobody can reach it. */
  outOfReach?: OutOfReach | undefined;
}

/** The floor by the measure of the goal, and ours beside the floor: how many times as much it is, or how much more. */
export interface OutOfReach {
  /** The interval of the floor contains the goal. */
  near: boolean;
  floor: number;
  ours: number;
}

export function rowOf({ figure, unit, now, before, base, floor, goal }: Measurement): Row {
  return {
    figure,
    unit,
    now: median(now),
    before: before && median(before),
    base: base && { name: base.name, value: median(base.samples) },
    floor: floor && { name: floor.name, value: median(floor.samples) },
    timesBase: base && ratioInterval(now, base.samples),
    moreThanBase: base && excessInterval(now, base.samples),
    timesBefore: before && ratioInterval(now, before),
    goal,
    verdict: goal && verdictFor(goal, { now, base, floor, figure }),
  };
}

type Measured = Pick<Measurement, "now" | "base" | "floor" | "figure">;

function verdictFor(goal: Goal, measured: Measured): Verdict {
  const verdict = verdictOf(goal, intervalFor(goal, measured));
  const { now, floor } = measured;
  if (verdict.met || !floor || goal.than === "floor") return verdict;
  const ofFloor = intervalFor(goal, { ...measured, now: floor.samples });
  const { met, near } = verdictOf(goal, ofFloor);
  if (met) return verdict;
  const beside = goal.compared === "more" ? excess : ratio;
  return { ...verdict, outOfReach: { near, floor: ofFloor.middle, ours: beside(now, floor.samples) } };
}

function intervalFor({ compared, than = "base", atMost = 0, orFloor }: Goal, measured: Measured): Interval {
  const { now, figure } = measured;
  if (!compared)
    return excessInterval(
      now,
      now.map(() => 0),
    );
  const other = measured[than]?.samples;
  if (!other) throw new Error(`The goal of "${figure}" compares with a ${than} that was not measured`);
  if (orFloor) {
    const { floor } = measured;
    if (!floor) throw new Error(`The goal of "${figure}" allows for a floor that was not measured`);
    // What the floor takes beyond the goal is allowed, round by round.
    const allowed = other.map((base, round) => Math.max(base, (floor.samples[round] ?? Number.NaN) - atMost));
    return excessInterval(now, allowed);
  }
  return compared === "times" ? ratioInterval(now, other) : excessInterval(now, other);
}

function verdictOf(
  { atMost = Infinity, atLeast = -Infinity }: Goal,
  { middle, low, high }: Interval,
): Verdict {
  const meets = (value: number) => value <= atMost && value >= atLeast;
  return { met: meets(middle), near: meets(low) !== meets(high) };
}
