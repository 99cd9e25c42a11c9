import type { Played } from "../document.ts";
import type { AgentRow, AgentTrial, Competitor, Limiter } from "./agent-contender.ts";
import { agentSection } from "./agent-table.ts";
import { agentTrials } from "./agent-trials.ts";
import { agentsIntroduction } from "./agents-introduction.ts";
import { competitors } from "./competitors.ts";
import { playTrial } from "./play-trial.ts";

/** Plays every trial with every agent. */
export async function playAgents(): Promise<Played> {
  // Each agent plays one trial after the other. What they wait for is mostly not the machine.
  const rows = (await Promise.all(competitors.map(playAll))).flat();
  const sections = agentTrials.map((trial) =>
    agentSection(
      trial,
      rows.filter((row) => row.trial === trial),
    ),
  );
  return {
    text: [await agentsIntroduction(), ...sections].join("\n\n"),
    notPlayed: rows
      .filter(({ failed }) => failed)
      .map(({ competitor, limiter, trial, seen }) =>
        [competitor.name, limiter.limiter, trial.name, String(seen)].join(" | "),
      ),
  };
}

async function playAll(competitor: Competitor): Promise<AgentRow[]> {
  const rows: AgentRow[] = [];
  for (const trial of agentTrials) {
    for (const limiter of competitor.limiters) {
      const row = { trial, competitor, limiter, ...(await playOne(competitor, limiter, trial)) };
      console.error([competitor.name, limiter.limiter, trial.name, JSON.stringify(row.seen)].join(" | "));
      rows.push(row);
    }
  }
  return rows;
}

/** One trial. An agent that hangs does not keep the others from being played. */
async function playOne(
  competitor: Competitor,
  limiter: Limiter,
  trial: AgentTrial,
): Promise<Pick<AgentRow, "seen" | "failed">> {
  const seen = unfit(competitor, limiter, trial);
  if (seen !== undefined) return { seen };
  try {
    return { seen: await playTrial(competitor, limiter, trial) };
  } catch (error) {
    return { seen: `not played: ${error instanceof Error ? error.message : error}`, failed: true };
  }
}

/** Why a limiter cannot be put into a trial, if so. */
function unfit({ hasSubAgents }: Competitor, { limits }: Limiter, trial: AgentTrial): string | undefined {
  const measure = trial.dollars === undefined ? "turns" : "dollars";
  if (!limits.includes(measure)) return `does not limit ${measure}`;
  return trial.subAgents && !hasSubAgents ? "has no sub-agents" : undefined;
}
