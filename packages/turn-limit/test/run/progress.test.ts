import { expect, test } from "vitest";
import type { AdapterOptions, RunInfo } from "../../src/run/index.ts";
import { Run } from "../../src/run/run.ts";
import { alone, driven, severalWait } from "../helpers/driven.ts";
import { rest } from "../helpers/person.ts";

type Progress = Extract<NonNullable<AdapterOptions["progress"]>, (...args: never[]) => unknown>;

/** One that asks for progress when the test says so. */
function asked() {
  const calls: { signal: AbortSignal; run: RunInfo; say(found: boolean | string): void }[] = [];
  const progress: Progress = (run, _boundary, signal) =>
    new Promise((resolve) => calls.push({ run, signal, say: resolve }));
  return { calls, progress };
}

const turns = { max: 1, extend: 2, onExhausted: "stop" } as const;

test("a turn is held while the host finds out whether the run got somewhere, and then begins [LimitExtended]", async () => {
  const { calls, progress } = asked();
  const { driver } = alone({ turns, progress });
  await driver.admitTurn();
  driver.turnEnded();
  const admission = driver.admitTurn();
  await rest();
  expect(calls.length).toBe(1);
  calls[0]?.say("3 files changed");
  expect(await admission).toEqual({ kind: "proceed" });
  expect(driver.view.standings[0]).toMatchObject({
    used: 1,
    extended: { times: 1, what: "3 files changed" },
  });
});

test("a person is asked only when the run got nowhere, or was extended so often [NoProgress]", async () => {
  const found = [true, false];
  const { driver, person } = driven({ turns: { max: 1, extend: 9 }, progress: () => found.shift() });
  for (let turn = 0; turn < 2; turn += 1) {
    await driver.admitTurn();
    driver.turnEnded();
  }
  expect(person.asked).toEqual([]);
  const admission = driver.admitTurn();
  await rest();
  expect(person.last.ask).toMatchObject({ limit: "turns", used: 1, max: 1, extended: { times: 1 } });
  await person.replies(true);
  expect(await admission).toEqual({ kind: "proceed" });
});

test("one that throws, rejects or says something else is no progress, with a warning [NoProgress]", async () => {
  const broken: [Progress, string][] = [
    [
      () => {
        throw new Error("git is gone");
      },
      "progress threw: Error: git is gone. It is taken for no progress.",
    ],
    [() => Promise.reject(new Error("no")), "progress threw: Error: no. It is taken for no progress."],
    [
      () => 3 as never,
      "progress threw: InvalidLimit: what it returned must be true, false, or a text that says what progress was, " +
        "not 3. It is taken for no progress.",
    ],
  ];
  for (const [progress, warning] of broken) {
    const { driver, warnings } = alone({ turns, progress });
    await driver.admitTurn();
    driver.turnEnded();
    expect(await driver.admitTurn()).toMatchObject({ kind: "stop", limit: "turns" });
    expect(warnings).toEqual([warning]);
  }
});

test("one that hangs is no progress after five minutes, with a warning, and is told to end [NoProgress]", async () => {
  const { calls, progress } = asked();
  const { driver, clock, warnings } = alone({ turns, progress });
  await driver.admitTurn();
  driver.turnEnded();
  const admission = driver.admitTurn();
  await rest();
  clock.pass(299_999);
  await rest();
  expect(warnings).toEqual([]);
  clock.pass(1);
  expect(await admission).toMatchObject({ kind: "stop" });
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(warnings).toEqual(["progress took longer than 5 minutes. It is taken for no progress."]);
});

test("a turn that is aborted meanwhile does not wait, and the host is told that nobody needs to know any more", async () => {
  const { calls, progress } = asked();
  const { driver, warnings } = alone({ turns, progress });
  await driver.admitTurn();
  driver.turnEnded();
  const aborted = new AbortController();
  const admission = driver.admitTurn(aborted.signal);
  await rest();
  aborted.abort();
  expect(await admission).toMatchObject({ kind: "stop" });
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(driver.end("aborted")).toMatchObject({ kind: "aborted", turns: 1 });
  expect(warnings).toEqual([]);
});

test("of several turns that wait, the host is asked once, and those begin that the new round covers [LimitExtended]", async () => {
  const { calls, progress } = asked();
  const { driver } = alone({ turns: { max: 2, extend: 1, onExhausted: "stop" }, progress });
  for (let turn = 0; turn < 2; turn += 1) {
    await driver.admitTurn();
    driver.turnEnded();
  }
  const decided = severalWait(driver, 3);
  await rest();
  expect(calls.length).toBe(1);
  calls[0]?.say(true);
  await rest();
  expect(decided).toEqual(["proceed", "proceed", "stop"]);
});

test("a sub-agent's turn is extended, too; where there is no progress it leaves the last answer to the agent above", async () => {
  const found = [true, false];
  const { driver } = alone({
    turns: { max: 1, extend: 2, onExhausted: "synthesize" },
    progress: () => found.shift(),
  });
  await driver.admitTurn();
  driver.turnEnded();
  expect(await driver.admitSubAgentTurn()).toEqual({ kind: "proceed" });
  driver.turnEnded();
  expect(await driver.admitSubAgentTurn()).toMatchObject({ kind: "stop" });
  expect(driver.view.stop).toBeNull();
  expect(await driver.admitTurn()).toMatchObject({ kind: "synthesize", limit: "turns" });
});

test("limits that change meanwhile decide: the host is told that nobody needs to know any more", async () => {
  const { calls, progress } = asked();
  const { driver } = alone({ turns, progress });
  await driver.admitTurn();
  driver.turnEnded();
  const admission = driver.admitTurn();
  await rest();
  driver.configure({ turns: { max: 9, extend: 2, onExhausted: "stop" } });
  expect(await admission).toEqual({ kind: "proceed" });
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(driver.view.standings[0]).not.toHaveProperty("extended");
});

test("time that is up in the middle of a turn is extended there; without progress it is cut off", async () => {
  const found = [true, false];
  const { driver, clock } = alone({
    time: { max: 1_000, extend: 2, onExhausted: "stop" },
    progress: () => found.shift(),
  });
  await driver.admitTurn();
  clock.pass(1_000);
  await rest();
  expect([driver.signal.aborted, driver.view.standings[1]]).toMatchObject([
    false,
    { extended: { times: 1 } },
  ]);
  clock.pass(999);
  await rest();
  expect(driver.signal.aborted).toBe(false);
  clock.pass(1);
  await rest();
  expect(driver.signal.aborted).toBe(true);
  driver.turnEnded("aborted");
  expect(driver.end()).toMatchObject({
    kind: "stopped",
    limit: "time",
    extensions: [{ limit: "time", times: 1 }],
  });
});

test("what sees each turn sees it before it is decided, and a turn that is made again is not seen", async () => {
  const seen: string[] = [];
  const progress = {
    turnComes: async () => {
      await rest();
      seen.push("turn");
    },
    find: () => {
      seen.push("find");
      return true;
    },
  };
  const { driver } = alone({ turns: { max: 2, extend: 1 }, progress });
  await driver.admitTurn();
  driver.turnEnded("failed");
  await driver.admitTurn(undefined, { as: "retry" });
  driver.turnEnded();
  await driver.admitTurn();
  driver.turnEnded();
  expect(await driver.admitTurn()).toEqual({ kind: "proceed" });
  expect(seen).toEqual(["turn", "turn", "turn", "find"]);
});

test("observers are told what was extended, and that is no question", async () => {
  const told: unknown[] = [];
  const observe = {
    extended: (
      { limit, used, max }: { limit: string; used: number; max: unknown },
      what: string | undefined,
    ) => void told.push([limit, used, max, what]),
    asked: () => void told.push("asked"),
    replied: () => void told.push("replied"),
  };
  const { driver } = alone({ turns, observe, progress: () => "2 files changed" });
  await driver.admitTurn();
  driver.turnEnded();
  await driver.admitTurn();
  expect(told).toEqual([["turns", 1, 1, "2 files changed"]]);
});

test("a limit that may be extended needs something that says whether the run got somewhere", () => {
  const needs = "progress must be a function, by which a limit with extend is extended, not undefined";
  expect(() => new Run({ turns })).toThrow(needs);
  const run = new Run({ turns: 3 });
  expect(() => run.configure({ turns })).toThrow(needs);
  expect(run.view.settings.turns).toMatchObject({ max: 3, extend: 0 });
  expect(() => new Run({ progress: "npm test" as never })).toThrow(
    "progress must be a function, or what turn-limit/progress makes",
  );
});

test.each([
  ["before the first turn", "turnComes", 0, "time"],
  ["before a later turn", "turnComes", 1, "time"],
  ["at the boundary", "find", 1, "turns"],
] as const)(
  "what hangs %s takes no longer than a time limit leaves, and the run ends then",
  async (_, hanging, before, limit) => {
    const hangs = () => new Promise<never>(() => {});
    let seen = 0;
    const turnComes = () => (hanging === "turnComes" && seen++ === before ? hangs() : undefined);
    const time = { max: 5_000, onExhausted: "stop" } as const;
    const { driver, clock, warnings } = alone({ turns, time, progress: { turnComes, find: hangs } });
    for (let turn = 0; turn < before; turn += 1) {
      await driver.admitTurn();
      driver.turnEnded();
    }
    const admission = driver.admitTurn();
    await rest();
    clock.pass(5_000);
    expect(await admission).toMatchObject({ kind: "stop", limit });
    expect(warnings).toEqual([]);
  },
);
