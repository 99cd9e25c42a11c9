import type { AgentRow, AgentTrial, Competitor, Limiter } from "./agent-contender.ts";
import { agentSection } from "./agent-table.ts";
import { agentTrials } from "./agent-trials.ts";
import { agentsIntroduction } from "./agents-introduction.ts";
import { competitors } from "./competitors.ts";
import { playTrial } from "./play-trial.ts";

/** Plays every trial with every agent, and returns what was seen as Markdown. */
export async function playAgents(): Promise<string> {
  // Each agent plays one trial after the other. What they wait for is mostly not the machine.
  const rows = (await Promise.all(competitors.map(playAll))).flat();
  const sections = agentTrials.map((trial) =>
    agentSection(
      trial,
      rows.filter((row) => row.trial === trial),
    ),
  );
  return [await agentsIntroduction(), ...sections].join("\n\n");
}

async function playAll(competitor: Competitor): Promise<AgentRow[]> {
  const rows: AgentRow[] = [];
  for (const trial of agentTrials) {
    for (const limiter of competitor.limiters) {
      const seen =
        unfit(competitor, limiter, trial) ?? (await playTrial(competitor, limiter, trial).catch(notPlayed));
      console.error([competitor.name, limiter.limiter, trial.name, JSON.stringify(seen)].join(" | "));
      rows.push({ trial, competitor, limiter, seen });
    }
  }
  return rows;
}

// One agent that hangs does not spoil what was seen of the others.
function notPlayed(error: Error): string {
  return `not played: ${error.message}`;
}

/** Why a limiter cannot be put into a trial, if so. */
function unfit({ hasSubAgents }: Competitor, { limits }: Limiter, trial: AgentTrial): string | undefined {
  const measure = trial.dollars === undefined ? "turns" : "dollars";
  if (!limits.includes(measure)) return `does not limit ${measure}`;
  return trial.subAgents && !hasSubAgents ? "has no sub-agents" : undefined;
}
