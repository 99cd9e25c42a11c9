import { expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import type { Reply } from "../../src/core/governor/decision.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { driven, held, severalWait, WAYS } from "../helpers/driven.ts";
import { Person, rest } from "../helpers/person.ts";
import { used } from "../helpers/runs.ts";

test("ten that wait for one question are decided one by one: each yes lets exactly one begin [WaiterDecidedAnew]", async () => {
  const { driver, person } = driven({ turns: 1 });
  const decided = severalWait(driver, 10);
  await rest();
  for (let yes = 1; yes <= 4; yes += 1) {
    expect([person.asked.length, decided]).toEqual([yes, new Array(yes).fill("proceed")]);
    expect(driver.view.totals.turns).toBe(yes);
    await person.replies(true);
  }
  await person.replies(false);
  expect(decided).toEqual([...new Array(5).fill("proceed"), ...new Array(5).fill("stop")]);
  for (let request = 0; request < 5; request += 1) driver.requestSent();
  expect(driver.end()).toMatchObject({ kind: "declined", limit: "turns", turns: 5, rounds: 5 });
});

test("a loop of one's own with ten parallel turns has each of them counted, and never an overrun", async () => {
  const person = new Person();
  const limits = limitLoop({ turns: 1, ask: person.ask });
  limits.begin();
  const turns: unknown[] = [];
  for (let waiter = 0; waiter < 10; waiter += 1)
    void limits.nextTurn().then((turn) => {
      turns.push(turn && "turn");
      if (turn) limits.requestSent();
    });
  await rest();
  expect(turns).toEqual(["turn"]);
  await person.replies(true);
  expect(turns).toEqual(["turn", "turn"]);
  expect(used(limits, "turns")).toBe(1);
  await person.replies(false);
  expect(turns).toEqual(["turn", "turn", ...new Array(8).fill(undefined)]);
  expect([limits.signal.aborted, limits.end()]).toMatchObject([false, { kind: "declined", turns: 2 }]);
});

test.each<[Reply, number]>([
  [{ more: 3 }, 3],
  ["unlimited", 9],
  ["wrap-up", 1],
])("of nine that wait, %j lets %i begin", async (reply, count) => {
  const { driver, person } = driven({ turns: 1 });
  const decided = severalWait(driver, 10);
  await rest();
  await person.replies(reply);
  expect(decided).toHaveLength(1 + count);
  expect(decided).not.toContain("stop");
  expect(driver.view.totals.turns).toBe(1 + count);
});

test("one who comes when the reply is there, and the turn has not begun, waits for a question of its own", async () => {
  const { driver, person, admission } = await held();
  person.last.reply(true);
  const late = severalWait(driver, 1);
  expect(await admission).toEqual({ kind: "proceed" });
  await rest();
  expect([late, person.asked.length, used(driver, "turns")]).toEqual([[], 2, 1]);
});

test.each(WAYS)(
  "a limit raised through %s withdraws the question, and the turn begins",
  async (_who, configure) => {
    const { driver, person, admission } = await held();
    expect(person.last.signal.aborted).toBe(false);
    configure(driver, { turns: 5 });
    expect(person.last.signal.aborted).toBe(true);
    expect(await admission).toEqual({ kind: "proceed" });
    await person.replies(false);
    expect(driver.view).toMatchObject({ status: "running", totals: { turns: 2 } });
  },
);

test.each(WAYS)(
  "a limit lowered, or the same once more, through %s leaves the question open",
  async (_who, configure) => {
    const { driver, person, admission } = await held();
    configure(driver, { turns: 1 });
    configure(driver, { turns: 0 });
    await rest();
    expect([person.asked.length, person.last.signal.aborted]).toEqual([1, false]);
    await person.replies(true);
    expect(await admission).toEqual({ kind: "proceed" });
  },
);

test("a new prompt withdraws the question: neither a yes nor a no to it touches the new run [LateReplyDecidesNothing]", async () => {
  for (const reply of [true, false]) {
    const { driver, person, admission } = await held();
    driver.begin();
    expect(person.last.signal.aborted).toBe(true);
    await person.replies(reply);
    expect(await admission).toMatchObject({ kind: "stop", raises: false });
    expect(driver.view).toMatchObject({ status: "running", totals: { turns: 0 } });
    expect(await driver.admitTurn()).toEqual({ kind: "proceed" });
  }
});

test("the end of the run withdraws the question, and the run was aborted", async () => {
  const { driver, person, admission } = await held();
  expect(driver.end()).toMatchObject({ kind: "aborted" });
  expect(person.last.signal.aborted).toBe(true);
  expect(await admission).toMatchObject({ kind: "stop" });
});

test("when the only one who waits gives up, the question is withdrawn, and put anew for who comes next", async () => {
  const abort = new AbortController();
  const { driver, person, admission } = await held({}, abort.signal);
  abort.abort();
  expect(await admission).toMatchObject({ kind: "stop", outcome: "stopped", raises: false });
  expect([person.last.signal.aborted, driver.view.status]).toEqual([true, "asking"]);
  const next = driver.admitTurn();
  await rest();
  expect(person.asked).toHaveLength(2);
  await person.replies(true);
  expect(await next).toEqual({ kind: "proceed" });
});

test("when one of two who wait gives up, the question stays open for the other", async () => {
  const abort = new AbortController();
  const { driver, person, admission } = await held({}, abort.signal);
  const other = driver.admitTurn();
  abort.abort();
  expect((await admission).kind).toBe("stop");
  expect(person.last.signal.aborted).toBe(false);
  await person.replies(true);
  expect((await other).kind).toBe("proceed");
  expect(person.asked).toHaveLength(1);
});

test("a run that somebody gave up at the question was aborted, not declined", async () => {
  const abort = new AbortController();
  const { driver, admission } = await held({}, abort.signal);
  abort.abort();
  await admission;
  expect(driver.end()).toMatchObject({ kind: "aborted", turns: 1 });
});

test("somebody who raises the limit at once, and never replies, lets the turn begin", async () => {
  const { driver } = driven({ turns: 1, ask: () => raised() });
  const raised = () => {
    driver.configure({ turns: 9 });
    return new Promise<Reply>(() => {});
  };
  await driver.admitTurn();
  expect(await driver.admitTurn()).toEqual({ kind: "proceed" });
});

const NO_SCREEN = ["ask threw: Error: no screen. It is taken for a no."];

test.each<[string, AdapterOptions["ask"], string[]]>([
  [
    "throws",
    () => {
      throw new Error("no screen");
    },
    NO_SCREEN,
  ],
  ["rejects", () => Promise.reject(new Error("no screen")), NO_SCREEN],
  ["says nothing", () => undefined, []],
])("to ask somebody in a way that %s is a no, and an error is told", async (_how, ask, told) => {
  const { driver, warnings } = driven({ turns: 0, ask });
  expect(await driver.admitTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
  expect(warnings).toEqual(told);
});

test.each(["yes", {}, { more: 0 }, { more: 1.5 }, 1, Symbol("yes")])(
  "a reply of %s is a no, with a warning",
  async (reply) => {
    const { driver, warnings } = driven({ turns: 0, ask: () => reply as Reply });
    expect(await driver.admitTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
    expect(warnings).toEqual([expect.stringMatching(/^reply.* must be .*\. It is taken for a no\.$/)]);
  },
);

test("who is asked cannot change the question", async () => {
  const { driver } = driven({
    turns: 0,
    ask: (question) => {
      Object.assign(question, { id: 99, limit: "tokens", midTurn: true, max: 99 });
      return false;
    },
  });
  expect(await driver.admitTurn()).toMatchObject({
    kind: "stop",
    outcome: "declined",
    limit: "turns",
    max: 0,
  });
});

test.each<[string, () => string]>([
  [
    "throws",
    () => {
      throw new Error("no text");
    },
  ],
  ["is no text", () => undefined as unknown as string],
])("a wrap-up message that %s is an error of the host's own, and not a bad reply", async (_what, broken) => {
  let works = false;
  const message = () => (works ? "Finish!" : broken());
  const { driver, person } = driven({ turns: { max: 1, wrapUp: { message } } });
  await driver.admitTurn();
  const admission = driver.admitTurn();
  await rest();
  person.last.reply("wrap-up");
  await expect(admission).rejects.toThrow(/text/);
  expect(driver.view).toMatchObject({ status: "asking", totals: { turns: 1 } });
  works = true;
  expect(await driver.admitTurn()).toEqual({ kind: "wrap-up", message: "Finish!" });
  expect(person.asked).toHaveLength(1);
});
