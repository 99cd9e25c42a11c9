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
    const granted = await ada.take({ want, limits, turn: 1, period: current });
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
    await change({ kind: "freeze", why: "tea" });
    await member("ada").take({ settle: { turns: 9 }, keepFor: 1_000, lease: 10 });
    pass(999);
    assertSame((await store.read(pool))?.settled, { turns: 9 });
    pass(1);
    assert.equal(await store.read(pool), undefined);
    assert.equal((await store.look(pool)).totals, undefined);
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

  timed(
    "a record is kept for as long after its last request as that says, and while a lease lasts",
    async (scene) => {
      const { store, pool, member, pass } = scene;
      const ada = member("ada");
      await ada.take({ want, limits, keepFor: 1_000, lease: 5_000 });
      pass(3_000);
      await ada.take({ want, limits, keepFor: 1_000, lease: 10 });
      pass(1_999);
      assertSame((await store.read(pool))?.settled, { turns: 2 });
      pass(1);
      assert.equal(await store.read(pool), undefined);
    },
  );

  timed("a change of an expired record is one of a new record", async ({ member, pass, change }) => {
    await change({ kind: "extend", measure: "turns", by: 5 });
    await member("ada").take({ want, limits, keepFor: 10, lease: 10 });
    pass(10);
    const { state } = await change({ kind: "extend", measure: "turns", by: 1 });
    assertSame(state.extra, { turns: 1 });
  });

  timed("a member of an expired record is told so, and not that something was lost", async (scene) => {
    const { member, pass, record } = scene;
    const ada = member("ada");
    const { now: heard } = await ada.take({ want, limits, keepFor: 1_000, lease: 10 });
    pass(1_000);
    const late = await ada.take({ want, limits, keepFor: 1_000, lease: 10, answered: 1, heard });
    assert.equal(late.kind, "forgotten");
    await ada.take({ incarnation: 2, answered: 0, heard: 0, want, limits, keepFor: 1_000 });
    assertSame((await record()).settled, { turns: 1 });
  });

  test("a freeze and the limits of a pool hold in all its periods, and nothing else does", async (scene) => {
    const { store, pool, member } = scene;
    const [day, next, week] = [`${pool}@2030-01-01`, `${pool}@2030-01-02`, `${pool}@week-2029-12-31`];
    const take = (name: string, id: string) => member(id, { pool: name }).take({ want });
    await store.change(day, { kind: "limits", limits: { turns: 1 }, key: "1" });
    await store.change(day, { kind: "extend", measure: "turns", by: 1, key: "2" });
    for (const [id, kind] of Object.entries({ a: "granted", b: "granted", c: "refused" }))
      assert.equal((await take(day, id)).kind, kind);
    assert.equal((await take(next, "a")).kind, "granted");
    assert.equal((await take(next, "b")).kind, "refused");
    const { state } = await store.change(day, { kind: "freeze", why: "lunch", key: "3" });
    assertSame((await store.look(next)).totals?.state.frozen, state.frozen);
    assert.equal((await take(next, "c")).kind, "frozen");
    assert.equal((await take(`${pool}@2030-01-03`, "c")).kind, "frozen");
    assert.equal((await take(week, "c")).kind, "granted");
    await store.change(next, { kind: "unfreeze", key: "4" });
    assert.equal((await take(`${pool}@2030-01-03`, "d")).kind, "granted");
    const names = (await store.list()).filter((name) => name.startsWith(pool));
    assert.deepEqual(names.sort(), [day, next, `${pool}@2030-01-03`, week].sort());
  });
}
