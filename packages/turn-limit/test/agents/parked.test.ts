import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  type AgentName,
  byKind,
  kindOf,
  type PreparedAgent,
  prepareAgent,
  runAgent,
  startScriptedProvider,
  textOfRole,
  worksFor,
  worksForever,
} from "@turn-limit/rig";
import { test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { BIN, countsOf, underLimits } from "./under-run.ts";

const PROMPT = "Count the blue herons.";

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** `turn-limit` as a person types it later, in another folder, without a terminal. */
async function typed(agent: PreparedAgent, ...args: string[]): Promise<Result> {
  const env = { ...agent.env, TURN_LIMIT_STORE: storeOf(agent) };
  const child = spawn(process.execPath, [BIN, ...args], {
    ...{ cwd: agent.root, env, detached: true },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, stdout, stderr };
}

function storeOf({ root }: PreparedAgent): string {
  return join(root, "runs.sqlite");
}

async function parkedIn(agent: PreparedAgent) {
  const { stdout } = await typed(agent, "parked", "--json");
  return JSON.parse(stdout).parked as { id: string; session: string; question: { id: string } }[];
}

/** What the store knows of runs. */
async function runsIn(agent: PreparedAgent): Promise<string> {
  const store = sqliteStore(storeOf(agent));
  try {
    return JSON.stringify(await store.runs());
  } finally {
    await store.close();
  }
}

/** The command of a run that parks after three turns. */
function parking(agent: PreparedAgent): string[] {
  return underLimits(["--max-turns", "3", "--unanswered", "park", "--store", storeOf(agent)]);
}

test.for<[AgentName, string]>([
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["opencode", "opencode"],
  ["gemini-cli", "Gemini CLI"],
  ["qwen-code", "Qwen Code"],
  ["pi", "Pi"],
])(
  "%s is parked at its third turn, answered, and resumed once with its conversation, of two who do so at once",
  async ([name, called], { expect }) => {
    await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const turns = () => countsOf(provider).main;

    const first = await runAgent(agent, { prompt: PROMPT, wrapWith: parking(agent) });
    const [parked] = await parkedIn(agent);
    const id = parked?.id ?? "";
    expect({ turns: turns(), code: first.code }, first.stderr).toEqual({ turns: 3, code: 87 });
    const resume = `npx turn-limit resume ${id} --store ${storeOf(agent)}`;
    expect(first.stdout).toContain(
      `Turn limit reached (3/3). Nobody answered, so the run is parked here. To go on: ${resume}`,
    );
    expect(first.stderr).toMatch(`turn-limit: parked at 3/3 turns (${called}) · `);
    expect(first.stderr).toContain(`to go on: ${resume}`);
    expect(await runsIn(agent)).toContain(parked?.session);
    expect(await runsIn(agent)).not.toContain("blue herons");

    const answered = await typed(agent, "pools", "answer", id, parked?.question.id ?? "", "2");
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining(`turn-limit resume ${id}`) });
    expect(turns()).toBe(3);

    const both = await Promise.all([typed(agent, "resume", id), typed(agent, "resume", id)]);
    const [resumed, other] = both.sort((one, another) => one.code - another.code) as [Result, Result];
    expect({ turns: turns(), codes: both.map(({ code }) => code) }, resumed.stderr + other.stderr).toEqual({
      turns: 5,
      codes: [0, 1],
    });
    expect(resumed.stdout).toContain("All done.");
    expect(resumed.stderr).toMatch(`turn-limit: completed (${called}) · 5 turns · `);
    const mains = provider.requests.filter((request) => kindOf(request) === "main");
    const [, , , fourth] = mains;
    expect(fourth && textOfRole(fourth, "user")).toContain(PROMPT);
    expect(fourth && textOfRole(fourth, "tool")).toMatch(/turn 1.*turn 2.*turn 3/s);
    expect(await parkedIn(agent)).toEqual([]);
  },
);

test("a run that was resumed is parked again at the next limit, under the same name", async ({ expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
  await using agent = await prepareAgent("claude-code", { providerAddress: provider.address });
  await runAgent(agent, { prompt: PROMPT, wrapWith: parking(agent) });
  const [first] = await parkedIn(agent);

  // A yes is another three, an amount as much as it says.
  expect((await typed(agent, "resume", first?.id ?? "")).code).toBe(87);
  expect(countsOf(provider).main).toBe(6);
  const [second] = await parkedIn(agent);
  expect([second?.id, second?.session]).toEqual([first?.id, first?.session]);
  expect((await typed(agent, "resume", first?.id ?? "", "1")).code).toBe(87);
  expect(countsOf(provider).main).toBe(7);

  const forgotten = await typed(agent, "parked", "forget", first?.id ?? "");
  expect(forgotten.stdout).toBe(`${first?.id} is no longer parked. The session of Claude Code stays.\n`);
  expect((await typed(agent, "resume", first?.id ?? "")).stderr).toContain("is not parked here. None is.");
  expect(countsOf(provider).main).toBe(7);
});

test("a run whose agent cannot go on stays parked, with its answer", async ({ expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(3) }));
  await using agent = await prepareAgent("claude-code", { providerAddress: provider.address });
  await runAgent(agent, { prompt: PROMPT, wrapWith: parking(agent) });
  const [{ id } = { id: "" }] = await parkedIn(agent);

  const failed = await typed(agent, "resume", id, "2", "--", "--no-such-option");
  expect(failed.stderr).toContain(`${id} could not go on, and is parked as before.`);
  expect(await parkedIn(agent)).toMatchObject([{ id, question: { reply: { more: 2 } } }]);
  expect(countsOf(provider).main).toBe(3);

  expect(await typed(agent, "resume", id)).toMatchObject({ code: 0, stdout: "All done.\n" });
  expect(countsOf(provider).main).toBe(4);
});
