import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PreparedAgent } from "@turn-limit/rig";
import { Conversation } from "../../packages/pi-turn-limit/test/stats-history.ts";
import { sqliteStore } from "../../packages/turn-limit/src/pools/stores/sqlite/index.ts";
import { earlierRuns } from "../earlier-runs.ts";
import type { AgentTrial, Limiter, Start } from "./agent-contender.ts";

const PROGRAM = fromRoot("packages/turn-limit/dist/command/turn-limit.js");
const NEXT_DAY = ["--import", fromRoot("conformance/agents/next-day.ts")];
const PI_EXTENSION = fromRoot("packages/pi-turn-limit");

function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The agent goes on until the trial ends it. */
export const noLimit: Limiter = {
  limiter: "no limit of its own",
  ours: false,
  isLack: true,
  limits: ["turns", "loops"],
  start: () => ({}),
};

/** A limit of turns that is an argument of the agent's. */
export function turnsArgument(option: string): Limiter {
  return {
    limiter: `${option} n`,
    ours: false,
    limits: ["turns"],
    start: (_agent, { turns }) => ({ args: [option, `${turns}`] }),
  };
}

/** A limit of dollars that is an argument of the agent's. */
export function dollarsArgument(option: string): Limiter {
  return {
    limiter: `${option} n`,
    ours: false,
    limits: ["dollars"],
    start: (_agent, { dollars }) => ({ args: [option, `${dollars}`] }),
  };
}

/** A limit of turns in a settings file of the agent's. */
export function turnsSetting(
  limiter: string,
  path: string,
  settings: (turns: number | undefined) => object,
): Limiter {
  return {
    limiter,
    ours: false,
    limits: ["turns"],
    start: async (agent, { turns }) => {
      await changeSettings(agent, path, (before) => ({ ...before, ...settings(turns) }));
      return {};
    },
  };
}

/** Nothing is set: what the agent does about its loops by itself. */
export const asItComes: Limiter = {
  limiter: "as it comes",
  ours: false,
  limits: ["loops"],
  isElsewhereHidden: true,
  start: () => ({}),
};

/** The same, of an agent that works with a subscription. */
export const asItComesWithPlan: Limiter = { ...asItComes, limits: ["loops", "windows"] };

export const ourTurns: Limiter = {
  limiter: "turn-limit run --max-turns n",
  ours: true,
  limits: ["turns"],
  start: async (agent, trial, { formTool, name }) => {
    const store = join(agent.root, "store.sqlite");
    if (trial.earlierTurns !== undefined) await rememberRuns(store, name, trial.earlierTurns);
    const form = trial.wantsForm && formTool !== undefined ? ["--final-tool", formTool] : [];
    return ourRun(trial, "--max-turns", ourAmount(trial), "--store", store, ...form);
  },
};

export const ourDollars: Limiter = {
  limiter: "turn-limit run --max-cost n",
  ours: true,
  limits: ["dollars"],
  start: (_agent, trial) => ourRun(trial, "--max-cost", `$${trial.dollars}`),
};

export const ourRepeats: Limiter = {
  limiter: "turn-limit run --max-repeats n",
  ours: true,
  limits: ["loops"],
  start: (_agent, trial) => ourRun(trial, "--max-repeats", `${trial.repeats}`),
};

/** For agents with a subscription. */
export const ourPlan: Limiter = {
  limiter: "turn-limit run --max-plan '5h n%'",
  ours: true,
  limits: ["windows"],
  start: (_agent, trial) => ourRun(trial, "--max-plan", `5h ${trial.plan}%`),
};

/** Our extension for Pi. */
export const piTurnLimit: Limiter = {
  limiter: "pi-turn-limit",
  ours: true,
  limits: ["turns", "dollars", "loops"],
  start: async (agent, trial) => {
    const { tellsAt, repeats } = trial;
    const settings = {
      ...(tellsAt === undefined ? {} : { tell: [tellsAt] }),
      ...(repeats === undefined ? {} : { repeats }),
    };
    const folder = join(agent.home, ".pi", "agent");
    await writeFile(join(folder, "turn-limit.json"), JSON.stringify(settings));
    if (trial.earlierTurns !== undefined) await keepSessions(folder, trial.earlierTurns);
    return {
      args: ["-e", PI_EXTENSION, ...extensionLimit(trial)],
      ...(trial.nextDayComes && { env: { NODE_OPTIONS: NEXT_DAY.join("=") } }),
    };
  },
};

function ourAmount({ turns, earlierTurns, extends: times, nextDayComes }: AgentTrial): string {
  if (earlierTurns !== undefined) return "p90";
  if (nextDayComes) return `${turns} per day wait`;
  return times === undefined ? `${turns}` : `${turns} extend ${times}`;
}

async function rememberRuns(file: string, agent: string, turns: number): Promise<void> {
  const store = sqliteStore(file);
  try {
    for (const run of earlierRuns(agent, turns)) await store.remember(run);
  } finally {
    await store.close();
  }
}

// Most trials have nobody who would reply.
function ourRun(trial: AgentTrial, ...limit: string[]): Start {
  const { asks, wantsAnswer, wantsForm, tellsAt, nextDayComes } = trial;
  const atLimit = asks ? "ask" : wantsAnswer || wantsForm ? "answer" : "stop";
  const tell = tellsAt === undefined ? [] : ["--tell", `${tellsAt}`];
  const node = [process.execPath, ...(nextDayComes ? NEXT_DAY : [])];
  return { wrapWith: [...node, PROGRAM, "run", ...limit, ...tell, "--at-limit", atLimit, "--"] };
}

/** What Pi has of earlier runs: the file of a session. */
async function keepSessions(folder: string, turns: number): Promise<void> {
  const session = new Conversation();
  for (const { took } of earlierRuns("Pi", turns)) session.prompt().turns(took.turns);
  const sessions = join(folder, "sessions", "--before--");
  await mkdir(sessions, { recursive: true });
  const lines = session.lines.map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(sessions, "2026-01-01T00-00-00-000Z_a.jsonl"), lines.join(""));
}

function extensionLimit(trial: AgentTrial): string[] {
  const { turns, dollars, asks, wantsAnswer, extends: times } = trial;
  const unasked = wantsAnswer ? "synthesize" : "stop";
  const policy = asks ? "ask" : times === undefined ? unasked : `extend ${times}`;
  if (dollars !== undefined) return ["--max-cost", `$${dollars} ${policy}`];
  if (trial.earlierTurns !== undefined) return ["--max-turns", `p90 ${policy}`];
  if (trial.nextDayComes) return ["--max-turns", `${turns} per day wait`];
  return turns === undefined ? [] : ["--max-turns", `${turns} ${policy}`];
}

/** Changes a settings file of the agent's. */
export async function changeSettings(
  agent: PreparedAgent,
  path: string,
  change: (settings: object) => object,
): Promise<void> {
  const file = join(agent.home, path);
  const settings = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify(change(settings), null, 2));
}
