import { strict as assert } from "node:assert";
import type { Outcome } from "../../core/governor/outcome.ts";
import { createPool } from "../../pools/pool.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import type { FindProgress } from "../../run/progress.ts";
import { assertOutcomes, type Contract, endless, endsAt, timesTold } from "./contract.ts";

const turns = { identity: { kind: "turns" }, limit: "turns" } as const;

/** A run that gets somewhere goes on without a question, for so many rounds and no more. */
export function testExtensions({ host, play, test, where }: Contract): void {
  test("a run that gets somewhere is extended, so often and no more", async () => {
    const told: unknown[] = [];
    const progress: FindProgress = async (run, { limit, used, max, extended }) => {
      told.push([typeof run.id, limit, used, max, extended?.times]);
      return `${told.length} files changed`;
    };
    const limits = { turns: { max: 2, extend: 2, onExhausted: "stop" }, progress } as const;
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 6);
    assert.deepEqual(told, [
      ["string", "turns", 2, 2, undefined],
      ["string", "turns", 2, 2, 1],
    ]);
    assert.equal(seen.error, undefined);
    const extensions = [{ ...turns, times: 2, what: "2 files changed" }];
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 6, rounds: 3, extensions });
  });

  test("a run that gets nowhere is not extended", async () => {
    const found = [true, false, true];
    const limits = {
      turns: { max: 2, extend: 9, onExhausted: "stop" },
      progress: () => found.shift(),
    } as const;
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 4);
    assert.equal(found.length, 1);
    assertOutcomes(seen, { kind: "stopped", turns: 4, extensions: [{ ...turns, times: 1 }] });
  });

  test("it can be extended by another amount, and a run that finishes by itself is not asked about", async () => {
    let asked = 0;
    const progress = () => {
      asked += 1;
      return true;
    };
    const limits = { turns: { max: 2, extend: 9, extendBy: 1, onExhausted: "stop" }, progress } as const;
    const seen = await play({ limits, model: endsAt(4) });
    assert.equal(seen.requests.length, 4);
    assert.equal(seen.answer, "done");
    assert.equal(asked, 2);
    assertOutcomes(seen, { kind: "completed", turns: 4, extensions: [{ ...turns, times: 2 }] });
  });

  test("finding out that fails is no progress, and is told", async () => {
    const warnings: string[] = [];
    const limits = {
      turns: { max: 2, extend: 9, onExhausted: "stop" },
      progress: () => Promise.reject(new Error("git is gone")),
      onWarning: (message: string) => void warnings.push(message),
    } as const;
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 2);
    assert.ok(warnings.includes("progress threw: Error: git is gone. It is taken for no progress."));
    assertOutcomes(seen, { kind: "stopped", turns: 2 });
  });

  where("ask")("a person is asked once it was extended so often, and a yes starts that over", async () => {
    const asked: unknown[] = [];
    const limits = {
      turns: { max: 1, extend: 1 },
      progress: () => true,
      ask: ({ used, max, extended }: { used: number; max: unknown; extended?: { times: number } }) => {
        asked.push([used, max, extended?.times]);
        return asked.length === 1;
      },
    };
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 4);
    assert.deepEqual(asked, [
      [1, 1, 1],
      [1, 1, 1],
    ]);
    assertOutcomes(seen, { kind: "declined", turns: 4, extensions: [{ ...turns, times: 2 }] });
  });

  where("spending")("an extension of turns passes no limit of tokens or of cost", async () => {
    const price = () => 0.1;
    const one = (await play({ limits: { turns: 1, price }, model: endless })).outcomes[0]?.usage;
    assert.ok(one?.cost);
    const max = { cost: Number((one.cost * 3).toFixed(9)), tokens: (one.input + one.output) * 3 };
    for (const limit of ["cost", "tokens"] as const) {
      const limits = {
        turns: { max: 2, extend: 9 },
        [limit]: { max: max[limit], onExhausted: "stop" },
        progress: () => true,
        price,
      };
      const seen = await play({ limits, model: endless });
      assert.equal(seen.requests.length, 3);
      assertOutcomes(seen, { kind: "stopped", limit, turns: 3, extensions: [{ ...turns, times: 1 }] });
    }
  });

  test("an extension of turns passes no limit of a pool", async () => {
    const pool = createPool({ id: "shared", store: memoryStore(), turns: { max: 3, onExhausted: "stop" } });
    const limits = { turns: { max: 2, extend: 9 }, progress: () => true, pool } as const;
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "turns of pool shared", turns: 3 });
  });

  where("wrapUp")("the model is told to wrap up in each round", async () => {
    const limits = {
      turns: { max: 2, grace: 1, extend: 1, onExhausted: "stop", wrapUp: { message: "WRAP UP" } },
      progress: () => true,
    } as const;
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 4);
    assert.ok(timesTold(seen.requests[1], "WRAP UP") >= 1);
    assert.ok(timesTold(seen.requests[3], "WRAP UP") >= 1);
    assertOutcomes(seen, { kind: "stopped", turns: 4 });
  });

  const { playWithSubAgents } = host;
  if (!playWithSubAgents) return;
  where()("the turns of sub-agents are extended with those of their run, and end with them", async () => {
    const found = [true, false];
    const seen = await playWithSubAgents({
      limits: { turns: { max: 2, extend: 9, onExhausted: "stop" }, progress: () => found.shift() },
      model: endless,
    });
    assert.equal(seen.requests.length, 4);
    const outcome: Partial<Outcome> = { kind: "stopped", limit: "turns", turns: 4 };
    assertOutcomes(seen, outcome);
  });
}
