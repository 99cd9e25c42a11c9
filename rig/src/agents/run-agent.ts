import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { collect } from "../collect.ts";
import { endProcess } from "../end-process.ts";
import { patience, within } from "../within.ts";
import type { PreparedAgent } from "./prepare-agent.ts";

/** How to run an agent. */
export interface AgentOptions {
  /** A command to put before the agent's own, such as `["npx", "turn-limit", "run", "--"]`. */
  wrapWith?: readonly string[];
  /** Further arguments of the agent. */
  args?: readonly string[];
  /** Variables in addition to those of the agent. */
  env?: Readonly<Record<string, string>>;
}

/** How to run an agent to its end. */
export interface AgentRunOptions extends AgentOptions {
  prompt: string;
  stdin?: string;
  timeoutMs?: number;
}

/** How an agent ended. */
export interface AgentResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** An agent at work, without a terminal. */
export interface RunningAgent extends AsyncDisposable {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Waits for its end, and fails if that does not come in time. */
  ended(timeoutMs?: number): Promise<AgentResult>;
  /** What Ctrl+C does: SIGINT for the agent, the command before it, and all their children. */
  interrupt(): void;
}

/**
 * Runs an agent on one prompt to its end, without a terminal.
 *
 * @example
 * const { code, stdout } = await runAgent(agent, { prompt: "Go." });
 */
export async function runAgent(agent: PreparedAgent, options: AgentRunOptions): Promise<AgentResult> {
  await using running = startAgent(agent, options);
  return await running.ended(options.timeoutMs);
}

/** Starts an agent on one prompt, without a terminal. */
export function startAgent(agent: PreparedAgent, options: AgentRunOptions): RunningAgent {
  const { args = [], env = {}, prompt, stdin = "" } = options;
  const [file, ...rest] = commandOf(agent, agent.kind.headless(prompt, args), options.wrapWith);
  const child = spawn(file, rest, {
    cwd: agent.project,
    env: { ...agent.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    // A process group of its own, so that a signal reaches everybody in it.
    detached: true,
  });
  // It is not a failure if the agent ends before it has read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const closed = once(child, "close");
  // Seen by whoever asks for the end. Nobody may ask, after a test that failed.
  closed.catch(() => {});
  return {
    child,
    stdout,
    stderr,
    ended: async (timeoutMs = patience) => {
      const described = () =>
        `${agent.kind.name} did not end and was killed; stdout: ${stdout()}; stderr: ${stderr()}`;
      const [code, signal] = await within(closed, timeoutMs, described);
      return { code, signal, stdout: stdout(), stderr: stderr() };
    },
    interrupt: () => signalGroup(child, "SIGINT"),
    [Symbol.asyncDispose]: async () => {
      await endProcess(child);
      signalGroup(child, "SIGKILL");
    },
  };
}

/** The command line of an agent, with the command that goes before it. */
export function commandOf(
  agent: PreparedAgent,
  args: readonly string[],
  wrapWith: readonly string[] = [],
): [file: string, ...args: string[]] {
  const [file, ...rest] = [...wrapWith, ...agent.kind.command, ...args];
  if (file === undefined) throw new Error(`${agent.kind.name} has no command.`);
  return [file, ...rest];
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
