import { TAKES_A_NUMBER } from "../contender.ts";
import type { Played } from "../document.ts";
import {
  type AgentRow,
  type AgentTrial,
  type Competitor,
  type Limiter,
  measureOf,
} from "./agent-contender.ts";
import { agentSection } from "./agent-table.ts";
import { agentTrials } from "./agent-trials.ts";
import { agentsIntroduction } from "./agents-introduction.ts";
import { competitors } from "./competitors.ts";
import { playTrial } from "./play-trial.ts";
import { screenSection } from "./screen-table.ts";
import { playOnScreen, SCREEN_TRIAL, type ScreenRow } from "./screen-trial.ts";

/** Plays every trial with every agent. */
export async function playAgents(): Promise<Played> {
  // Each agent plays one trial after the other. What they wait for is mostly not the machine.
  const played = await Promise.all(
    competitors.map(async (competitor) => ({
      rows: await playAll(competitor),
      onScreen: await playAllOnScreen(competitor),
    })),
  );
  const rows = played.flatMap(({ rows }) => rows);
  const onScreen = played.flatMap(({ onScreen }) => onScreen);
  const sections = agentTrials.map((trial) =>
    agentSection(
      trial,
      rows.filter((row) => row.trial === trial),
    ),
  );
  return {
    text: [await agentsIntroduction(), ...sections, screenSection(onScreen)].join("\n\n"),
    notPlayed: [...rows, ...onScreen]
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

async function playAllOnScreen(competitor: Competitor): Promise<ScreenRow[]> {
  const rows: ScreenRow[] = [];
  for (const limiter of competitor.limiters.filter(({ limits }) => limits.includes("turns"))) {
    const played = await orFailure(() => playOnScreen(competitor, limiter));
    console.error([competitor.name, limiter.limiter, JSON.stringify(played.seen)].join(" | "));
    rows.push({ trial: SCREEN_TRIAL, competitor, limiter, ...played });
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
  return orFailure(() => playTrial(competitor, limiter, trial));
}

async function orFailure<Seen>(play: () => Promise<Seen>): Promise<{ seen: Seen | string; failed?: true }> {
  try {
    return { seen: await play() };
  } catch (error) {
    return { seen: `not played: ${error instanceof Error ? error.message : error}`, failed: true };
  }
}

/** Why a limiter cannot be put into a trial, if so. */
function unfit(
  competitor: Competitor,
  { limits, ours, isLack }: Limiter,
  trial: AgentTrial,
): string | undefined {
  const { hasSubAgents, withForm } = competitor;
  const measure = measureOf(trial);
  if (!limits.includes(measure)) return `does not limit ${measure}`;
  if (trial.earlierTurns !== undefined && !ours && !isLack) return TAKES_A_NUMBER;
  if (trial.wantsForm && !withForm) return "has no form for its answer";
  return trial.subAgents && !hasSubAgents ? "has no sub-agents" : undefined;
}
