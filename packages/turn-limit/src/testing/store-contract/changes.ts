import { strict as assert } from "node:assert";
import type { Maxima } from "../../pools/ledger/store.ts";
import { assertSame, type StoreContract } from "./store-contract.ts";
import { LEASE } from "./test-member.ts";

const want = { turns: 1 };
const limits = { turns: 1 };

/** What is changed for all members, while they work. */
export function testChanges({ test, timed }: StoreContract): void {
  test("a frozen pool grants nothing, and counts what was used [PoolFreezes] [FrozenPoolGrantsNothing]", async (scene) => {
    const { member, change } = scene;
    const ada = member("ada");
    await ada.take({ hold: { tokens: 10 }, limits: { tokens: 50 } });
    const { made, state, now } = await change({ kind: "freeze", why: "lunch" });
    assert.equal(made, true);
    assertSame(state.frozen, { at: now, why: "lunch" });
    const frozen = await ada.take({
      settle: { tokens: 7 },
      want,
      hold: { tokens: 10 },
      limits: { tokens: 50 },
    });
    assert.deepEqual([frozen.kind, frozen.refused], ["frozen", []]);
    assertSame([frozen.settled, frozen.held, frozen.holds], [{ tokens: 7 }, {}, {}]);
    assert.equal((await ada.take({ settle: { tokens: 1 } })).kind, "granted");
  });

  test("a frozen pool that is thawed goes on [PoolThaws]", async ({ member, change, record }) => {
    const ada = member("ada");
    await change({ kind: "freeze", why: "lunch" });
    assert.equal((await ada.take({ want, limits })).kind, "frozen");
    await change({ kind: "unfreeze" });
    assert.equal((await record()).state.frozen, undefined);
    assert.equal((await ada.take({ want, limits })).kind, "granted");
  });

  test("force goes on in a frozen pool [ReservationForced]", async ({ member, change }) => {
    await change({ kind: "freeze", why: "lunch" });
    assert.equal((await member("ada").take({ want, limits, force: true })).kind, "granted");
  });

  timed(
    "whoever may go on in spite of a freeze may not in spite of the next [FrozenPoolGrantsNothing]",
    async (scene) => {
      const { member, change, pass } = scene;
      const [ada, bob] = [member("ada"), member("bob")];
      const { now: thawed } = await change({ kind: "freeze", why: "lunch" });
      assert.equal((await ada.take({ want, limits: { turns: 9 }, thawed })).kind, "granted");
      assert.equal((await bob.take({ want, limits: { turns: 9 } })).kind, "frozen");
      pass(1);
      await change({ kind: "freeze", why: "tea" });
      assert.equal((await ada.take({ want, limits: { turns: 9 }, thawed })).kind, "frozen");
    },
  );

  test("the owner's limits hold for members without limits, and only for them", async (scene) => {
    const { member, change, record } = scene;
    const [ada, bob] = [member("ada"), member("bob")];
    await change({ kind: "limits", limits: { turns: 2 } });
    assert.equal((await ada.take({ want })).kind, "granted");
    assert.equal((await ada.take({ want })).kind, "granted");
    assert.equal((await ada.take({ want })).kind, "refused");
    assert.equal((await bob.take({ want, limits: { turns: 3 } })).kind, "granted");
    await change({ kind: "limits", limits: { turns: 4, tokens: "unlimited" } });
    assertSame((await record()).state.limits, { turns: 4, tokens: "unlimited" });
    assert.equal((await ada.take({ want })).kind, "granted");
    await change({ kind: "limits", limits: { turns: 1 } });
    assert.equal((await ada.take({ want })).kind, "refused");
    await change({ kind: "limits", limits: {} });
    assert.equal((await ada.take({ want })).kind, "granted");
  });

  test("what is allowed in addition adds up, until it is ended [PoolExtended] [PoolLifted]", async ({
    member,
    change,
    record,
  }) => {
    const ada = member("ada");
    await change({ kind: "extend", measure: "turns", by: 1 });
    await change({ kind: "extend", measure: "turns", by: 2 });
    const { settled } = await ada.take({ want: { turns: 4 }, limits });
    assertSame(settled, { turns: 4 });
    assert.equal((await ada.take({ want, limits })).kind, "refused");
    await change({ kind: "extend", measure: "turns", by: "unlimited" });
    await change({ kind: "extend", measure: "turns", by: 1 });
    assertSame((await record()).state.extra, { turns: "unlimited" });
    assert.equal((await ada.take({ want: { turns: 100 }, limits })).kind, "granted");
    await change({ kind: "end-extension", measure: "turns" });
    assertSame((await record()).state.extra, {});
    assert.equal((await ada.take({ want, limits })).kind, "refused");
  });

  test("an extension of what is not limited limits nothing", async ({ member, change }) => {
    await change({ kind: "extend", measure: "steps", by: 1 });
    assert.equal((await member("ada").take({ want: { steps: 50 }, limits })).kind, "granted");
  });

  test("a reset forgets what was used and allowed, and keeps what is held [PoolStartsOver]", async (scene) => {
    const { member, change, record } = scene;
    const ada = member("ada");
    await change({ kind: "limits", limits: { turns: 1, tokens: 100 } });
    await change({ kind: "extend", measure: "turns", by: 1 });
    await ada.take({ want: { turns: 2 }, hold: { tokens: 30 } });
    assert.equal((await change({ kind: "reset" })).made, true);
    const { settled, held, state, agents } = await record();
    assertSame(
      [settled, held, state.extra, state.limits, agents],
      [{}, { tokens: 30 }, {}, { turns: 1, tokens: 100 }, 1],
    );
    assert.equal((await ada.take({ want })).kind, "granted");
    assert.equal((await ada.take({ want })).kind, "refused");
  });

  test("what was taken before a reset cannot be given back after it [PoolStartsOver]", async (scene) => {
    const { member, change, record } = scene;
    const limits = { turns: 1 };
    await member("ada").take({ want, limits });
    await change({ kind: "reset" });
    await member("bob").take({ want, limits });
    await member("ada").take({ settle: { turns: -1 } });
    assert.equal((await member("eve").take({ want, limits })).kind, "refused");
    assertSame((await record()).settled, { turns: 1 });
  });

  test("a change with the same key is made once, and one with another is made again", async (scene) => {
    const { member, change, record } = scene;
    const extend = { kind: "extend", measure: "turns", by: 2 } as const;
    assert.equal((await change(extend, "once")).made, true);
    assert.equal((await change(extend, "once")).made, true);
    assertSame((await record()).state.extra, { turns: 2 });
    await change(extend, "twice");
    assertSame((await record()).state.extra, { turns: 4 });

    await member("ada").take({ want });
    await change({ kind: "reset" }, "reset");
    await member("bob").take({ want });
    await change({ kind: "reset" }, "reset");
    assertSame((await record()).settled, { turns: 1 });
  });

  test("an extension with the same key is made once, however many changes lie between", async (scene) => {
    const { change, record } = scene;
    const extend = { kind: "extend", measure: "turns", by: 2 } as const;
    await change(extend, "once");
    for (let n = 0; n < 60; n += 1) await change({ kind: n % 2 === 0 ? "freeze" : "unfreeze", why: "tea" });
    for (let n = 0; n < 60; n += 1) await change({ kind: "extend", measure: "steps", by: 1 });
    assert.equal((await change(extend, "once")).made, true);
    assertSame((await record()).state.extra, { turns: 2, steps: 60 });
    await change({ kind: "reset" });
    await change(extend, "once");
    assertSame((await record()).state.extra, {});
  });

  test("a member that joins with other terms than the pool changes nothing [TermsBelongToThePool]", async (scene) => {
    const { change } = scene;
    const terms = { limits: { turns: 10 }, zone: "Asia/Tokyo", keepFor: 1_000 };
    const otherwise = { zone: "UTC", keepFor: "forever" } as const;
    const join = (own: object) => change({ kind: "join", terms: own, otherwise });
    const first = await join({ limits: { turns: 10 }, zone: "Asia/Tokyo" });
    assert.equal(first.made, true);
    const recorded = { limits: { turns: 10 }, zone: "Asia/Tokyo", keepFor: "forever" };
    const seen = ({ limits, zone, keepFor }: typeof first.state) => ({ limits, zone, keepFor });
    assertSame(seen(first.state), recorded);
    for (const other of [{ limits: { turns: 11 } }, { zone: "UTC" }, { keepFor: 1_000 }, terms]) {
      const { made, state } = await join(other);
      assert.equal(made, false);
      assertSame(seen(state), recorded);
    }
    const more = await join({ limits: { turns: 10, steps: 5 } });
    assert.equal(more.made, true);
    assertSame(seen(more.state), { ...recorded, limits: { turns: 10, steps: 5 } });
    const changed = await change({ kind: "terms", terms });
    assertSame(seen(changed.state), { ...terms, limits: { turns: 10, steps: 5 } });
    assert.equal((await join(terms)).made, true);
  });

  test("a member that leaves out a limit of the pool, and must name all, changes nothing [TermsBelongToThePool]", async (scene) => {
    const { change } = scene;
    const otherwise = { keepFor: "forever" } as const;
    await change({ kind: "join", terms: { limits: { turns: 10, tokens: 5 } }, otherwise, namesAll: true });
    const joins = async (limits: Maxima) => {
      const { made, state } = await change({ kind: "join", terms: { limits }, otherwise, namesAll: true });
      assertSame(state.limits, { turns: 10, tokens: 5 });
      return made;
    };
    assert.equal(await joins({ turns: 10, steps: 1 }), false);
    assert.equal(await joins({ turns: 10, tokens: "unlimited", steps: 1 }), false);
    // What a member does not limit is not recorded.
    assert.equal(await joins({ turns: 10, tokens: 5, steps: "unlimited" }), true);
  });

  test("an extension beyond what was used covers once what went over the maximum [PoolExtended]", async (scene) => {
    const { member, change, record } = scene;
    await change({ kind: "limits", limits: { tokens: 10 } });
    await member("ada").take({ settle: { tokens: 25 } });
    const extend = { kind: "extend", measure: "tokens", by: 10, beyondUsed: true } as const;
    await Promise.all([change(extend), change(extend), change(extend)]);
    assertSame((await record()).state.extra, { tokens: 45 });
    await change({ kind: "end-extension", measure: "tokens" });
    await change({ ...extend, max: 20 });
    assertSame((await record()).state.extra, { tokens: 15 });
    await change({ ...extend, by: "unlimited" });
    assertSame((await record()).state.extra, { tokens: "unlimited" });
    await change({ kind: "extend", measure: "steps", by: 1, beyondUsed: true });
    assertSame((await record()).state.extra, { tokens: "unlimited", steps: 1 });
  });

  timed(
    "an extension beyond what was used counts what a silent member held as used [PoolExtended]",
    async (scene) => {
      const { member, change, record, pass } = scene;
      await change({ kind: "limits", limits: { tokens: 10 } });
      await member("ada").take({ hold: { tokens: 10 }, settle: { tokens: 5 } });
      await member("bob").take({ settle: { tokens: 5 } });
      pass(LEASE);
      await change({ kind: "extend", measure: "tokens", by: 1, beyondUsed: true });
      assertSame((await record()).state.extra, { tokens: 6 });
    },
  );

  test("of changes made at once none is lost", async ({ change, record }) => {
    const extend = { kind: "extend", measure: "turns", by: 1 } as const;
    await Promise.all(Array.from({ length: 20 }, () => change(extend)));
    assertSame((await record()).state.extra, { turns: 20 });
  });

  test("every request tells what has been changed", async ({ member, change }) => {
    await change({ kind: "limits", limits: { turns: 3 } });
    await change({ kind: "extend", measure: "turns", by: 1 });
    const { state } = await member("ada").take({ want });
    assertSame([state.limits, state.extra, state.questions], [{ turns: 3 }, { turns: 1 }, {}]);
  });
}
