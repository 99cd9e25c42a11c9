import { setTimeout as pause } from "node:timers/promises";
import {
  type AgentName,
  type AgentProvider,
  byKind,
  commandOf,
  openAgent,
  openTerminal,
  type PreparedAgent,
  patience,
  prepareAgent,
  startScriptedProvider,
  type Terminal,
  worksForever,
} from "@turn-limit/rig";
import { countsOf, underLimits } from "./under-run.ts";

const betweenKeys = 5_000;
const betweenLooks = 50;

/** An agent on a terminal, with a provider that never lets it end by itself, unless the script does. */
export async function setUp(
  name: AgentName,
  script = byKind({ main: worksForever() }),
  more: Omit<AgentProvider, "providerAddress"> = {},
) {
  await using stack = new AsyncDisposableStack();
  const provider = stack.use(await startScriptedProvider(script));
  const agent = stack.use(await prepareAgent(name, { ...more, providerAddress: provider.address }));
  const config = await agent.configSnapshot();
  const made = stack.move();
  return {
    provider,
    agent,
    got: () => countsOf(provider),
    turns: () => countsOf(provider).main ?? 0,
    isConfigUnchanged: async () => JSON.stringify(await agent.configSnapshot()) === JSON.stringify(config),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

/** Starts it on one prompt, with the terminal free for questions. All of its output stays on the screen. */
export function openHeadless(agent: PreparedAgent): Promise<Terminal> {
  const limits = underLimits(["--max-turns", "2"]);
  return openTerminal({
    folder: agent.root,
    command: commandOf(agent, agent.kind.headless("Go.", []), limits),
    cwd: agent.project,
    env: agent.env,
    cols: 150,
    rows: 120,
    ready: "Continue?",
  });
}

/** Starts its own screen, and waits until it takes a prompt. */
export function openScreen(agent: PreparedAgent, limits: readonly string[]): Promise<Terminal> {
  return openAgent(agent, { wrapWith: underLimits(limits), rows: 50 });
}

/** Types a prompt and sends it, until the screen shows what comes of it. */
export async function say(terminal: Terminal, prompt: string, wanted: string | RegExp): Promise<string> {
  await terminal.type(prompt);
  await terminal.waitFor(prompt);
  const deadline = Date.now() + patience;
  for (;;) {
    await terminal.press("Enter");
    try {
      return await terminal.waitFor(wanted, betweenKeys);
    } catch (error) {
      // Keys that come fast are taken for pasted text, in which Enter is a new line. Without a text it does nothing.
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Waits until it is asked for the n-th time. */
export function asked(terminal: Terminal, n: number): Promise<string> {
  return terminal.waitFor(new RegExp(`(Continue\\?.*?how much more[^:]*:.*?){${n}}`, "s"));
}

/** How `run` ended, once it has said so. */
export async function exitCode(terminal: Terminal): Promise<number> {
  await terminal.waitFor(/^turn-limit: .* requests/m);
  const deadline = Date.now() + patience;
  for (;;) {
    const code = await terminal.exitCode();
    if (code !== undefined) return code;
    if (Date.now() > deadline) throw new Error("It has said how it ended, and still runs.");
    await pause(betweenLooks);
  }
}
