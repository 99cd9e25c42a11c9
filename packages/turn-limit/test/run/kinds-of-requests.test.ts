import { expect, test } from "vitest";
import type { RequestKind } from "../../src/core/governor/run-state.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { driven } from "../helpers/driven.ts";
import type { Admission, Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";

async function takeTurn(driver: Driver): Promise<void> {
  await driver.admitTurn();
  driver.turnEnded();
}

/** Requests of these kinds that want to begin at the same time; what became of each so far. */
async function wait(driver: Driver, kinds: (RequestKind | "sub-agent")[]): Promise<string[]> {
  const decided = kinds.map((kind) => `${kind} waits`);
  kinds.forEach((kind, index) => {
    const admission: Promise<Admission> =
      kind === "sub-agent"
        ? driver.admitSubAgentTurn(undefined, { as: "turn" })
        : driver.admitTurn(undefined, { as: kind });
    void admission.then((admitted) => {
      decided[index] = admitted.kind;
    });
  });
  await rest();
  return decided;
}

function counted(driver: Driver) {
  const { turns, requests } = driver.view.totals;
  return { turns, requests };
}

const ORDERS: RequestKind[][] = [
  ["turn", "aside", "retry"],
  ["aside", "retry", "turn"],
  ["retry", "turn", "aside"],
];

test.each(ORDERS)("%s, %s and %s wait for one question, and each begins as what it is", async (...kinds) => {
  const { driver, person } = driven({ turns: "unlimited", requests: 3 });
  for (let turn = 0; turn < 3; turn += 1) await takeTurn(driver);
  const decided = await wait(driver, kinds);
  expect(decided).toEqual(kinds.map((kind) => `${kind} waits`));
  await person.replies(true);
  expect(decided).toEqual(["proceed", "proceed", "proceed"]);
  expect([person.asked.length, counted(driver)]).toEqual([1, { turns: 4, requests: 6 }]);
});

test.each(ORDERS)("%s, %s and %s: only the turn waits for a question about turns", async (...kinds) => {
  const { driver, person } = driven({ turns: 1 });
  await takeTurn(driver);
  const decided = await wait(driver, kinds);
  expect(decided).toEqual(kinds.map((kind) => (kind === "turn" ? "turn waits" : "proceed")));
  await person.replies(true);
  expect(decided).toEqual(["proceed", "proceed", "proceed"]);
  expect([person.asked.length, counted(driver)]).toEqual([1, { turns: 2, requests: 4 }]);
});

test.each(ORDERS)("%s, %s and %s: two limits that are used up are one yes", async (...kinds) => {
  const { driver, person } = driven({ turns: 1, requests: 3 });
  await takeTurn(driver);
  for (let aside = 0; aside < 2; aside += 1) {
    await driver.admitTurn(undefined, { as: "aside" });
    driver.turnEnded();
  }
  const decided = await wait(driver, kinds);
  expect(decided).toEqual(kinds.map((kind) => `${kind} waits`));
  expect(person.asked.filter(({ signal }) => !signal.aborted)).toHaveLength(1);
  await person.replies(true);
  expect(decided).toEqual(["proceed", "proceed", "proceed"]);
  expect(counted(driver)).toEqual({ turns: 2, requests: 6 });
});

const SALVAGED: AdapterOptions["requests"] = { max: 1, headless: "synthesize" };

test.each([
  ["turn", "aside", "sub-agent"],
  ["aside", "sub-agent", "turn"],
  ["sub-agent", "turn", "aside"],
] as const)("where nobody replies, of %s, %s and %s the turn gets the last answer", async (...kinds) => {
  const { driver, person } = driven({ requests: SALVAGED });
  await takeTurn(driver);
  const decided = await wait(driver, [...kinds]);
  await person.replies("unanswered");
  expect(decided).toEqual(kinds.map((kind) => (kind === "turn" ? "synthesize" : "stop")));
  driver.turnEnded();
  expect([driver.end()?.kind, person.asked.length]).toEqual(["salvaged", 1]);
});

test("where nobody replies and the run is to stop, all that wait are stopped", async () => {
  const { driver, person } = driven({ requests: 1 });
  await takeTurn(driver);
  const decided = await wait(driver, ["aside", "turn", "retry", "sub-agent"]);
  await person.replies("unanswered");
  expect(decided).toEqual(["stop", "stop", "stop", "stop"]);
  expect([driver.end()?.kind, person.asked.length]).toEqual(["stopped", 1]);
});

test.each([
  ["stop", "stopped"],
  ["synthesize", "salvaged"],
] as const)("where nobody replies while a call hangs, it is cut off: %s", async (headless, outcome) => {
  const { driver, person, clock } = driven({ time: { max: 1_000, headless } });
  await driver.admitTurn();
  driver.refusal({ id: "1", tool: "bash" });
  const executed = driver.execute({ id: "1", tool: "bash" }, () => new Promise<string>(() => {}));
  clock.pass(1_000);
  await rest();
  await person.replies("unanswered");
  expect((await executed).kind).toBe("cut-off");
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe(headless);
  driver.turnEnded();
  expect(driver.end()?.kind).toBe(outcome);
});

test("where nobody replies while a request hangs, there is nothing to answer from, and the run is stopped", async () => {
  const { driver, person, clock } = driven({ time: { max: 1_000, headless: "synthesize" } });
  await driver.admitTurn();
  clock.pass(1_000);
  await rest();
  await person.replies("unanswered");
  expect(driver.signal.aborted).toBe(true);
  expect(driver.end()).toMatchObject({ kind: "stopped", limit: "time" });
});
