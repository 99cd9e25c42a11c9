import { type Builds, buildsByName } from "./builds.ts";
import { messageFrom } from "./child.ts";
import type { Comparison } from "./compare.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";
import { temporaryFolder } from "./temporary-folder.ts";

// The Claude Agent SDK cannot be timed here: its loop runs in another process.
const frameworks = ["pi-agent-core", "ai-sdk", "openai-agents", "langchain", "mastra"];
// Nanoseconds over a run without a limiter, or what the framework takes by itself to call hooks.
const goal = { atMost: 5_000, compared: "more", orFloor: true } as const;
const goalBesideOwn = { atMost: 1, compared: "times" } as const;

/** Each framework's real loop with turn-limit, with the framework's own limiter, with empty hooks and with none. */
export async function adapters(builds: Builds): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of frameworks) {
    const { framework, native, hooks, times } = await comparisonOf(name, builds);
    for (const { turns, ns } of times) {
      const { now, before, none } = ns;
      const figure = `${framework}, a turn of ${count(turns)}`;
      measurements.push({
        figure,
        unit: "ns",
        now,
        before,
        base: { name: "no limiter", samples: none },
        floor: hooks && ns.hooks ? { name: hooks, samples: ns.hooks } : undefined,
        goal,
      });
      if (turns === times.at(-1)?.turns) measurements.push(...beingSeen(figure, ns));
      if (!native || !ns.native) continue;
      const own = { name: native, samples: ns.native };
      measurements.push({
        figure: `${figure}, beside its own limiter`,
        unit: "ns",
        now,
        base: own,
        goal: turns === times.at(-1)?.turns ? goalBesideOwn : undefined,
      });
    }
  }
  return measurements;
}

/** What a turn costs in a run that is listed, beside the same in one that is not, if that was measured. */
export function beingSeen(figure: string, { now, seen }: Comparison["times"][number]["ns"]): Measurement[] {
  if (!seen) return [];
  const base = { name: "not listed", samples: now };
  return [
    {
      figure: `${figure}, seen from elsewhere`,
      unit: "ns",
      now: seen,
      base,
      goal: { atMost: 1, compared: "times" },
    },
  ];
}

/** In a process of its own, so that no framework is measured in the heap that another has left behind. */
export async function comparisonOf(name: string, builds: Builds): Promise<Comparison> {
  await using folder = await temporaryFolder();
  const given = [name, JSON.stringify(buildsByName(builds)), folder.path];
  return await messageFrom<Comparison>("compare.ts", given, ["--expose-gc"]);
}
