import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  type AgentName,
  byKind,
  type ProviderScript,
  prepareAgent,
  startAgent,
  startScriptedProvider,
  worksFor,
  worksForever,
} from "@turn-limit/rig";
import { test } from "vitest";
import { poolsCommand } from "./pools-command.ts";
import { countsOf, type Seen, underLimits, underRun } from "./under-run.ts";

const ASKER = fileURLToPath(new URL("asked-by-command.ts", import.meta.url));
const MINUTE = 60_000;

/** What the command for `--ask` writes down. */
interface Asked {
  readonly question: unknown;
  readonly asked: number;
  readonly replied: number;
}

/** An agent that is asked after 2 turns, by a command that says yes after a minute, and finishes with its fourth. */
async function askedByCommand(name: AgentName) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "turn-limit-asked-"));
  const log = join(folder.path, "asked.jsonl");
  const command = [process.execPath, ASKER, log].map((word) => `'${word}'`).join(" ");
  const turns: number[] = [];
  const seen: Seen = await underRun(name, ["--max-turns", "2", "--ask", command], notingTurns(turns));
  const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
  const asked = lines.map((line): Asked => JSON.parse(line));
  const [{ asked: from, replied: to }] = asked as [Asked];
  return {
    seen,
    questions: asked.map(({ question }) => question),
    isHeldForAMinute: to - from > 0.99 * MINUTE,
    turns: {
      before: turns.filter((at) => at <= from).length,
      meanwhile: turns.filter((at) => at > from && at < to).length,
      after: turns.filter((at) => at >= to).length,
    },
  };
}

function notingTurns(turns: number[]): ProviderScript {
  const works = worksFor(3);
  return byKind({
    main: (request) => {
      turns.push(Date.now());
      return works(request);
    },
  });
}

// All of them wait at the same time. A reply of no after a minute is in the tests on a terminal.
test.concurrent.for([
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["opencode", "opencode"],
  ["qwen-code", "Qwen Code"],
  ["pi", "Pi"],
] as const)(
  "%s waits a minute for a yes by a command, and finishes with the last turn that it may have",
  async ([name, called], { expect }) => {
    const { seen, questions, isHeldForAMinute, turns } = await askedByCommand(name);

    expect(questions).toEqual([
      {
        limit: "turns",
        identity: { kind: "turns" },
        used: 2,
        max: 2,
        why: null,
        agent: called,
        cwd: expect.stringMatching(/project$/),
        run: expect.any(String),
        text: "Turn limit reached (2/2). Continue?",
      },
    ]);
    expect(isHeldForAMinute).toBe(true);
    expect(turns).toEqual({ before: 2, meanwhile: 0, after: 2 });
    expect(seen.stdout).toBe("All done.\n");
    expect(seen.summary).toMatch(`turn-limit: completed (${called}) · 4 turns · `);
    expect(seen).toMatchObject({ code: 0, isConfigUnchanged: true });
  },
);

// It closes the connection after 60 seconds.
test.concurrent("gemini-cli waits as long as a question may hold it, and ends by itself when nobody replies", async ({
  expect,
}) => {
  const seen = await underRun(
    "gemini-cli",
    ["--max-turns", "2", "--ask", "sleep 600"],
    byKind({ main: worksForever() }),
  );

  expect(seen.got).toEqual({ main: 2 });
  expect(seen.stdout).toContain("Turn limit reached (2/2). Nobody answered, so the run was stopped here.");
  expect(seen.summary).toMatch(/^turn-limit: stopped at 2\/2 turns \(Gemini CLI\) · /);
  expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
});

test.concurrent("gemini-cli goes on after a yes by a command, for as many turns", async ({ expect }) => {
  const seen = await underRun(
    "gemini-cli",
    ["--max-turns", "2", "--ask", "echo yes"],
    byKind({ main: worksFor(3) }),
  );

  expect(seen.got).toEqual({ main: 4 });
  expect(seen.stdout).toBe("All done.\n");
  expect(seen.summary).toMatch("turn-limit: completed (Gemini CLI) · 4 turns · 4 requests · ");
  expect(seen).toMatchObject({ code: 0, isConfigUnchanged: true });
});

test.concurrent("a reply comes from another terminal after a minute", async ({ expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  const config = await agent.configSnapshot();
  const store = join(agent.root, "pools.sqlite");
  const person = poolsCommand(store);
  await using running = startAgent(agent, {
    prompt: "Go.",
    wrapWith: underLimits(["--max-turns", "2", "--at-limit", "ask", "--store", store]),
  });

  const first = await person.openQuestion();
  expect(first).toMatchObject({ name: `Codex in ${agent.project}`, limit: "turns", used: 2, max: 2 });
  await pause(MINUTE);
  expect(countsOf(provider)).toEqual({ main: 2 });
  await person.answer(first, "yes");
  await person.answer(await person.openQuestion(), "no");

  const { code, stdout, stderr } = await running.ended();
  expect({ code, got: countsOf(provider) }).toEqual({ code: 86, got: { main: 4 } });
  expect(stdout).toContain("A person stopped the run here.");
  expect(stderr).toContain(
    `A question is open. Answer it in another terminal: npx turn-limit pools --store ${store}`,
  );
  expect(await agent.configSnapshot()).toEqual(config);
});
