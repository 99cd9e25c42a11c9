import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { byKind, says, worksFor, worksForever } from "@turn-limit/rig";
import { describe, test } from "vitest";
import { asked, exitCode, openHeadless, openScreen, say, setUp } from "./on-a-terminal.ts";
import { poolsCommand } from "./pools-command.ts";

const all = { concurrent: true };
const minute = 60_000;

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
    expect(run.provider.requests.slice(-1).map(({ body }) => JSON.stringify(body))).toEqual([
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

  // One that waits less than a minute is answered sooner.
  test.for([
    ["gemini-cli", "Gemini CLI"],
    ["qwen-code", "Qwen Code"],
    ["pi", "Pi"],
  ] as const)("%s goes on after y, and ends after n", async ([name, called], { expect }) => {
    await using run = await setUp(name);
    await using terminal = await openHeadless(run.agent);

    await asked(terminal, 1);
    expect(run.turns()).toBe(2);
    await terminal.submit("y");
    await asked(terminal, 2);
    expect(run.turns()).toBe(4);
    await terminal.submit("n");

    expect(await exitCode(terminal)).toBe(86);
    expect(run.turns()).toBe(4);
    expect(await terminal.screen()).toMatch(
      new RegExp(
        `stopped the run here\\..*turn-limit: stopped by a person at 2/2 turns \\(${called}\\)`,
        "s",
      ),
    );
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
    ["gemini-cli", "Gemini CLI"],
    ["qwen-code", "Qwen Code"],
    ["pi", "Pi"],
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

    const end = await say(terminal, name === "pi" ? "/quit" : "/exit", /^turn-limit: .*/m);
    expect(end).toMatch(`turn-limit: stopped at 3/3 turns (${called})`);
    expect(await exitCode(terminal)).toBe(86);
    expect(run.turns()).toBe(3);
    expect(await run.isConfigUnchanged()).toBe(true);
  });

  test("what Qwen Code needs beside its loop, such as suggestions and its memory, takes no turn", async ({
    expect,
  }) => {
    await using run = await setUp("qwen-code", byKind({ main: worksFor(2) }));
    await using terminal = await openScreen(run.agent, ["--max-turns", "4", "--at-limit", "stop"]);

    await say(terminal, "Do it.", "All done.");
    await expect.poll(() => run.got()).toEqual({ main: 3, aside: 1 });
    await say(terminal, "And more.", /And more\..*All done\./s);
    await expect.poll(() => run.got()).toEqual({ main: 4, aside: 3 });

    const end = await say(terminal, "/exit", /^turn-limit: .*/m);
    expect(end).toMatch(/^turn-limit: completed \(Qwen Code\) · 4 turns · 7 requests · /m);
    expect(await exitCode(terminal)).toBe(0);
  });

  test("a summary of the transcript by Gemini CLI, which is checked by another request, takes no turn", async ({
    expect,
  }) => {
    await using run = await setUp("gemini-cli", byKind({ main: worksFor(3) }));
    await using terminal = await openScreen(run.agent, ["--max-turns", "4", "--at-limit", "stop"]);

    await say(terminal, "Do it.", "All done.");
    await say(terminal, "/compress", "Compression was not beneficial");
    expect(run.got()).toEqual({ main: 4, aside: 2 });

    const end = await say(terminal, "/exit", /^turn-limit: .*/m);
    expect(end).toMatch(/^turn-limit: completed \(Gemini CLI\) · 4 turns · 6 requests · /m);
    expect(await exitCode(terminal)).toBe(0);
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
    const limits = [
      "--max-turns",
      "2",
      "--max-cost",
      "$5",
      "--unpriced",
      "warn",
      "--no-dialog",
      "--store",
      store,
    ];
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
