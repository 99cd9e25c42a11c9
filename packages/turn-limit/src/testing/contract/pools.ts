import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import type { Store } from "../../pools/ledger/store.ts";
import { createPool, type Pool } from "../../pools/pool.ts";
import type { PoolOptions } from "../../pools/pool-options.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { ManualClock } from "../manual-clock.ts";
import { callId, type ModelReply, type Observed, type SeenRequest } from "../scripted-host.ts";
import {
  assertOutcomes,
  type Contract,
  endless,
  endsAt,
  timesTold,
  toolsOffered,
  untilToolsAreGone,
} from "./contract.ts";

const price = () => 0.1;

/** Runs draw from a budget that is shared. */
export function testPools(contract: Contract, streaming: boolean): void {
  testRunsInARow(contract);
  testRefusedCalls(contract);
  // What follows is the same with a stream.
  if (streaming) return;
  testRunsAtOnce(contract);
  testStoppedCalls(contract);
  testSpendingFromPools(contract);
  testBoundariesOfPools(contract);
  testEndsOfMembers(contract);
}

function testRunsInARow({ play, test, where }: Contract): void {
  test("runs one after the other take no more turns together than their pool admits", async () => {
    const { pool, standing } = newPool({ turns: 5 });
    const model = ({ index }: SeenRequest): ModelReply => (index === 3 ? { text: "done" } : { calls: 1 });
    const seen = await play({ limits: { pool }, model, prompts: 2 });
    assert.equal(seen.requests.length, 5);
    assert.equal(seen.orphans, 0);
    assertOutcomes(
      seen,
      { kind: "completed", turns: 3 },
      { kind: "stopped", limit: `turns of pool ${pool.id}`, turns: 2 },
    );
    assert.deepEqual(await standing(), { used: { turns: 5 }, held: {}, agents: 0 });
  });

  where("requests", "retries")("a pool of requests admits no retry that it does not cover", async () => {
    const { pool, standing } = newPool({ requests: 2 });
    const seen = await play({ limits: { turns: 10, pool }, model: () => ({ fails: true }) });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "stopped", limit: `requests of pool ${pool.id}`, turns: 1 });
    assert.deepEqual(await standing(), { used: { requests: 2 }, held: {}, agents: 0 });
  });
}

function testRunsAtOnce({ play, test }: Contract): void {
  test("runs at once take no more turns together than their pool admits", async () => {
    const { pool, standing } = newPool({ turns: 5 });
    const both = await Promise.all([1, 2].map(() => play({ limits: { pool }, model: endless })));
    assert.equal(requestsOf(both), 5);
    assert.deepEqual(await standing(), { used: { turns: 5 }, held: {}, agents: 0 });
  });
}

const twice = ({ index }: SeenRequest): ModelReply => (index === 3 ? { text: "done" } : { calls: 2 });
const firstThree = [callId(1, 1), callId(1, 2), callId(2, 1)];

function testRefusedCalls({ play, where }: Contract): void {
  where("steps")("refuse: of the calls that a pool does not cover, none runs", async () => {
    const { pool, standing } = newPool({ steps: { max: 3, onExhausted: "refuse" } });
    const seen = await play({ limits: { pool }, model: twice });
    assert.deepEqual(seen.executed, firstThree);
    assert.equal(seen.requests.length, 3);
    assert.equal(timesTold(seen.requests.at(-1), "Not run"), 1);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "completed", steps: 3 });
    assert.deepEqual(await standing(), { used: { steps: 3 }, held: {}, agents: 0 });
  });
}

function testStoppedCalls({ play, where }: Contract): void {
  where("steps")("stop: where a pool does not cover a call, the run ends", async () => {
    const { pool, standing } = newPool({ steps: { max: 3, onExhausted: "stop" } });
    const seen = await play({ limits: { pool }, model: twice });
    assert.deepEqual(seen.executed, firstThree);
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: `steps of pool ${pool.id}`, steps: 3 });
    assert.deepEqual(await standing(), { used: { steps: 3 }, held: {}, agents: 0 });
  });
}

function testSpendingFromPools({ host: { toolName = "work" }, play, where }: Contract): void {
  async function oneAnswer(): Promise<{ tokens: number; cost: number }> {
    const { outcomes } = await play({ limits: { turns: 1, price }, model: endless });
    const { input = 0, output = 0, cost = 0 } = outcomes[0]?.usage ?? {};
    return { tokens: input + output, cost };
  }

  where("spending")("tokens and cost of all runs are settled, and what is left holds each", async () => {
    const answer = await oneAnswer();
    for (const kind of ["tokens", "cost"] as const) {
      const max = Number((answer[kind] * 3).toFixed(9));
      const { pool, standing } = newPool({ [kind]: max });
      const model = ({ index }: SeenRequest): ModelReply => (index === 2 ? { text: "done" } : { calls: 1 });
      const seen = await play({ limits: { pool, price }, model, prompts: 2 });
      assert.equal(seen.requests.length, 3);
      assertOutcomes(seen, { kind: "completed" }, { kind: "stopped", limit: `${kind} of pool ${pool.id}` });
      assert.deepEqual(await standing(), { used: { [kind]: max }, held: {}, agents: 0 });
    }
  });

  where("calls")("the calls of one tool are counted over all runs", async () => {
    const { pool, standing } = newPool({ tools: { [toolName]: { max: 3, onExhausted: "refuse" } } });
    const model = ({ index }: SeenRequest): ModelReply => (index % 2 ? { calls: 2 } : { text: "done" });
    const seen = await play({ limits: { pool }, model, prompts: 2 });
    assert.equal(seen.executed.length, 3);
    assert.equal(seen.requests.length, 4);
    assert.deepEqual(await standing(), { used: { [`tools.${toolName}`]: 3 }, held: {}, agents: 0 });
  });

  where("time")("a tool call that hangs is cut off when the time of a pool is up", async () => {
    const clock = new ManualClock();
    const { pool, standing } = newPool({ time: 5_000 });
    const seen = await play({
      limits: { pool, clock },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: `time of pool ${pool.id}`, time: 5_000 });
    assert.deepEqual(await standing(), { used: { time: 5_000 }, held: {}, agents: 0 });
  });
}

function testBoundariesOfPools({ play, test, where }: Contract): void {
  where("ask")("a yes admits another round of the pool", async () => {
    const { pool, standing } = newPool({ turns: 2 });
    const asked: unknown[] = [];
    const ask: AdapterOptions["ask"] = ({ limit, used, max }) => asked.push([limit, used, max]) < 2;
    const seen = await play({ limits: { pool, ask }, model: endless });
    assert.equal(seen.requests.length, 4);
    const limit = `turns of pool ${pool.id}`;
    assert.deepEqual(asked, [
      [limit, 2, 2],
      [limit, 4, 4],
    ]);
    assertOutcomes(seen, { kind: "declined", limit });
    assert.deepEqual(await standing(), { used: { turns: 4 }, held: {}, agents: 0 });
  });

  test("wait: a run is held until the next day, and goes on by itself where nobody can be asked", async () => {
    const time = { now: Date.UTC(2026, 0, 5, 12) };
    const store = memoryStore({ now: () => time.now });
    const turns = { max: 2, onExhausted: "wait" } as const;
    const pool = createPool({ id: "waited for", turns, per: "day", zone: "UTC", lookEvery: 1, store });
    const waited: unknown[] = [];
    const observe: AdapterOptions["observe"] = {
      asked: ({ waits }) => {
        waited.push(waits);
        time.now += 86_400_000;
      },
    };
    const seen = await play({ limits: { pool, observe }, model: endsAt(3) });
    assert.equal(seen.requests.length, 3);
    assert.equal(seen.orphans, 0);
    assert.deepEqual(waited, [{ until: Date.UTC(2026, 0, 6) }]);
    assertOutcomes(seen, { kind: "completed", turns: 3, intervened: true });
  });

  test("a pool that is frozen holds a run before its next turn", async () => {
    const { pool, standing } = newPool({ turns: 9 });
    const onExecute = () => pool.freeze("Lunch.");
    const seen = await play({ limits: { pool }, model: endless, onExecute });
    assert.equal(seen.requests.length, 1);
    assertOutcomes(seen, { kind: "stopped", limit: `freeze of pool ${pool.id}` });
    assert.deepEqual(await standing(), { used: { turns: 1 }, held: {}, agents: 0 });
  });

  test("a store that cannot be used stops the run, and nothing is sent", async () => {
    const store = { ...memoryStore(), take: () => Promise.reject(new Error("No such disk.")) };
    const { pool } = newPool({ turns: 9, store });
    const seen = await play({ limits: { pool }, model: endless });
    assert.equal(seen.requests.length, 0);
    assertOutcomes(seen, { kind: "stopped", limit: `store of pool ${pool.id}` });
  });

  where("synthesize")("the answer without tools is in the pool, although nothing was left", async () => {
    const { pool, standing } = newPool({ turns: { max: 2, headless: "synthesize" } });
    const seen = await play({ limits: { pool }, model: untilToolsAreGone() });
    assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
    assert.equal(seen.answer, "partial");
    assertOutcomes(seen, { kind: "salvaged", limit: `turns of pool ${pool.id}` });
    assert.deepEqual(await standing(), { used: { turns: 3 }, held: {}, agents: 0 });
  });
}

function testEndsOfMembers({ host, play, test, where }: Contract): void {
  test("a run whose requests all fail leaves the pool", async () => {
    const { pool, standing } = newPool({ turns: 9, tokens: 1_000_000, estimate: { tokens: 500 } });
    const seen = await play({ limits: { pool, turns: 1 }, model: () => ({ fails: true }) });
    assert(seen.requests.length > 0);
    await untilNobodyIsLeft(standing);
    const { held, used } = await standing();
    assert.deepEqual({ held, turns: used.turns }, { held: {}, turns: 1 });
  });

  where("abort")("a run that is aborted leaves the pool", async () => {
    const { pool, standing } = newPool({ turns: 9, tokens: 1_000_000, estimate: { tokens: 500 } });
    const abort = new AbortController();
    const seen = await play({
      limits: { pool },
      model: endless,
      signal: abort.signal,
      onExecute: (id) => {
        if (id === callId(2, 1)) abort.abort();
      },
    });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "aborted" });
    await untilNobodyIsLeft(standing);
    const { held, used } = await standing();
    assert.deepEqual({ held, turns: used.turns }, { held: {}, turns: 2 });
  });

  where("transparent")("a run is the same with a pool that is not used up", async () => {
    const seenBy = async (limits: AdapterOptions, ungoverned?: true) => {
      const { outcomes: _, ...seen } = await play({
        limits,
        model: endsAt(3),
        ...(ungoverned && { ungoverned }),
      });
      return seen;
    };
    const { pool } = newPool({ turns: 100, steps: 100, tokens: 1_000_000, tools: { work: 50 } });
    assert.deepEqual(await seenBy({ pool }), await seenBy({}, true), host.name);
  });
}

let pools = 0;

/** A pool in a store that takes its time, as those do that are not in memory. */
function newPool(options: Omit<PoolOptions, "id">): { pool: Pool; standing: () => Promise<Standing> } {
  pools += 1;
  const { store = slow(memoryStore()) } = options;
  const pool = createPool({ id: `${pools}`, ...options, store });
  const standing = async () => {
    const record = await store.read(pool.id);
    const { limits } = await pool.read();
    return {
      used: Object.fromEntries(limits.map(({ limit, used }) => [limit, used])),
      held: { ...record?.held },
      agents: record?.agents ?? 0,
    };
  };
  return { pool, standing };
}

/** Not every host lets its call wait where it fails. */
async function untilNobodyIsLeft(standing: () => Promise<Standing>): Promise<void> {
  for (let looks = 0; (await standing()).agents > 0; looks += 1) {
    assert(looks < MOST_LOOKS, "the run did not leave its pool");
    await setImmediate();
  }
}

const MOST_LOOKS = 10_000;

interface Standing {
  used: Record<string, number>;
  held: Readonly<Record<string, number>>;
  /** How many members take part. */
  agents: number;
}

function slow(store: Store): Store {
  return {
    ...store,
    async take(take) {
      await setImmediate();
      const taken = await store.take(take);
      await setImmediate();
      return taken;
    },
  };
}

function requestsOf(runs: Observed[]): number {
  return runs.reduce((all, { requests }) => all + requests.length, 0);
}
