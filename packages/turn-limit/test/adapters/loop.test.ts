import { expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { createPool, historyIn, memoryStore } from "../../src/index.ts";
import { pause } from "../../src/run/pause.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

test("the time in which a person approves a call does not count", async () => {
  const clock = new ManualClock();
  const limits = limitLoop({ time: 1_000, clock });
  limits.begin();
  await limits.nextTurn();
  limits.waiting = true;
  clock.pass(60_000);
  limits.waiting = false;
  clock.pass(500);

  expect(await limits.nextTurn()).toEqual({ tools: true, messages: [] });
  expect(limits.end()).toMatchObject({ time: 500 });
});

test("what is spent beside the turns counts", async () => {
  const limits = limitLoop({ tokens: 1_000 });
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded({ usage: { input: 100, output: 0 } });
  limits.spend("compaction", { input: 900, output: 0 });

  expect(await limits.nextTurn()).toBeUndefined();
  expect(limits.end()).toMatchObject({ kind: "stopped", limit: "tokens", usage: { input: 1_000 } });
});

test("other limits hold at once, and there is still a person to ask", async () => {
  const asked: unknown[] = [];
  const limits = limitLoop({
    turns: 9,
    ask({ max }) {
      asked.push(max);
      return false;
    },
  });
  limits.begin();
  await limits.nextTurn();
  limits.configure({ turns: 1 });

  expect(await limits.nextTurn()).toBeUndefined();
  expect(asked).toEqual([1]);
  expect(limits.end()).toMatchObject({ kind: "declined", turns: 1, maxTurns: 1 });
});

test("one who waits for the reply no longer, does not decide for the others", async () => {
  const abort = new AbortController();
  const limits = limitLoop({
    turns: 1,
    ask: () => new Promise((resolve) => setTimeout(resolve, 5, { more: 1 })),
  });
  limits.begin();
  await limits.nextTurn();
  const leaving = limits.nextTurn(abort.signal);
  const staying = limits.nextTurn();
  abort.abort();

  expect(await leaving).toBeUndefined();
  expect(await staying).toEqual({ tools: true, messages: [] });
  expect(limits.end()).toMatchObject({ turns: 2, rounds: 2 });
});

test("whoever is asked or told of the end knows which run it is", async () => {
  const told: unknown[] = [];
  const limits = limitLoop({
    turns: 1,
    ask: (_question, _signal, run) => {
      told.push(run);
      return false;
    },
    onOutcome: (_outcome, run) => void told.push(run),
  });
  limits.begin({ id: "ticket 7", context: { user: "ada" } });
  await limits.nextTurn();
  await limits.nextTurn();
  limits.end();
  limits.begin();
  limits.end();

  const run = { id: "ticket 7", context: { user: "ada" } };
  expect(told).toMatchObject([run, run, { id: expect.stringMatching(/./), context: undefined }]);
});

test("a tool call that is cut off is told by its signal, and without a time limit there is none", async () => {
  const clock = new ManualClock();
  const signals: (AbortSignal | undefined)[] = [];
  for (const limits of [limitLoop({ time: 1_000, clock }), limitLoop()]) {
    limits.begin();
    await limits.nextTurn();
    limits.turnEnded();
    limits.refusal({ id: "1" });
    const executed = limits.execute({ id: "1" }, (cutOff) => {
      signals.push(cutOff);
      return cutOff ? clock.hang(5_000) : "done";
    });
    await clock.pass(2_000);
    await executed;
    limits.end();
  }
  expect(signals).toEqual([expect.objectContaining({ aborted: true }), undefined]);
});

test("when a limit raises, the run has ended, and its outcome is there", async () => {
  const told: unknown[] = [];
  const limits = limitLoop({
    turns: { max: 1, onExhausted: "raise" },
    onOutcome: ({ kind }) => void told.push(kind),
  });
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded();

  await expect(limits.nextTurn()).rejects.toThrow("turn limit");
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns" });
  expect(limits.end()).toBe(limits.outcome);
  expect(told).toEqual(["stopped"]);
});

test("a turn that was never ended does not take the usage of one in the next run", async () => {
  const limits = limitLoop({ tokens: 100 });
  limits.begin();
  await limits.nextTurn();
  limits.end("failed");
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded({ usage: { input: 100, output: 0 } });

  expect(await limits.nextTurn()).toBeUndefined();
  expect(limits.end()).toMatchObject({ limit: "tokens", turns: 1, usage: { input: 100 } });
});

test.each<[unknown, string]>([
  [null, "turnEnded must be an object with failure, usage, not null"],
  ["x", 'turnEnded must be "failed" or "aborted", not "x"'],
  [{ usage: {}, cost: 5 }, "turnEnded.cost is not known here. Known are: failure, usage"],
])("what is said of a turn's end must make sense: %j does not, and changes nothing", async (end, message) => {
  const limits = limitLoop({ turns: 2 });
  await limits.nextTurn();
  expect(() => limits.turnEnded(end as never)).toThrow(message);
  expect(limits.view.request).toBe("in-flight");
});

test("a run whose wait for a turn is aborted was aborted, whatever it waited for, and is not kept as finished", async () => {
  const never = () => new Promise<never>(() => {});
  const store = memoryStore();
  const kept: unknown[] = [];
  const remember = async (run: unknown) => void kept.push(run);
  const history = historyIn({ ...store, remember, pastRuns: never }, { agent: "loop" });
  const loop = limitLoop({ turns: 9, history, onWarning: () => {} });
  loop.begin();
  await loop.nextTurn();
  loop.turnEnded();
  loop.configure({ turns: "p90" });
  expect(await loop.nextTurn(AbortSignal.timeout(10))).toBeUndefined();
  expect(loop.end()).toMatchObject({ kind: "aborted", turns: 1 });
  await loop.poolsSettled();
  expect(kept).toEqual([]);

  const pool = createPool({ id: "stuck", turns: 9, store: { ...store, take: never } });
  const drawing = limitLoop({ pool });
  drawing.begin();
  expect(await drawing.nextTurn(AbortSignal.timeout(10))).toBeUndefined();
  expect(drawing.end()).toMatchObject({ kind: "aborted", turns: 0 });
});

test("a run that goes on after a wait that was aborted, and the run after one, have not been aborted", async () => {
  const history = historyIn(
    { ...memoryStore(), pastRuns: () => pause(50).then(() => []) },
    { agent: "loop" },
  );
  const loop = limitLoop({ turns: "p90", history, onWarning: () => {} });
  loop.begin();
  expect(await loop.nextTurn(AbortSignal.abort())).toBeUndefined();
  expect((await loop.nextTurn())?.tools).toBe(true);
  loop.turnEnded();
  expect(loop.end()).toMatchObject({ kind: "completed", turns: 1 });
  loop.begin();
  expect(await loop.nextTurn(AbortSignal.abort())).toBeUndefined();
  loop.begin();
  expect(loop.end()).toMatchObject({ kind: "completed", turns: 0 });
});
