// What the runner is told: by files, and by commands in the log.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { RunnerVariables } from "./inputs.ts";

/** Sets the outputs. What the agent wrote there itself does not count. */
export function writeOutputs(env: RunnerVariables, outputs: Readonly<Record<string, string>>): void {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  if (env.GITHUB_OUTPUT) writeFileSync(env.GITHUB_OUTPUT, lines.join(""));
}

/** Puts a text on top of what the agent wrote for the page of the job: nothing in that can hide it. */
export function writeSummary({ GITHUB_STEP_SUMMARY: file }: RunnerVariables, text: string): void {
  if (file) writeFileSync(file, `${text}${readFileSync(file, "utf8")}`);
}

/** Does something in whose output the runner obeys no commands: the agent may print what a stranger wrote. */
export async function withoutCommands<Result>(work: () => Promise<Result>): Promise<Result> {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  try {
    return await work();
  } finally {
    // The output may end within a line.
    process.stdout.write(`\n::${token}::\n`);
  }
}

/** Variables that a runner gives to actions, and not to steps with a command: their tokens write to its caches. */
const FOR_ACTIONS = /^ACTIONS_(?:RUNTIME|RESULTS|CACHE)_/;

/** What the agent gets of the environment. */
export function agentVariables(env: RunnerVariables): RunnerVariables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !FOR_ACTIONS.test(name)));
}
