import { strict as assert } from "node:assert";
import { assertSame, type StoreContract } from "./store-contract.ts";

const FIRST = "anthropic plan per 5h";
const OTHER = "openai plan per 5h";

/** What providers told of the windows of subscriptions. */
export function testReadings({ test, timed }: StoreContract): void {
  test("the newest reading of a window takes the place of the one before, and of no other [PlanIsShared]", async (scene) => {
    const { store, pool, member, change, record } = scene;
    const { now } = await store.look(pool);
    const resets = now + 60_000;
    const reads = (name: string, used: number) =>
      change({ kind: "readings", readings: { [name]: { used, resets } } });
    assert.equal((await reads(FIRST, 9_000)).made, true);
    await reads(OTHER, 100);
    const { state } = await reads(FIRST, 2_000);
    const expected = { [FIRST]: { used: 2_000, resets }, [OTHER]: { used: 100, resets } };
    assertSame(state.readings, expected);
    assertSame((await member("ada").take({ want: { turns: 1 } })).state.readings, expected);
    assertSame((await store.look(pool)).totals?.state.readings, expected);
    await change({ kind: "extend", measure: "turns", by: 1 });
    assertSame((await record()).state.readings, expected);
  });

  timed(
    "what was allowed in a window ends with it [WindowStartsOver]",
    async ({ store, pool, change, record, pass }) => {
      const { now } = await store.look(pool);
      const reads = (name: string, resets: number) =>
        change({ kind: "readings", readings: { [name]: { used: 9_000, resets } } });
      await reads(FIRST, now + 1_000);
      await reads(OTHER, now + 60_000);
      const extended = { [FIRST]: 500, [OTHER]: 700, turns: 3 };
      for (const [measure, by] of Object.entries(extended)) await change({ kind: "extend", measure, by });
      await reads(FIRST, now + 1_000);
      assertSame((await record()).state.extra, extended);
      pass(1_000);
      await reads(FIRST, now + 9_000);
      assertSame((await record()).state.extra, { [OTHER]: 700, turns: 3 });
    },
  );
}
