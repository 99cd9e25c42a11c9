import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation, sessionsFolder, used } from "../../test/stats-history.ts";
import { readPastRuns } from "./past-runs.ts";

const outcome = (data: object) => ({ type: "custom", customType: "turn-limit:outcome", data });

async function read(...conversations: Conversation[]) {
  await using folder = await sessionsFolder();
  for (const [index, { lines }] of conversations.entries())
    await folder.write(`--project-${index}--/${String(index).padStart(4, "0")}`, lines);
  return await readPastRuns(folder.path);
}

test("a run took what its prompt took, as limits count it [RunsAreRemembered]", async () => {
  const session = new Conversation().prompt();
  session
    .answer("toolUse", used(100, 20, 0.25, 1_000, 30))
    .results(2)
    .answer("stop", used(200, 10, 0.5, 7));
  expect(await read(session)).toEqual([
    {
      end: "finished",
      took: {
        ...{ turns: 2, requests: 2, steps: 2, time: 4_000, input: 300, output: 30 },
        ...{ cacheRead: 1_007, cacheWrite: 30, cost: 0.75, calls: { bash: 2 } },
      },
    },
  ]);
});

test("how a run ended follows from its last answer, or from what the extension kept of its end", async () => {
  const turns = { kind: "turns" };
  const session = new Conversation().prompt().turns(1);
  session.prompt().answer("toolUse").results().answer("aborted");
  session.prompt().turns(2).answer("error");
  session.prompt().answer("length");
  session
    .prompt()
    .turns(4)
    .entry(outcome({ outcome: "salvaged", identity: turns, time: 99 }));
  session
    .prompt()
    .turns(5)
    .entry(outcome({ outcome: "wrapped-up", identity: turns }));
  session
    .prompt()
    .turns(6)
    .entry(outcome({ outcome: "completed" }));
  session
    .prompt()
    .answer("toolUse")
    .results()
    .answer("aborted")
    .entry(outcome({ outcome: "declined", identity: turns }));
  session
    .prompt()
    .turns(8)
    .entry(outcome({ outcome: "stopped", identity: { kind: "repeats" } }));
  session
    .prompt()
    .turns(9)
    .entry(outcome({ outcome: 7 }))
    .prompt();
  const runs = await read(session);
  expect(runs.map(({ end, took }) => `${took.turns} ${end}`)).toEqual([
    "1 finished",
    "1 finished",
    "4 limited",
    "5 limited",
    "6 finished",
    "1 limited",
    "9 finished",
  ]);
  expect(runs[2]?.took.time).toBe(99);
});

test("only the last 300 sessions are read, over all projects", async () => {
  const sessions = Array.from({ length: 310 }, (_, index) =>
    new Conversation(`s${index}`).prompt().turns((index % 7) + 1),
  );
  const runs = await read(...sessions);
  expect(runs).toHaveLength(300);
  expect(runs[0]?.took.turns).toBe((10 % 7) + 1);
});

test("each session is read once, however many links lead to it", async () => {
  await using folder = await sessionsFolder();
  await using elsewhere = await sessionsFolder();
  const turns = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const count of turns)
    await elsewhere.write(`${count + 10}`, new Conversation(`s${count}-`).prompt().turns(count).lines);
  await symlink(elsewhere.path, join(folder.path, "elsewhere"));
  await symlink(elsewhere.path, join(elsewhere.path, "loop"));
  expect((await readPastRuns(folder.path)).map(({ took }) => took.turns)).toEqual(turns);
});

test("damaged files and lines are left out, and where there is no folder there are no runs", async () => {
  await using folder = await sessionsFolder();
  await folder.write("a", ["{", "null", ...new Conversation().prompt().turns(2).lines, '{"type":"mess']);
  await folder.write("b", ["no session"]);
  expect((await readPastRuns(folder.path)).map(({ took }) => took.turns)).toEqual([2]);
  expect(await readPastRuns("/nowhere/at/all")).toEqual([]);
});
