import { join } from "node:path";
import { expect, test } from "vitest";
import { parkedRuns, parkRun, type RunToPark } from "../../src/pools/listing/parked-runs.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { InstalledClaude } from "./installed-claude.ts";

const claude = new InstalledClaude();
const typed = claude.typed.bind(claude);
const parked = claude.parked.bind(claude);

test("a limit that all runs of a day share is parked as well, and a yes allows more for everyone", async () => {
  const limits = ["--max-turns", "2 per day", "--unanswered", "park"];
  expect((await typed("run", ...limits, "claude", "-p", "x")).code).toBe(87);
  const [{ id, question }] = await parked();
  expect(question).toMatchObject({ limit: "turns per day", used: 2, max: 2 });
  const { code, err } = await typed("resume", id);
  expect(claude.provider.requests).toHaveLength(4);
  expect(err).toMatch(/^turn-limit: parked at 4\/4 turns per day \(Claude Code\) · /m);
  expect(code).toBe(87);
});

test("other limits go on with what is left of them", async () => {
  const limits = ["--max-turns", "2", "--max-requests", "5", "--unanswered", "park", "--json"];
  const first = await typed("run", ...limits, "claude", "-p", "x");
  const [{ id, used }] = await parked();
  // A gateway sees no tool calls.
  expect(used).toMatchObject({ turns: 2, requests: 2, tokens: 2_000, steps: null });
  const resume = `npx turn-limit resume ${id} --store ${join(claude.folder, "runs.sqlite")}`;
  expect(JSON.parse(first.err)).toMatchObject({ exitCode: 87, limited: true, parked: { id, resume } });
  // The turns are lifted, and the fifth request is the last.
  const second = await typed("resume", id, "unlimited");
  expect(claude.provider.requests).toHaveLength(5);
  expect(JSON.parse(second.err)).toMatchObject({
    ...{ exitCode: 87, limit: "requests", used: 5, max: 5, turns: 5, requests: 5 },
    tokens: { input: 4_500, output: 500 },
  });
  expect((await parked())[0].limits).toMatchObject([
    // Since the yes.
    { limit: "turns", used: 3, max: "unlimited" },
    { limit: "requests", used: 5, max: 5 },
  ]);
});

test("the reply with which a run is resumed is kept once, with where it was given [GrantIsKept]", async () => {
  const limits = ["--max-turns", "2", "--unanswered", "park"];
  expect((await typed("run", ...limits, "claude", "-p", "x")).code).toBe(87);
  const [{ id }] = await parked();
  expect((await typed("resume", id, "1")).code).toBe(87);
  expect(claude.provider.requests).toHaveLength(3);
  const { grants } = JSON.parse((await typed("grants", "--json")).out);
  expect(grants.map(({ where, reply }: Record<string, unknown>) => [where, reply])).toEqual([
    ["with turn-limit resume", { more: 1 }],
  ]);
});

test("a question that is open in the pools is parked when the agent stops waiting", async () => {
  const asks = ["--at-limit", "ask", "--hold", "1s", "--unanswered", "park"];
  const { code, out } = await typed("run", "--max-turns", "2", ...asks, "claude", "-p", "x");
  expect(out).toContain(
    "Turn limit reached (2/2). Nobody answered, so the run is parked here. To go on: npx ",
  );
  expect({ code, requests: claude.provider.requests.length }).toEqual({ code: 87, requests: 2 });
});

test("a no, and a run that is stopped, park nothing; a no later resumes nothing", async () => {
  const limits = ["--max-turns", "2", "--unanswered", "park"];
  expect((await typed("run", ...limits, "--ask", "echo no", "claude", "-p", "x")).code).toBe(86);
  expect(await parked()).toEqual([]);

  expect((await typed("run", ...limits, "claude", "-p", "x")).code).toBe(87);
  const [{ id, question }] = await parked();
  const extended = await typed("pools", "extend", id, "turns", "5");
  expect(extended.err).toContain(`is parked. Answer its question, or use turn-limit resume ${id}`);
  const answered = await typed("pools", "answer", id, question.id, "no");
  expect(answered).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      `turn-limit parked forget ${id} --store ${join(claude.folder, "runs.sqlite")}`,
    ),
  });
  expect(answered.out).not.toContain("resume ");
  const refused = await typed("resume", id);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`${id} was answered with no.`) });
  expect((await typed("parked")).out).toMatch(
    /Claude Code in ~ .*Turn limit reached \(2\/2\)\. Continue\? Answered: no\./,
  );
  expect(claude.provider.requests).toHaveLength(4);
});

test("bad input is refused before anything is resumed", async () => {
  expect((await typed("run", "--max-turns", "1", "--unanswered", "park", "claude", "-p", "x")).code).toBe(87);
  const [{ id }] = await parked();
  for (const [args, message] of [
    [["resume"], "ID is missing. Use turn-limit resume ID [REPLY]."],
    [["resume", id, "maybe"], '"maybe" is not a reply.'],
    [["resume", id, "no"], `A no resumes nothing. To remove it, use turn-limit parked forget ${id}.`],
    [["resume", id, "1", "2"], '"2" is one word too many.'],
    [["parked", "forgt", id], '"forgt" is not an action. Did you mean forget?'],
    [["parked", "forget"], "ID is missing. Use turn-limit parked forget ID."],
  ] as const)
    expect(await typed(...args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  expect(await parked()).toMatchObject([{ id, question: { reply: null } }]);
  expect(claude.provider.requests).toHaveLength(1);
});

test("a run that could not be parked is not started", async () => {
  // A folder is no store.
  const park = ["--max-turns", "2", "--unanswered", "park", "--store", claude.folder];
  const { code, err } = await typed("run", ...park, "claude", "-p", "x");
  expect(err).toBe(
    `turn-limit: The SQLite store ${claude.folder} is a folder. Name a file, which may be a new one.\n`,
  );
  expect({ code, requests: claude.provider.requests.length }).toEqual({ code: 1, requests: 0 });
});

test("a run that another version parked stays parked, and it is said how to go on without us", async () => {
  expect((await typed("run", "--max-turns", "2", "--unanswered", "park", "claude", "-p", "x")).code).toBe(87);
  const store = sqliteStore(join(claude.folder, "runs.sqlite"));
  const [run] = await parkedRuns(store);
  if (!run) throw new Error("No run is parked");
  const { id, name, question, run: listed, parked: kept } = run;
  const older = { ...JSON.parse(kept.state), version: 1 };
  const again = { ...listed, parked: { ...kept, state: JSON.stringify(older) } };
  await parkRun(store, { id, name, run: again, question: question as RunToPark["question"] });
  await store.close();
  const { code, err } = await typed("resume", id);
  expect(err).toMatch(
    `turn-limit: ${id} cannot go on: another version of turn-limit parked it, or its record is damaged (state.version`,
  );
  expect(err).toContain(`Its session in Claude Code is ${kept.session}. npx turn-limit parked forget ${id}`);
  expect({ code, requests: claude.provider.requests.length }).toEqual({ code: 1, requests: 2 });
  expect((await parked()).map((each: { id: string }) => each.id)).toEqual([id]);
});
