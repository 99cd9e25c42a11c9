import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PreparedAgent } from "@turn-limit/rig";
import type { AgentTrial, Limiter, Start } from "./agent-contender.ts";

const PROGRAM = fromRoot("packages/turn-limit/dist/command/turn-limit.js");
const PI_EXTENSION = fromRoot("packages/pi-turn-limit");

function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The agent goes on until the trial ends it. */
export const noLimit: Limiter = {
  limiter: "no limit of its own",
  ours: false,
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
  start: (_agent, trial, { formTool }) => {
    const more = trial.extends === undefined ? "" : ` extend ${trial.extends}`;
    const form = trial.wantsForm && formTool !== undefined ? ["--final-tool", formTool] : [];
    return ourRun(trial, "--max-turns", `${trial.turns}${more}`, ...form);
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
    await writeFile(join(agent.home, ".pi", "agent", "turn-limit.json"), JSON.stringify(settings));
    return { args: ["-e", PI_EXTENSION, ...extensionLimit(trial)] };
  },
};

// Most trials have nobody who would reply.
function ourRun({ asks, wantsAnswer, wantsForm, tellsAt }: AgentTrial, ...limit: string[]): Start {
  const atLimit = asks ? "ask" : wantsAnswer || wantsForm ? "answer" : "stop";
  const tell = tellsAt === undefined ? [] : ["--tell", `${tellsAt}`];
  return { wrapWith: [process.execPath, PROGRAM, "run", ...limit, ...tell, "--at-limit", atLimit, "--"] };
}

function extensionLimit({ turns, dollars, asks, wantsAnswer, extends: times }: AgentTrial): string[] {
  const unasked = wantsAnswer ? "synthesize" : "stop";
  const policy = asks ? "ask" : times === undefined ? unasked : `extend ${times}`;
  if (dollars !== undefined) return ["--max-cost", `$${dollars} ${policy}`];
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
