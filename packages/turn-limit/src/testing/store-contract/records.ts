import { strict as assert } from "node:assert";
import { assertSame, type StoreContract } from "./store-contract.ts";

const limits = { turns: 2 };
const want = { turns: 1 };

const ODD = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "a:b*c?[d]{e}%f_g'h\"i\\j;--",
  "../..\\etc/passwd",
  "line\nbreak\ttab\0nul",
  "Ada",
  "ada",
  "\u00e9",
  "e\u0301",
  "日本語🦊",
  "0",
  "x".repeat(10_000),
];

/** What a store tells about its records, and what they may be called. */
export function testRecords({ test, timed }: StoreContract): void {
  test("there is no record of a pool that nobody used", async ({ store, pool }) => {
    assert.equal(await store.read(pool), undefined);
    assert.ok(!(await store.list()).includes(pool));
  });

  test("a record says who took what, by the name that it last had", async ({ pool, member, record }) => {
    await member("a", { name: "old name" }).take({ want, limits });
    await member("a", { name: "Ada" }).take({ turn: 2, settle: { turns: 1, tokens: 9 }, hold: {}, limits });
    await member("b", { name: "Bob" }).take({ want, hold: { tokens: 5 }, limits: { tokens: 9e9 } });
    const { members, ...rest } = await record();
    assertSame(
      members.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      [
        { id: "a", name: "Ada", used: { turns: 1, tokens: 9 }, holds: {}, isPresent: true },
        { id: "b", name: "Bob", used: { turns: 1 }, holds: { tokens: 5 }, isPresent: true },
      ],
    );
    assertSame(
      [rest.pool, rest.settled, rest.held, rest.agents],
      [pool, { turns: 2, tokens: 9 }, { tokens: 5 }, 2],
    );
    assert.ok(Number.isSafeInteger(rest.now));
  });

  test("every record is listed once", async ({ store, pool, member, change }) => {
    const others = [`${pool}-b`, `${pool}-c`];
    for (const other of others) await member("ada", { pool: other }).take({ want, limits });
    await change({ kind: "limits", limits });
    const names = (await store.list()).filter((name) => name.startsWith(pool));
    assert.deepEqual(names.sort(), [pool, ...others]);
  });

  test("pools have nothing in common, whatever they are called", async ({ store, pool, member }) => {
    const pools = ODD.map((name) => `${pool}${name}`);
    for (const other of pools) {
      const ada = member("ada", { pool: other });
      assert.equal((await ada.take({ want: { turns: 2 }, limits })).kind, "granted", other);
      assert.equal((await ada.take({ want, limits })).kind, "refused", other);
    }
    const listed = (await store.list()).filter((name) => name.startsWith(pool));
    assert.deepEqual(listed.sort(), pools.sort());
    for (const other of pools) assert.equal((await store.read(other))?.pool, other);
  });

  test("members are told apart, whatever they are called", async ({ member, record }) => {
    for (const [n, id] of ODD.entries()) {
      const taken = await member(id).take({ want: { turns: n + 1 } });
      assert.deepEqual([taken.kind, taken.agents], ["granted", n + 1], id);
    }
    const members = (await record()).members.toSorted(
      (one, other) => (one.used.turns ?? 0) - (other.used.turns ?? 0),
    );
    assertSame(
      members.map(({ id, name, used }) => [id, name, used.turns]),
      ODD.map((id, n) => [id, id, n + 1]),
    );
  });

  test("things are counted apart, whatever they are called", async ({ member, change, record }) => {
    const ada = member("ada");
    for (const measure of [...ODD, ...ODD.map((tool) => `tools.${tool}`)]) {
      const only = (amount: number) => Object.fromEntries([[measure, amount]]);
      const refused = await ada.take({ want: only(3), limits: only(2) });
      assert.deepEqual([refused.kind, refused.refused], ["refused", [measure]]);
      await change({ kind: "extend", measure, by: 1 });
      const granted = await ada.take({ want: only(3), hold: only(1), limits: only(3) });
      assert.equal(granted.kind, "granted", measure);
      assertSame(granted.holds, only(1));
      assertSame((await record()).settled, only(3));
      await ada.take({ settle: only(-3), hold: {} });
      await change({ kind: "end-extension", measure });
    }
    const { settled, held, state } = await record();
    assertSame([settled, held, state.extra], [{}, {}, {}]);
  });

  test("questions are told apart, whatever they are called", async ({ change, record }) => {
    for (const id of ODD) {
      const question = { id, member: id, name: id, limit: id, used: 1, max: "unlimited" } as const;
      await change({ kind: "ask", question });
      assert.equal((await change({ kind: "answer", question: id, reply: "wrap-up" })).made, true, id);
    }
    const { questions } = (await record()).state;
    assert.deepEqual(Object.keys(questions).sort(), ODD.toSorted());
  });

  test("large numbers stay exact", async ({ member, record }) => {
    const most = Number.MAX_SAFE_INTEGER;
    const ada = member("ada");
    await ada.take({ settle: { cost: most - 10 } });
    const taken = await ada.take({ hold: { cost: most }, limits: { cost: most } });
    assertSame([taken.settled, taken.holds], [{ cost: most - 10 }, { cost: 10 }]);
    await ada.take({ settle: { cost: 9 }, hold: {} });
    assertSame((await record()).settled, { cost: most - 1 });
    assert.equal((await ada.take({ want: { cost: 2 }, limits: { cost: most } })).kind, "refused");
    assert.equal((await ada.take({ want: { cost: 1 }, limits: { cost: most } })).kind, "granted");
    const late = await ada.take({ turn: most, settle: { cost: -most }, lease: most / 2 });
    assertSame(late.settled, {});
  });

  test("a record that is deleted is gone, and with it all that was known of its pool", async (scene) => {
    const { store, pool, member, change } = scene;
    const ada = member("ada");
    await ada.take({ want: { turns: 2 }, hold: { tokens: 5 }, limits: { turns: 2, tokens: 9 } });
    await change({ kind: "extend", measure: "turns", by: 1 }, "once");
    await change({ kind: "freeze", why: "lunch" });
    assert.equal(await store.delete(pool), true);
    assert.equal(await store.read(pool), undefined);
    assert.ok(!(await store.list()).includes(pool));
    assert.equal(await store.delete(pool), false);
    const { made, state } = await change({ kind: "extend", measure: "turns", by: 1 }, "once");
    assertSame([made, state.extra, state.frozen], [true, { turns: 1 }, undefined]);
    const { kind, settled, held, agents } = await member("bob").take({ want, limits });
    assertSame(
      { kind, settled, held, agents },
      { kind: "granted", settled: { turns: 1 }, held: {}, agents: 1 },
    );
    // Who was at work notices it.
    assert.equal((await ada.take({ want, limits })).kind, "lost");
    assert.equal((await ada.take({ want, limits })).kind, "refused");
  });

  test("of a pool with periods, records are deleted one by one, and apart from what holds in all of them", async (scene) => {
    const { store, pool } = scene;
    const [monday, tuesday, all] = [`${pool}@2030-01-07`, `${pool}@2030-01-08`, `${pool}@day`];
    for (const day of [monday, tuesday]) await scene.member("ada", { pool: day }).take({ want, limits });
    await store.change(monday, { key: "f", kind: "freeze", why: "lunch" });
    assert.equal(await store.delete(monday), true);
    assert.equal(await store.read(monday), undefined);
    const left = await store.read(tuesday);
    assertSame([left?.settled, left?.state.frozen?.why], [{ turns: 1 }, "lunch"]);
    assert.equal(await store.delete(all), true);
    const thawed = await store.read(tuesday);
    assertSame([thawed?.settled, thawed?.state.frozen], [{ turns: 1 }, undefined]);
    assert.equal(await store.delete(all), false);
  });

  timed("all time is the store's", async ({ store, member, change, record, pass }) => {
    const start = await store.now();
    pass(5);
    const times = [
      await store.now(),
      (await member("ada").take({ want, limits })).now,
      (await change({ kind: "reset" })).now,
      (await record()).now,
    ];
    assert.deepEqual(times, [start + 5, start + 5, start + 5, start + 5]);
  });
}
