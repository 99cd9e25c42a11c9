import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AgentName,
  byKind,
  commandOf,
  lastUserText,
  openAgent,
  openTerminal,
  type PreparedAgent,
  patience,
  prepareAgent,
  says,
  startScriptedProvider,
  type Terminal,
  worksForever,
} from "@turn-limit/rig";
import { describe, test } from "vitest";
import { poolsCommand } from "./pools-command.ts";
import { countsOf, underLimits } from "./under-run.ts";

const all = { concurrent: true };
const betweenKeys = 5_000;
const betweenLooks = 50;
const minute = 60_000;

/** An agent on a terminal, with a provider that never lets it end by itself, unless the script does. */
async function setUp(name: AgentName, script = byKind({ main: worksForever() })) {
  await using stack = new AsyncDisposableStack();
  const provider = stack.use(await startScriptedProvider(script));
  const agent = stack.use(await prepareAgent(name, { providerAddress: provider.address }));
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
function openHeadless(agent: PreparedAgent): Promise<Terminal> {
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
function openScreen(agent: PreparedAgent, limits: readonly string[]): Promise<Terminal> {
  return openAgent(agent, { wrapWith: underLimits(limits), rows: 50 });
}

/** Types a prompt and sends it, until the screen shows what comes of it. */
async function say(terminal: Terminal, prompt: string, wanted: string | RegExp): Promise<string> {
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
function asked(terminal: Terminal, n: number): Promise<string> {
  return terminal.waitFor(new RegExp(`(Continue\\?.*?how much more[^:]*:.*?){${n}}`, "s"));
}

/** How `run` ended, once it has said so. */
async function exitCode(terminal: Terminal): Promise<number> {
  await terminal.waitFor(/^turn-limit: .* requests/m);
  const deadline = Date.now() + patience;
  for (;;) {
    const code = await terminal.exitCode();
    if (code !== undefined) return code;
    if (Date.now() > deadline) throw new Error("It has said how it ended, and still runs.");
    await pause(betweenLooks);
  }
}

describe("on the terminal of an agent without a screen of its own", all, () => {
  test("a person is asked, says what they like, and no after a minute", async ({ expect }) => {
    await using run = await setUp("claude-code");
    await using terminal = await openHeadless(run.agent);

    await asked(terminal, 1);
    expect(run.turns()).toBe(2);
    await terminal.submit("huh");
    await terminal.waitFor(/"huh" is not a reply\..*how much more[^:]*:/s);
    await terminal.submit("1");
    await asked(terminal, 2);
    expect(run.turns()).toBe(3);
    await terminal.submit("y");
    await asked(terminal, 3);
    expect(run.turns()).toBe(5);
    await terminal.submit("w");
    await asked(terminal, 4);
    expect(run.turns()).toBe(6);
    expect(run.provider.requests.slice(-1).map(lastUserText)).toEqual([
      expect.stringContaining("Wrap up now."),
    ]);
    await pause(minute);
    expect(run.turns()).toBe(6);
    await terminal.submit("n");

    expect(await exitCode(terminal)).toBe(86);
    expect(run.turns()).toBe(6);
    const replied = (reply: string) => expect.stringMatching(`how much more.*: ${reply}$`);
    expect((await terminal.screen()).trimEnd().split("\n")).toEqual([
      "turn-limit: Turn limit reached (2/2). Continue?",
      replied("huh"),
      expect.stringContaining('"huh" is not a reply.'),
      replied("1"),
      "turn-limit: Turn limit reached (1/1). Continue?",
      replied("y"),
      "turn-limit: Turn limit reached (2/2). Continue?",
      replied("w"),
      "turn-limit: Turn limit reached (3/2). Continue?",
      replied("n"),
      expect.stringMatching(/^Turn limit reached \(3\/2\)\. A person stopped the run here\./),
      expect.stringMatching(/^turn-limit: stopped by a person at 3\/2 turns \(Claude Code\) .*· 6 requests/),
    ]);
    expect(await run.isConfigUnchanged()).toBe(true);
  });

  test.for(["codex", "opencode"] as const)(
    "%s goes on after y, and ends after n, which takes a minute",
    async (name, { expect }) => {
      await using run = await setUp(name);
      await using terminal = await openHeadless(run.agent);

      await asked(terminal, 1);
      expect(run.turns()).toBe(2);
      await terminal.submit("y");
      await asked(terminal, 2);
      await pause(minute);
      expect(run.turns()).toBe(4);
      await terminal.submit("n");

      expect(await exitCode(terminal)).toBe(86);
      expect(run.turns()).toBe(4);
      expect(await terminal.screen()).toMatch(
        /stopped the run here\..*\nturn-limit: stopped by a person at 2\/2 turns/s,
      );
      expect(await run.isConfigUnchanged()).toBe(true);
    },
  );
});

describe("on the screen of an agent", all, () => {
  // What is typed there cannot be told from what its shell sends, so nothing starts over.
  test.for([
    ["claude-code", "Claude Code"],
    ["codex", "Codex"],
    ["opencode", "opencode"],
  ] as const)("%s stops after 3 turns, also at another prompt", async ([name, called], { expect }) => {
    await using run = await setUp(name);
    await using terminal = await openScreen(run.agent, ["--max-turns", "3", "--at-limit", "stop"]);

    await say(terminal, "Do it.", "Turn limit reached (3/3). The run was stopped here.");
    expect(run.turns()).toBe(3);
    const screen = await say(terminal, "Again.", /No more requests are sent/);
    expect(run.turns()).toBe(3);
    // What `run` itself has to say comes when the screen is free.
    // Only how questions are answered is said, before it starts.
    expect(screen).not.toMatch(/^turn-limit: (?!questions of this run)/m);

    const end = await say(terminal, "/exit", /^turn-limit: .*/m);
    expect(end).toMatch(`turn-limit: stopped at 3/3 turns (${called})`);
    expect(await exitCode(terminal)).toBe(86);
    expect(run.turns()).toBe(3);
    expect(await run.isConfigUnchanged()).toBe(true);
  });

  test("a goal of Codex, which goes on by itself, comes to an end", async ({ expect }) => {
    await using run = await setUp("codex");
    await using terminal = await openScreen(run.agent, ["--max-turns", "3", "--at-limit", "stop"]);

    const screen = await say(terminal, "/goal Do everything.", "Goal stalled");
    expect(screen).toMatch(/The run was stopped here\..*No more requests are sent/s);
    expect(run.turns()).toBe(3);

    await say(terminal, "/exit", /^turn-limit: stopped at 3\/3 turns \(Codex\)/m);
    expect(await exitCode(terminal)).toBe(86);
    expect(run.turns()).toBe(3);
    expect(await run.isConfigUnchanged()).toBe(true);
  });

  test("a title of Codex that calls tools takes turns", async ({ expect }) => {
    await using run = await setUp("codex", byKind({ main: () => says("Done."), title: worksForever() }));
    await using terminal = await openScreen(run.agent, ["--max-turns", "4", "--at-limit", "stop"]);

    await say(terminal, "Do it.", "Done.");
    // Its first request is none: the prompt took one, and the loop of the title the other three.
    await expect.poll(() => run.got()).toEqual({ main: 1, title: 4 });

    await say(terminal, "/exit", /^turn-limit: stopped at 4\/4 turns \(Codex\)/m);
    expect(await exitCode(terminal)).toBe(86);
    expect(run.got()).toEqual({ main: 1, title: 4 });
  });

  test("a question is answered in another terminal", async ({ expect }) => {
    await using run = await setUp("codex");
    const store = join(run.agent.root, "pools.sqlite");
    const person = poolsCommand(store);
    // A model without a price is something to tell, which would disturb the screen.
    const limits = ["--max-turns", "2", "--max-cost", "$5", "--unpriced", "warn", "--store", store];
    await using terminal = await openScreen(run.agent, limits);

    await say(terminal, "Do it.", "turn 2");
    const question = await person.openQuestion();
    expect(run.turns()).toBe(2);
    await person.answer(question, "yes");
    await terminal.waitFor("turn 4");
    await person.answer(await person.openQuestion(), "no");
    const screen = await terminal.waitFor("A person stopped the run here.");
    expect(run.turns()).toBe(4);
    // Only how questions are answered is said, before it starts.
    expect(screen).not.toMatch(/^turn-limit: (?!questions of this run)/m);

    const end = await say(terminal, "/exit", /^turn-limit: stopped by a person at 2\/2 turns \(Codex\)/m);
    expect(end).toMatch(/^turn-limit: .*price/m);
    expect(await exitCode(terminal)).toBe(86);
    expect(await run.isConfigUnchanged()).toBe(true);
  });
});
