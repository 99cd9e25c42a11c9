import { strict as assert } from "node:assert";
import { assertSame, type StoreContract } from "./store-contract.ts";

const limits = { turns: 10 };
const want = { turns: 1 };

/** Records that are good for a day, a week or a month. */
export function testPeriods({ test, timed }: StoreContract): void {
  test("in another period nothing is done, and the number can be used again [PeriodMovesOn]", async ({
    store,
    member,
  }) => {
    const now = await store.now();
    const ada = member("ada");
    const request = { settle: { tokens: 5 }, want, limits };
    const over = { from: now - 2_000_000, to: now - 1_000_000 };
    const stale = await ada.take({ ...request, turn: 1, period: over });
    assert.deepEqual([stale.kind, stale.refused], ["stale", []]);
    assertSame([stale.settled, stale.agents], [{}, 0]);
    const current = { from: now - 1_000_000, to: now + 1_000_000 };
    const granted = await ada.take({ ...request, turn: 1, period: current });
    assert.equal(granted.kind, "granted");
    assertSame(granted.settled, { turns: 1, tokens: 5 });
  });

  test("what was used before a period ended can be settled after it [PeriodMovesOn]", async ({
    store,
    member,
  }) => {
    const now = await store.now();
    const period = { from: now - 2_000_000, to: now - 1_000_000 };
    const { kind, settled } = await member("ada").take({ settle: { tokens: 5 }, period, leaves: true });
    assert.equal(kind, "granted");
    assertSame(settled, { tokens: 5 });
  });

  timed("a period has its first moment, and not its last", async ({ store, member, pass }) => {
    const now = await store.now();
    const period = { from: now + 100, to: now + 200 };
    const ada = member("ada");
    const kinds: string[] = [];
    for (const ms of [99, 1, 99, 1]) {
      pass(ms);
      kinds.push((await ada.take({ want, limits, period })).kind);
    }
    assert.deepEqual(kinds, ["stale", "granted", "granted", "stale"]);
  });

  timed("an expired record is gone, and the next request begins a new one", async (scene) => {
    const { store, pool, member, pass, change } = scene;
    const expires = (await store.now()) + 1_000;
    await change({ kind: "freeze", why: "tea" });
    await member("ada").take({ settle: { turns: 9 }, expires });
    pass(999);
    assertSame((await store.read(pool))?.settled, { turns: 9 });
    pass(1);
    assert.equal(await store.read(pool), undefined);
    assert.ok(!(await store.list()).includes(pool));
    const { kind, settled, agents } = await member("bob").take({ want, limits });
    assert.equal(kind, "granted");
    assertSame([settled, agents], [{ turns: 1 }, 1]);
    const record = await store.read(pool);
    assertSame(
      record?.members.map(({ id }) => id),
      ["bob"],
    );
  });

  timed("the last request says when a record expires", async ({ store, pool, member, pass }) => {
    const now = await store.now();
    const ada = member("ada");
    await ada.take({ want, limits, expires: now + 1_000 });
    await ada.take({ want, limits, expires: now + 5_000 });
    await ada.take({ want, limits });
    pass(4_999);
    assertSame((await store.read(pool))?.settled, { turns: 3 });
    pass(1);
    assert.equal(await store.read(pool), undefined);
  });

  timed("a change of an expired record is one of a new record", async ({ store, member, pass, change }) => {
    await change({ kind: "extend", measure: "turns", by: 5 });
    await member("ada").take({ want, limits, expires: (await store.now()) + 10 });
    pass(10);
    const { state } = await change({ kind: "extend", measure: "turns", by: 1 });
    assertSame(state.extra, { turns: 1 });
  });
}
