import { type Builds, buildsByName } from "./builds.ts";
import { messageFrom } from "./child.ts";
import type { Comparison } from "./compare.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";

// The Claude Agent SDK cannot be timed here: its loop runs in another process.
const frameworks = ["pi-agent-core", "ai-sdk", "openai-agents", "langchain", "mastra"];
const goal = { atMost: 1.05, compared: "times" } as const;

/** Each framework's real loop with turn-limit, with the framework's own limiter and with none. */
export async function adapters(builds: Builds): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const name of frameworks) {
    const { framework, native, times } = await comparisonOf(name, builds);
    for (const { turns, ns } of times) {
      const { now, before, none } = ns;
      const figure = `${framework}, a turn of ${count(turns)}`;
      measurements.push({
        figure,
        unit: "ns",
        now,
        before,
        base: { name: "no limiter", samples: none },
        goal,
      });
      if (!native || !ns.native) continue;
      const own = { name: native, samples: ns.native };
      measurements.push({ figure: `${figure}, beside its own limiter`, unit: "ns", now, base: own });
    }
  }
  return measurements;
}

/** In a process of its own, so that no framework is measured in the heap that another has left behind. */
export function comparisonOf(name: string, builds: Builds): Promise<Comparison> {
  return messageFrom<Comparison>("compare.ts", [name, JSON.stringify(buildsByName(builds))], ["--expose-gc"]);
}
