import { expect, test } from "vitest";
import { limitError, type Stop } from "../../src/index.ts";
import { Run } from "../../src/run/run.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { alone, driven } from "../helpers/driven.ts";
import { Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";

const hangs = () => new Promise<string>(() => {});

test("time that is up in the middle of a request can raise: the request is aborted, and the call rejects [TimeUpRaises] [RunRaises]", async () => {
  const { driver, clock, person } = driven({ time: { max: 1_000, onExhausted: "raise" } });
  await driver.admitTurn();
  clock.pass(1_000);
  expect([driver.signal.aborted, person.asked.length]).toEqual([true, 0]);
  driver.turnEnded("aborted");
  const stop = await driver.admitTurn();
  expect(stop).toMatchObject({ kind: "stop", outcome: "stopped", raises: true, limit: "time" });
  const error = { name: "LimitExceeded", limit: "time", max: 1_000 };
  expect(limitError(stop as Stop)).toMatchObject(error);
  expect(driver.raisedError).toMatchObject(error);
  expect(driver.end()).toMatchObject({ kind: "stopped", limit: "time" });
});

test("a call that has its result keeps it when the time is up, and only the one under way is cut off [CallReturns] [CallCutOff]", async () => {
  const { driver, clock } = driven({ time: { max: 1_000, onExhausted: "synthesize" } });
  await driver.admitTurn();
  for (const id of ["1", "2"]) driver.refusal({ id, tool: "bash" });
  const returned = driver.execute({ id: "1", tool: "bash" }, () => "done");
  const cut = driver.execute({ id: "2", tool: "bash" }, hangs);
  await rest();
  clock.pass(1_000);
  expect(await returned).toEqual({ kind: "result", result: "done" });
  expect(await cut).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Cut off/) });
});

test("a host that does not get to the tools-free turn is cut off, and the time is told by then", async () => {
  const times: unknown[] = [];
  const clock = new ManualClock();
  const host = {
    canGoOn: () => true,
    cutOff: () => void times.push(driver.view.outcome?.time),
  };
  const driver: Driver = new Driver({ time: { max: 1_000, onExhausted: "synthesize" }, clock }, host);
  driver.begin();
  await driver.admitTurn();
  clock.pass(1_000);
  clock.pass(1_000);
  expect(times).toEqual([1_000, 2_000]);
});

test("a host that rests after the cut-off still has to get to the tools-free turn", async () => {
  const cutOffs: string[] = [];
  const clock = new ManualClock();
  const host = { canGoOn: () => true, cutOff: ({ kind }: { kind: string }) => void cutOffs.push(kind) };
  const run = new Run({ time: { max: 1_000, onExhausted: "synthesize" }, clock }, host);
  run.begin();
  const turn = await run.nextTurn();
  clock.pass(1_000);
  if (turn.kind === "turn") turn.failed("aborted");
  run.turn.rest();
  clock.pass(1_000);
  expect(cutOffs).toEqual(["synthesize", "stop"]);
});

test("when all calls have their results, it is the request that is aborted [CallReturns]", async () => {
  const { driver, clock } = alone({ time: { max: 1_000, onExhausted: "synthesize" } });
  await driver.admitTurn();
  driver.refusal({ tool: "bash" });
  await driver.execute({ tool: "bash" }, () => "done");
  clock.pass(1_000);
  expect(driver.signal.aborted).toBe(true);
  expect(driver.view.stop).toMatchObject({ limit: "time", raises: false });
});

test("a no in the middle of a turn cuts off the calls under way [CallCutOff] [ContinuationDeclined]", async () => {
  const { driver, clock, person } = driven({ time: 1_000 });
  await driver.admitTurn();
  driver.refusal({ tool: "bash" });
  const call = driver.execute({ tool: "bash" }, hangs);
  clock.pass(1_000);
  await person.replies(false);
  expect(await call).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Cut off/) });
  expect((await driver.admitTurn()).kind).toBe("stop");
});

test("a call that was not admitted ends the run, and those under way are cut off [CallCutOff] [WorkOverruns]", async () => {
  const { driver } = alone({ steps: 5 });
  await driver.admitTurn();
  driver.refusal({ tool: "bash" });
  const admitted = driver.execute({ tool: "bash" }, hangs);
  const unadmitted = driver.execute({ tool: "bash" }, hangs);
  expect(await unadmitted).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Not run/) });
  const outcome = await Promise.race([admitted, rest().then(() => "still under way")]);
  expect(outcome).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Cut off/) });
  expect(driver.signal.aborted).toBe(true);
});

test("a call that was admitted before the time was up does not begin afterwards [RunIsEnded]", async () => {
  for (const onExhausted of ["stop", "raise", "synthesize"] as const) {
    const { driver, clock } = alone({ time: { max: 1_000, onExhausted } });
    await driver.admitTurn();
    for (const id of ["1", "2"]) driver.refusal({ id, tool: "bash" });
    const cut = driver.execute({ id: "1", tool: "bash" }, hangs);
    await rest();
    clock.pass(1_000);
    let began = false;
    const late = await driver.execute({ id: "2", tool: "bash" }, () => {
      began = true;
    });
    expect(await cut).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Cut off/) });
    expect(late).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Not run/) });
    expect(began).toBe(false);
  }
});

test("a call made again is the same step, and is cut off as in the first place [CallCutOff]", async () => {
  const { driver, clock } = alone({ steps: 1, time: { max: 1_000, onExhausted: "synthesize" } });
  const call = { id: "1", tool: "bash" };
  await driver.admitTurn();
  driver.refusal(call);
  await driver.execute(call, () => "waits for a person");
  expect(await driver.executeAgain(call, () => "done")).toEqual({ kind: "result", result: "done" });
  let told: AbortSignal | undefined;
  const cut = driver.executeAgain(call, (signal) => {
    told = signal;
    return hangs();
  });
  await rest();
  clock.pass(1_000);
  expect(await cut).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Cut off/) });
  expect([told?.aborted, driver.signal.aborted]).toEqual([true, false]);
  const late = await driver.executeAgain(call, hangs);
  expect(late).toMatchObject({ kind: "cut-off", reason: expect.stringMatching(/^Not run/) });
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("synthesize");
  driver.turnEnded();
  expect(driver.end()).toMatchObject({ kind: "salvaged", limit: "time", steps: 1 });
});

test("the result of a call made again is the one that repeats are recognised by, if it had none before", async () => {
  const { driver } = alone({ repeats: 1 });
  const call = { id: "1", tool: "bash" };
  await driver.admitTurn();
  driver.refusal(call);
  await driver.executeAgain(call, () => "done");
  expect(driver.refusal({ id: "2", tool: "bash" })).toMatch(/already with the same result/);
});

test("a run is aborted when the time limit cannot be looked at, and nothing is left unhandled", async () => {
  const warnings: string[] = [];
  const clock = new ManualClock();
  const host = {
    cutOff: () => {
      throw new Error("The host is gone.");
    },
  };
  const onWarning = (message: string) => void warnings.push(message);
  const driver = new Driver({ time: { max: 1_000, onExhausted: "stop" }, clock, onWarning }, host);
  driver.begin();
  await driver.admitTurn();
  clock.pass(1_000);
  await rest();
  expect(driver.signal.aborted).toBe(true);
  expect(warnings).toEqual([expect.stringContaining("The host is gone.")]);
});

test("with a tool call its sub-agents are cut off, and the agent that was prompted goes on", async () => {
  const clock = new ManualClock();
  const run = new Run({ time: { max: 1_000, onExhausted: "synthesize" }, clock });
  run.begin();
  const turn = await run.nextTurn();
  if (turn.kind === "stop") throw new Error("no turn");
  const call = await turn.call({ id: "1", tool: "delegate" });
  if (call.kind === "refused") throw new Error(call.reason);
  const cut = call.execute(hangs);
  const helper = run.subAgent();
  const nested = await helper.nextTurn();
  clock.pass(1_000);
  expect(await cut).toMatchObject({ kind: "cut-off" });
  expect([nested.kind === "turn" && nested.signal.aborted, turn.signal.aborted]).toEqual([true, false]);
  expect(run.subAgent().turn.signal.aborted).toBe(true);
  expect((await helper.nextTurn()).kind).toBe("stop");
  expect(await run.nextTurn()).toMatchObject({ kind: "turn", tools: false });
});
