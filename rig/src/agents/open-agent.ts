import { openTerminal, type Terminal } from "../open-terminal.ts";
import type { PreparedAgent } from "./prepare-agent.ts";
import { type AgentOptions, commandOf } from "./run-agent.ts";

/** How to run an agent on a terminal. */
export interface AgentTerminalOptions extends AgentOptions {
  cols?: number;
  rows?: number;
  /** What to wait for on the screen first, if not for the agent's own prompt. */
  ready?: string | RegExp;
}

/**
 * Starts an agent on a terminal of its own, and waits until it takes a prompt.
 *
 * @example
 * await using terminal = await openAgent(agent);
 * await terminal.submit("Go.");
 */
export function openAgent(agent: PreparedAgent, options: AgentTerminalOptions = {}): Promise<Terminal> {
  const { interactive, name } = agent.kind;
  if (!interactive) throw new Error(`${name} is only run without a terminal here.`);
  const { args = [], env = {}, wrapWith, ready = interactive.ready, ...size } = options;
  return openTerminal({
    folder: agent.root,
    command: commandOf(agent, [...interactive.args, ...args], wrapWith),
    cwd: agent.project,
    env: { ...agent.env, ...env },
    ready,
    ...size,
  });
}
