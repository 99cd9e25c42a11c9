import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import type { PastRun } from "../../core/history/past-run.ts";
import { type EndedRun, REMEMBERED_RUNS } from "../../pools/ledger/past-runs.ts";
import { assertSame, type StoreContract } from "./store-contract.ts";

function ran(turns: number, { end = "finished", ...more }: Partial<EndedRun> = {}): EndedRun {
  const none = { requests: 0, steps: 0, time: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    id: randomUUID(),
    agent: "an agent",
    end,
    took: { ...none, turns, cost: 0.1, calls: {} },
    ...more,
  };
}

const turnsOf = (runs: readonly PastRun[]) => runs.map(({ took }) => took.turns);

/** What runs took that are over, for limits that are chosen from it. */
export function testPastRuns({ test, timed }: StoreContract): void {
  test("what runs of an agent took is kept, apart from those of others [RunsAreRemembered]", async ({
    store,
    pool,
  }) => {
    const [one, other, odd] = [`${pool} one`, `${pool} other`, `${pool} {odd}: "\\ \ud83e\udd8a\n@*`];
    assertSame(await store.pastRuns(one), []);
    const took = {
      ...{ turns: 7, requests: 9, steps: 12, time: 61_234.5, input: 12_345, output: 678 },
      ...{ cacheRead: 50_000, cacheWrite: 2_000, cost: 0.1234, calls: { bash: 5, 'a "tool" {1}': 1 } },
    };
    await store.remember({ id: "a {run}", agent: one, end: "finished", took });
    await store.remember(ran(3, { agent: other, end: "limited" }));
    await store.remember(ran(4, { agent: odd }));
    assertSame(await store.pastRuns(one), [{ end: "finished", took }]);
    assertSame(
      (await store.pastRuns(other)).map(({ end, took: { turns } }) => [end, turns]),
      [["limited", 3]],
    );
    assertSame(turnsOf(await store.pastRuns(odd)), [4]);
    assert.ok(!(await store.list()).some((name) => [one, other, odd].includes(name)));
    assert.ok(!(await store.runs()).some(({ pool: record }) => [one, other, odd].includes(record)));
  });

  test("a run is kept once, also if it is told twice [RunsAreRemembered]", async ({ store, pool }) => {
    const run = ran(3, { agent: pool });
    await Promise.all([store.remember(run), store.remember(run)]);
    await store.remember(run);
    assertSame(turnsOf(await store.pastRuns(pool)), [3]);
  });

  timed(
    "the last runs are kept, in the order in which they ended [RunsAreRemembered]",
    async ({ store, pool, pass }) => {
      const count = REMEMBERED_RUNS + 7;
      for (let turns = 1; turns <= count; turns += 1) {
        await store.remember(ran(turns, { agent: pool }));
        pass(1_000);
      }
      const kept = turnsOf(await store.pastRuns(pool));
      assert.deepEqual([kept.length, kept[0], kept.at(-1)], [REMEMBERED_RUNS, 8, count]);
      assert.deepEqual(
        kept,
        kept.toSorted((one, other) => one - other),
      );
    },
  );
}
