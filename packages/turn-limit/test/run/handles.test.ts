import fc from "fast-check";
import { expect, test } from "vitest";
import { createPool, memoryStore } from "../../src/index.ts";
import { type AdapterOptions, type Call, Run, type Turn } from "../../src/run/index.ts";
import { Person, rest } from "../helpers/person.ts";

const usage = { input: 10, output: 5 };

function begun(options: AdapterOptions = {}): Run {
  const run = new Run({ turns: "unlimited", ...options });
  run.begin();
  return run;
}

async function turnOf(run: Pick<Run, "nextTurn">): Promise<Turn> {
  const turn = await run.nextTurn();
  if (turn.kind === "stop") throw new Error(`no turn: ${turn.limit}`);
  return turn;
}

async function callOf(turn: Turn, id = "1"): Promise<Call> {
  const call = await turn.call({ id, tool: "bash" });
  if (call.kind === "refused") throw new Error(call.reason);
  return call;
}

test("a turn that is ended twice counts once, and what it took does, too", async () => {
  const run = begun({ tokens: 100 });
  const turn = await turnOf(run);
  turn.sent();
  turn.answered({ usage });
  const { state } = run;
  turn.answered({ usage });
  expect(run.state).toEqual(state);
  expect(run.view.totals).toMatchObject({ turns: 1, input: 10, output: 5 });
});

test("a turn that failed is not answered afterwards, and is the same turn when it is made again", async () => {
  const run = begun({ turns: 2 });
  const turn = await turnOf(run);
  turn.failed();
  turn.answered({ usage });
  expect(run.view.request).toBe("retry-due");
  const again = await turnOf(run);
  expect([again.as, run.view.totals]).toMatchObject(["retry", { turns: 1, requests: 2, input: 0 }]);
});

test.each(["failed", "discarded"] as const)(
  "a turn that is %s after the next one of its agent has begun changes nothing",
  async (how) => {
    const run = begun({ turns: 5 });
    const first = await turnOf(run);
    first.answered({ usage });
    const second = await turnOf(run);
    second.answered({ usage });
    const { state } = run;
    first[how]();
    expect(run.state).toEqual(state);
    expect([(await turnOf(run)).as, run.end()]).toMatchObject(["turn", { kind: "completed", turns: 3 }]);
  },
);

test("what a handle says after its run ended changes neither that run nor the next one", async () => {
  const run = begun({ tokens: 1_000 });
  const turn = await turnOf(run);
  const call = await callOf(turn);
  const outcome = run.end();
  run.begin();
  const { state } = run;
  turn.sent();
  turn.answered({ usage });
  turn.failed();
  turn.discarded();
  turn.abandon();
  call.executed();
  call.ended("done");
  call.denied();
  expect(await turn.call({ tool: "bash" })).toEqual({ kind: "refused", reason: "Not run: the run is over." });
  expect([run.state, run.view.totals.turns]).toEqual([state, 0]);
  expect(outcome).toMatchObject({ turns: 1, steps: 1 });
});

test("a turn that is abandoned counts neither as a turn nor as a request, and lets another one begin [TurnAbandoned]", async () => {
  const run = begun({ turns: 1, requests: 1 });
  const turn = await turnOf(run);
  turn.abandon();
  turn.abandon();
  expect(run.view.totals).toMatchObject({ turns: 0, requests: 0 });
  const other = await turnOf(run);
  expect(other.sent()).toBeUndefined();
  expect((await run.nextTurn()).kind).toBe("stop");
});

test("a turn that was sent cannot be abandoned", async () => {
  const run = begun({ turns: 1 });
  const turn = await turnOf(run);
  turn.sent();
  turn.abandon();
  expect([run.view.totals.turns, (await run.nextTurn()).kind]).toEqual([1, "stop"]);
});

test("a turn that is abandoned is given back to its pool, and one that is held for it begins", async () => {
  const pool = createPool({ id: "p", turns: 1, store: memoryStore() });
  const run = begun({ pool });
  const turn = await turnOf(run);
  turn.abandon();
  await run.shared.done();
  expect((await pool.read()).limits).toEqual([expect.objectContaining({ limit: "turns", used: 0 })]);
  expect((await turnOf(run)).kind).toBe("turn");
});

test("of several turns at once, each is ended by its own handle, in whatever order", async () => {
  const run = begun({ tokens: 1_000 });
  const [one, two, three] = await Promise.all([turnOf(run), turnOf(run.subAgent()), turnOf(run.subAgent())]);
  for (const turn of [one, two, three]) turn?.sent();
  three?.answered({ usage });
  one?.answered({ usage });
  two?.failed("aborted");
  expect(run.view.totals).toMatchObject({ turns: 3, input: 20, output: 10 });
  expect(run.end()).toMatchObject({ turns: 3, kind: "aborted" });
});

test("of requests that one agent makes at once and that fail, none is taken for another one once more, unless the host says so", async () => {
  for (const pool of [undefined, createPool({ id: "p", turns: 100, store: memoryStore() })]) {
    const run = begun({ ...(pool && { pool }) });
    const three = () => Promise.all([turnOf(run), turnOf(run), turnOf(run)]);
    for (const turn of await three()) turn.failed();
    const others = await three();
    expect([others.map(({ as }) => as), run.view.totals.turns]).toEqual([["turn", "turn", "turn"], 6]);
    for (const turn of others) turn.failed();
    const said = await run.nextTurn({ as: "retry" });
    expect([said.kind === "turn" && said.as, run.view.totals]).toMatchObject([
      "retry",
      { turns: 6, requests: 7 },
    ]);
    run.end();
    await run.shared.done();
  }
});

test("a request that fails beside one that is still under way is not the one that the next one takes the place of", async () => {
  const run = begun();
  const first = await turnOf(run);
  (await turnOf(run)).answered();
  (await turnOf(run)).failed();
  expect((await turnOf(run)).as).toBe("turn");
  first.answered();
  run.begin();
  (await turnOf(run)).failed();
  expect((await turnOf(run)).as).toBe("retry");
});

test("a sub-agent whose turn failed makes it again, and the turns of the others count meanwhile", async () => {
  const run = begun();
  const helper = run.subAgent();
  (await turnOf(helper)).failed();
  expect((await turnOf(run)).as).toBe("turn");
  expect((await turnOf(run.subAgent())).as).toBe("turn");
  expect((await turnOf(helper)).as).toBe("retry");
  expect(run.view.totals).toMatchObject({ turns: 3, requests: 4 });
});

test("a turn that is held begins after the yes, though another one was answered meanwhile", async () => {
  const person = new Person();
  const run = begun({ turns: 1, ask: person.ask });
  const first = await turnOf(run);
  const held = run.nextTurn();
  await rest();
  first.answered({ usage });
  expect(person.asked).toHaveLength(1);
  await person.replies(true);
  const second = await held;
  expect([second.kind, run.view.totals.turns]).toEqual(["turn", 2]);
  expect(second.kind === "turn" && second.sent()).toBeUndefined();
});

test("a turn that is abandoned while another one is held for it withdraws the question", async () => {
  const person = new Person();
  const run = begun({ turns: 1, ask: person.ask });
  const first = await turnOf(run);
  const held = run.nextTurn();
  await rest();
  first.abandon();
  await rest();
  expect(person.last.signal.aborted).toBe(true);
  expect([(await held).kind, run.view.totals.turns]).toEqual(["turn", 1]);
});

test("a call that is executed again is the same step, and one that was denied is none", async () => {
  const run = begun({ steps: 5 });
  const turn = await turnOf(run);
  const call = await callOf(turn, "1");
  expect(await call.execute(() => "waits")).toEqual({ kind: "result", result: "waits" });
  expect(await call.execute(() => "done")).toEqual({ kind: "result", result: "done" });
  const denied = await callOf(turn, "2");
  denied.denied();
  denied.denied();
  expect(run.view.totals.steps).toBe(1);
  expect(run.end()?.kind).toBe("completed");
});

test("a call that was denied does not run, and is noticed if the host runs it", async () => {
  const run = begun({ steps: 5 });
  const call = await callOf(await turnOf(run));
  call.denied();
  let ran = 0;
  for (let time = 0; time < 3; time += 1)
    expect(await call.execute(() => (ran += 1))).toEqual({
      kind: "cut-off",
      reason: "Not run: the call was denied.",
    });
  expect([ran, run.view.totals.steps, run.view.stop]).toEqual([0, 0, null]);
  call.executed();
  expect(run.end()).toMatchObject({ kind: "limit-overrun", limit: "steps" });
});

test("a request that a host retries by itself counts for requests and not as a turn, up to the limit", async () => {
  const run = begun({ turns: 10, requests: 3 });
  let sent = 0;
  for (;;) {
    const turn = await run.nextTurn();
    if (turn.kind === "stop") break;
    turn.sent();
    sent += 1;
    turn.failed();
  }
  expect([sent, run.view.totals.turns]).toEqual([3, 1]);
  expect(run.end()).toMatchObject({ kind: "stopped", limit: "requests" });
});

test("whatever is done with handles in whatever order, counts stay those of what was begun, and no overrun is seen", async () => {
  const actions = [
    "turn",
    "sub-agent",
    "sent",
    "answered",
    "failed",
    "abandon",
    "call",
    "denied",
    "ended",
    "end",
    "prompt",
  ];
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(9)), { maxLength: 40, size: "max" }),
    async (life) => {
      const run = new Run({ turns: 6, steps: { max: 4, onExhausted: "refuse" }, requests: 20 });
      run.begin();
      const turns: Turn[] = [];
      const calls: Call[] = [];
      const done = new Set<Turn>();
      for (const [action, index] of life) {
        const turn = turns[index % Math.max(1, turns.length)];
        const call = calls[index % Math.max(1, calls.length)];
        if (action === "turn" || action === "sub-agent") {
          const next = await (action === "turn" ? run : run.subAgent()).nextTurn();
          if (next.kind === "turn") turns.push(next);
        }
        // A request that is sent twice, or although it was given back, is one too many.
        if (action === "sent" && turn && !done.has(turn)) turn.sent();
        if ((action === "sent" || action === "abandon") && turn) done.add(turn);
        if (action === "answered") turn?.answered({ usage });
        if (action === "failed") turn?.failed();
        if (action === "abandon") turn?.abandon();
        if (action === "call") {
          const decided = await turn?.call({ id: `${index}`, tool: "bash" });
          if (decided?.kind === "call") calls.push(decided);
        }
        if (action === "denied") call?.denied();
        if (action === "ended") call?.ended("done");
        if (action === "end") run.end();
        if (action === "prompt") run.begin();
        const { totals, standings } = run.view;
        expect(totals.turns).toBeLessThanOrEqual(6);
        expect(totals.steps).toBeLessThanOrEqual(4);
        for (const { used } of standings) expect(used).toBeGreaterThanOrEqual(0);
      }
      expect(run.view.stop?.outcome).not.toBe("limit-overrun");
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test("the turn under way is the last that was admitted, and of each agent its own", async () => {
  const run = begun({ turns: 3 });
  const helper = run.subAgent();
  const [first, helpers] = [await turnOf(run), await turnOf(helper)];
  expect([run.turn, helper.turn]).toEqual([first, helpers]);
  const aside = await run.nextTurn({ as: "aside" });
  expect([aside.kind, run.turn === first]).toEqual(["turn", true]);
  const second = await turnOf(run);
  expect(run.turn).toBe(second);
});

test("what is sent after a stop is noticed, and what it took is counted", async () => {
  const run = begun({ turns: 1 });
  const first = await turnOf(run);
  first.sent();
  first.answered({ usage });
  expect((await run.nextTurn()).kind).toBe("stop");
  expect(run.turn.sent()).toMatchObject({ kind: "stop", outcome: "limit-overrun" });
  run.turn.answered({ usage });
  run.turn.answered({ usage });
  expect(run.end()).toMatchObject({ kind: "limit-overrun", usage: { input: 20, output: 10 } });
});

test("before a turn was admitted, calls and answers count all the same", async () => {
  const run = begun({ steps: 5 });
  await (await callOf(run.turn)).execute(() => "done");
  run.turn.answered({ usage });
  expect(run.view.totals).toMatchObject({ turns: 0, steps: 1, input: 10 });
});

test("the request of a saved run that fails is made again as the same turn", async () => {
  const saved = begun({ turns: 5 });
  (await turnOf(saved)).sent();
  const run = new Run({}, { state: saved.state });
  run.resume();
  run.turn.failed();
  expect([(await turnOf(run)).as, run.view.totals.turns]).toEqual(["retry", 1]);
});

test("a turn that waits to be made again can be cancelled", async () => {
  const run = begun();
  const turn = await turnOf(run);
  turn.failed();
  turn.failed("aborted");
  expect([turn.isToBeRetried, run.end()?.kind]).toEqual([false, "aborted"]);
});

test("a wrap-up can be requested of a turn of the run under way, and of no other", async () => {
  const run = begun();
  const turn = await turnOf(run);
  expect(turn.requestWrapUp()).toBe(true);
  expect((await turnOf(run)).message).toMatch(/^Wrap up now/);
  run.end();
  expect([turn.isOver, turn.requestWrapUp()]).toEqual([true, false]);
});
