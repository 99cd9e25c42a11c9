import type { Comparison } from "./compare.ts";
import { count, time } from "./format.ts";
import { excess, median, ratio, ratioRange } from "./statistics.ts";
import { printColumns } from "./table.ts";

const goal = 1.05;
const headings = {
  times: [
    "time per turn",
    "turns",
    "no limiter",
    "its own limiter",
    "turn-limit",
    "more than none",
    "times none",
    `at most ${goal}`,
    "times its own",
    "not slower",
    "noise: none again",
  ],
  kept: ["kept by a run under way", "no limiter", "its own limiter", "turn-limit", "more than none"],
};

/** Prints the limiters side by side. In brackets: the range of a ratio, with a confidence of about 95 %. */
export function printComparisons(comparisons: readonly Comparison[]): void {
  printColumns([headings.times, ...comparisons.flatMap(timeCells)]);
  console.log();
  printColumns([headings.kept, ...comparisons.map(keptCells)]);
  console.log(
    "\nOnly the hand-written loop is run for 100,000 turns. For one such run, at the time per turn that each has " +
      "in its longest run above, without any limiter:",
  );
  for (const comparison of comparisons) console.log(`  ${reachOf(comparison)}`);
  console.log("Left out: the Claude Agent SDK, whose loop runs in another process.");
}

function timeCells({ framework, native, times }: Comparison): string[][] {
  return times.map(({ turns, ns: { none, again, native: own, ours } }) => [
    framework,
    count(turns),
    time(median(none)),
    native ? `${time(median(own))} ${native}` : "has none",
    time(median(ours)),
    time(excess(ours, none)),
    timesOf(ours, none),
    ratio(ours, none) <= goal ? "met" : "MISSED",
    native ? timesOf(ours, own) : "",
    // Called slower only if it cannot be noise.
    native ? (ratioRange(ours, own)[0] <= 1 ? "met" : "MISSED") : "",
    timesOf(again, none),
  ]);
}

function keptCells({ framework, native, kept: { none, native: own, ours } }: Comparison): string[] {
  const bytes = (value: number) => `${count(Math.round(value))} bytes`;
  const ownBytes = native ? bytes(median(own)) : "has none";
  return [framework, bytes(median(none)), ownBytes, bytes(median(ours)), bytes(excess(ours, none))];
}

function reachOf({ framework, times }: Comparison): string {
  const [shortest, longest] = [times[0], times.at(-1)];
  if (!shortest || !longest) return framework;
  const [short, long] = [median(shortest.ns.none), median(longest.ns.none)];
  const grown = `${(long / short).toFixed(1)} times a turn of a run of ${count(shortest.turns)}`;
  return `${framework}: ${time(long * 100_000)} (at ${count(longest.turns)} turns a turn takes ${grown})`;
}

function timesOf(values: readonly number[], base: readonly number[]): string {
  const [low, high] = ratioRange(values, base);
  return `${ratio(values, base).toFixed(3)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
