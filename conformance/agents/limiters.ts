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
  limits: ["turns"],
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

/** `turn-limit run` for an agent with a profile. */
export const ourTurns: Limiter = {
  limiter: "turn-limit run --max-turns n",
  ours: true,
  limits: ["turns"],
  start: (_agent, { turns, wantsAnswer }) =>
    ourRun(wantsAnswer ? "answer" : "stop", "--max-turns", `${turns}`),
};

/** `turn-limit run` for any other. */
export const ourRequests: Limiter = {
  limiter: "turn-limit run --max-requests n",
  ours: true,
  limits: ["turns"],
  start: (_agent, { turns }) => ourRun("stop", "--max-requests", `${turns}`),
};

/** `turn-limit run` for any agent. */
export const ourDollars: Limiter = {
  limiter: "turn-limit run --max-cost n",
  ours: true,
  limits: ["dollars"],
  start: (_agent, { dollars }) => ourRun("stop", "--max-cost", `$${dollars}`),
};

/** Our extension for Pi. */
export const piTurnLimit: Limiter = {
  limiter: "pi-turn-limit",
  ours: true,
  limits: ["turns", "dollars"],
  start: (_agent, trial) => ({ args: ["-e", PI_EXTENSION, ...extensionLimit(trial)] }),
};

// Nobody is asked: the trial has nobody who would reply.
function ourRun(atLimit: "answer" | "stop", ...limit: string[]): Start {
  return { wrapWith: [process.execPath, PROGRAM, "run", ...limit, "--at-limit", atLimit, "--"] };
}

function extensionLimit({ turns, dollars, wantsAnswer }: AgentTrial): string[] {
  const policy = wantsAnswer ? "synthesize" : "stop";
  return dollars === undefined
    ? ["--max-turns", `${turns} ${policy}`]
    : ["--max-cost", `$${dollars} ${policy}`];
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
