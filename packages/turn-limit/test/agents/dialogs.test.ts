import { join } from "node:path";
import {
  type AgentName,
  byKind,
  calls,
  kindOf,
  type ProviderScript,
  patience,
  runAgent,
  says,
  subAgentCall,
  type Terminal,
  turnOfConversation,
  worksForever,
} from "@turn-limit/rig";
import { describe, type ExpectStatic, test } from "vitest";
import { exitCode, openScreen, say, setUp } from "./on-a-terminal.ts";
import { poolsCommand } from "./pools-command.ts";
import { underLimits } from "./under-run.ts";

type Run = Awaited<ReturnType<typeof setUp>>;

/** How something else is typed in a dialog: by which key, and what the screen shows then. */
interface Typing {
  readonly key: string;
  readonly shows: RegExp;
}

/** The agents with a dialog, and what they are called. */
const AGENTS: readonly [AgentName, called: string, Typing][] = [
  ["claude-code", "Claude Code", { key: "4", shows: /❯ 4\./ }],
  ["codex", "Codex", { key: "Tab", shows: /clear notes/ }],
  ["opencode", "opencode", { key: "4", shows: /(Type your own answer\W*){2}/ }],
  ["gemini-cli", "Gemini CLI", { key: "4", shows: /● 4\./ }],
  ["qwen-code", "Qwen Code", { key: "4", shows: /❯ 4\./ }],
];

/** How their last session is continued without a screen. */
const CONTINUED: readonly [AgentName, called: string, args: readonly string[]][] = [
  ["claude-code", "Claude Code", ["--continue"]],
  ["codex", "Codex", ["resume", "--last"]],
  ["opencode", "opencode", ["--continue"]],
  ["gemini-cli", "Gemini CLI", ["--resume", "latest"]],
  ["qwen-code", "Qwen Code", ["--continue"]],
];

/** The key of the last choice. */
const NO = "3";

/** What only a dialog shows. */
const DIALOG = /Enter to (?:select|submit)|enter to submit answer|enter submit|Enter: Select/;

/**
 * Waits until the agent asks about a round of so many turns, after so many turns in all. No request is under way
 * then. The dialog before it may still be drawn for a while.
 */
async function untilAsked(
  run: Run,
  terminal: Terminal,
  turns: number,
  expect: ExpectStatic,
  round = 2,
): Promise<string> {
  await expect.poll(() => run.turns()).toBe(turns);
  const question = `Turn limit reached \\(${round}/${round}\\)\\. Continue\\?`;
  const screen = await terminal.waitFor(new RegExp(`${question}.*(?:${DIALOG.source})`, "s"));
  expect(run.turns()).toBe(turns);
  expect(run.provider.requests.map(({ ended }) => ended)).not.toContain("not yet");
  return screen;
}

/** What the line shows in which "1" was typed. */
const TYPED = /^[^\w\n]*(?:4\.[^\w\n]*)?1[^\w\n]*$/m;

/** How long to wait before a key is pressed again that did nothing, in milliseconds: a busy program may lose it. */
const betweenKeys = 10_000;

/** Types the first prompt, and sends it until the agent has: a key that comes later would be for the dialog. */
async function start(run: Run, terminal: Terminal, expect: ExpectStatic): Promise<void> {
  await terminal.type("Do it.");
  await terminal.waitFor("Do it.");
  await goOn(run, terminal, "Enter", expect);
}

/** Chooses by this key what lets the run go on. The next dialog may be there at once. */
async function goOn(run: Run, terminal: Terminal, key: string, expect: ExpectStatic): Promise<void> {
  const turns = run.turns();
  await press(terminal, key, () =>
    expect.poll(() => run.turns(), { timeout: betweenKeys }).toBeGreaterThan(turns),
  );
}

/** Chooses by this key what ends the run. */
function end(terminal: Terminal, key: string): Promise<void> {
  return press(terminal, key, () => terminal.waitUntilGone(DIALOG, betweenKeys));
}

/** Presses a key until something comes of it. */
async function press(terminal: Terminal, key: string, done: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + patience;
  for (;;) {
    await terminal.press(key);
    try {
      await done();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** How many calls the model of the main loop was shown with each of its requests. */
function callsSeen({ provider }: Run): number[] {
  return provider.requests
    .filter((request) => kindOf(request) === "main")
    .map(({ messages }) => messages.flatMap(({ toolCalls }) => toolCalls).length);
}

describe.concurrent("in the agent's own dialog", () => {
  test.for(AGENTS)(
    "%s: a yes, a number and Escape, in one run, of which the model sees nothing",
    async ([name, called, typing], { expect }) => {
      await using run = await setUp(name);
      await using terminal = await openScreen(run.agent, ["--max-turns", "2"]);

      await start(run, terminal, expect);
      expect(await untilAsked(run, terminal, 2, expect)).toContain("Yes, another 2 turns");
      await goOn(run, terminal, "Enter", expect);

      await untilAsked(run, terminal, 4, expect);
      await press(terminal, typing.key, () => terminal.waitFor(typing.shows, betweenKeys));
      await terminal.type("1");
      await terminal.waitFor(TYPED);
      await goOn(run, terminal, "Enter", expect);

      await untilAsked(run, terminal, 5, expect, 1);
      await end(terminal, "Escape");
      await say(terminal, "Again.", "A person stopped the run here.");
      expect(run.turns()).toBe(5);
      expect(callsSeen(run)).toEqual([0, 1, 2, 3, 4]);
      for (const { bytes } of run.provider.requests)
        expect(bytes.toString()).not.toMatch(/ask_turn_limit|Continue\?/);

      const last = await say(terminal, "/exit", /^turn-limit: stopped .*/m);
      expect(last).toContain(`turn-limit: stopped by a person at 1/1 turns (${called})`);
      expect(await exitCode(terminal)).toBe(86);
      expect(run.turns()).toBe(5);
      expect(await run.isConfigUnchanged()).toBe(true);
    },
  );

  test.for(CONTINUED)(
    "another version of %s: a yes and a no, of which the model sees nothing when the session is continued, either",
    async ([name, called, args], { expect }) => {
      let isContinued = false;
      const works = worksForever();
      const script = byKind({ main: (request) => (isContinued ? says("Back at work.") : works(request)) });
      await using run = await setUp(name, script, { otherVersion: true });
      await using terminal = await openScreen(run.agent, ["--max-turns", "2"]);

      await start(run, terminal, expect);
      await untilAsked(run, terminal, 2, expect);
      await goOn(run, terminal, "Enter", expect);
      await untilAsked(run, terminal, 4, expect);
      await end(terminal, NO);
      await terminal.waitFor("A person stopped the run here.");
      await say(terminal, "/exit", `turn-limit: stopped by a person at 2/2 turns (${called})`);
      expect(await exitCode(terminal)).toBe(86);
      expect(run.turns()).toBe(4);

      isContinued = true;
      const wrapWith = underLimits(["--max-turns", "2"]);
      const later = await runAgent(run.agent, { prompt: "Go on.", args, wrapWith });
      expect(later, later.stderr).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Back at work."),
      });
      expect(callsSeen(run)).toEqual([0, 1, 2, 3, 4]);
      for (const { bytes } of run.provider.requests)
        expect(bytes.toString()).not.toMatch(/ask_turn_limit|Continue\?/);
    },
  );

  test.for(AGENTS)(
    "%s: a question that is answered in another terminal first; what is chosen then is too late",
    async ([name], { expect }) => {
      await using run = await setUp(name);
      const store = join(run.agent.root, "pools.sqlite");
      const person = poolsCommand(store);
      await using terminal = await openScreen(run.agent, ["--max-turns", "2", "--store", store]);

      await start(run, terminal, expect);
      await untilAsked(run, terminal, 2, expect);
      await person.answer(await person.openQuestion(), "yes");
      await goOn(run, terminal, NO, expect);
      await untilAsked(run, terminal, 4, expect);
      await person.answer(await person.openQuestion(), "no");
      await end(terminal, "Enter");
      await terminal.waitFor("A person stopped the run here.");
      expect(run.turns()).toBe(4);
    },
  );

  // Those in the background are not offered the tool for questions: the main loop asks for all.
  test("several sub-agents of Claude Code that are at the limit at once: one question", async ({
    expect,
  }) => {
    const works = worksForever();
    const main: ProviderScript = (request) =>
      turnOfConversation(request) === 1
        ? calls(...["one", "two", "three"].map((name) => subAgentCall(request, `Help with part ${name}.`)))
        : works(request);
    await using run = await setUp("claude-code", byKind({ main, "sub-agent": works }));
    const turns = () => run.turns() + (run.got()["sub-agent"] ?? 0);
    await using terminal = await openScreen(run.agent, ["--max-turns", "4"]);

    await start(run, terminal, expect);
    await expect.poll(turns).toBe(4);
    await terminal.waitFor(DIALOG);
    expect(run.got()).toMatchObject({ main: 1, "sub-agent": 3 });
    await press(terminal, "Enter", () => expect.poll(turns, { timeout: betweenKeys }).toBe(8));
    await terminal.waitFor(DIALOG);
    expect(run.got()).toMatchObject({ main: 2, "sub-agent": 6 });
    await end(terminal, NO);
    await terminal.waitFor("A person stopped the run here.");
    expect(turns()).toBe(8);
  });
});
