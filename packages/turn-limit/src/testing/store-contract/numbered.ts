import { strict as assert } from "node:assert";
import { assertSame, type StoreContract } from "./store-contract.ts";

const limits = { turns: 3, tokens: 100 };

/** Requests that are made again, because nobody knows whether they arrived. */
export function testNumbered({ test }: StoreContract): void {
  test("a request that is made again is not granted twice [RequestRepeated]", async ({ member, record }) => {
    const ada = member("ada");
    const request = { settle: { steps: 4 }, want: { turns: 1 }, hold: { tokens: 30 }, limits };
    const first = await ada.take(request);
    const repeated = await Promise.all(Array.from({ length: 10 }, () => ada.again()));
    for (const { kind, settled, held, holds } of repeated)
      assertSame({ kind, settled, held, holds }, { ...pick(first), kind: "granted" });
    const { settled, held, agents } = await record();
    assertSame([settled, held, agents], [{ turns: 1, steps: 4 }, { tokens: 30 }, 1]);
  });

  test("ten copies of one request that arrive at once count once", async ({ store, pool, record }) => {
    const member = { id: "ada", name: "ada" };
    const numbers = { incarnation: 1, turn: 1, answered: 0, heard: 0 };
    const take = { pool, member, ...numbers, used: { tokens: 5 }, want: { turns: 1 }, limits, lease: 60_000 };
    const results = await Promise.all(Array.from({ length: 10 }, () => store.take(take)));
    assert.ok(results.every(({ kind }) => kind === "granted"));
    assertSame((await record()).settled, { turns: 1, tokens: 5 });
  });

  test("a refused request that is made again stays refused, and its use counts once [RequestRepeated]", async ({
    member,
    record,
  }) => {
    const [ada, bob] = [member("ada"), member("bob")];
    await bob.take({ want: { turns: 3 }, limits });
    await ada.take({ settle: { tokens: 7 }, want: { turns: 1 }, limits });
    await bob.take({ settle: { turns: -3 } });
    const { kind, refused } = await ada.again();
    assert.deepEqual([kind, refused], ["refused", ["turns"]]);
    assertSame((await record()).settled, { tokens: 7 });
    assert.equal((await ada.take({ want: { turns: 1 }, limits })).kind, "granted");
  });

  test("a request that arrives after a later one changes nothing [LateRequestChangesNothing]", async (scene) => {
    const { store, member, record } = scene;
    const ada = member("ada");
    await ada.take({ want: { turns: 2 }, hold: { tokens: 30 }, limits });
    const late = { ...ada.last, turn: 2, used: {}, want: { turns: 1 } };
    await ada.take({ turn: 3, settle: { turns: -1 }, hold: { tokens: 10 }, limits });
    for (const leaves of [false, true]) {
      const { kind, settled, held, agents } = await store.take({ ...late, ...(leaves && { leaves }) });
      assert.equal(kind, "late");
      assertSame([settled, held, agents], [{ turns: 1 }, { tokens: 10 }, 1]);
    }
    const { settled, held, agents } = await record();
    assertSame([settled, held, agents], [{ turns: 1 }, { tokens: 10 }, 1]);
  });

  test("a request of an earlier incarnation changes nothing, whatever its number [LateRequestChangesNothing]", async (scene) => {
    const { store, member, record } = scene;
    const ada = member("ada");
    await ada.take({ incarnation: 7, want: { turns: 1 }, limits });
    const late = { ...ada.last, turn: 1_000, want: { turns: 1 } };
    const { incarnation } = await ada.take({
      incarnation: 8,
      turn: 1,
      answered: 0,
      want: { turns: 1 },
      limits,
    });
    assert.equal(incarnation, 8);
    const { kind, incarnation: latest } = await store.take(late);
    assert.deepEqual([kind, latest], ["late", 8]);
    assertSame((await record()).settled, { turns: 2 });
  });

  test("what a member is granted and never learns of is given back with its next request", async (scene) => {
    const { store, member, record } = scene;
    const ada = member("ada");
    await ada.take({ want: { turns: 1 }, limits });
    // The answer is lost.
    await store.take({ ...ada.last, turn: 2, used: { turns: 1, steps: 5 }, want: { turns: 1 } });
    assertSame((await record()).settled, { turns: 2, steps: 5 });
    await ada.take({ turn: 3, settle: { steps: 6 }, want: { turns: 1 }, limits });
    assertSame((await record()).settled, { turns: 2, steps: 6 });
  });

  test("what an earlier incarnation held counts as used, and the next one starts from nothing", async (scene) => {
    const { member, record } = scene;
    const ada = member("ada");
    await ada.take({ settle: { tokens: 5 }, hold: { tokens: 30 }, limits });
    const again = { incarnation: 2, turn: 1, answered: 0 };
    const { settled, held } = await ada.take({
      ...again,
      settle: { tokens: 7 },
      hold: { tokens: 1 },
      limits,
    });
    assertSame([settled, held], [{ tokens: 42 }, { tokens: 1 }]);
    assertSame((await record()).members[0]?.used, { tokens: 42 });
  });

  test("a member whose last request is not known any more is told, and says again what it used [LostWritesAreTold]", async (scene) => {
    const { store, member, record } = scene;
    const ada = member("ada");
    await ada.take({ settle: { tokens: 5 }, want: { turns: 1 }, limits });
    const lost = { ...ada.last, turn: 9, answered: 8, used: { tokens: 9, turns: 2 }, want: { turns: 1 } };
    for (const request of [lost, { ...lost, member: { id: "bob", name: "bob" } }]) {
      assert.equal((await store.take(request)).kind, "lost");
      assertSame((await record()).settled, { turns: 1, tokens: 5 });
    }
    const { kind, settled } = await store.take({ ...lost, answered: 0 });
    assert.equal(kind, "granted");
    assertSame(settled, { turns: 3, tokens: 9 });
  });

  test("the numbers of one member say nothing about those of another", async ({ member, record }) => {
    for (const id of ["ada", "bob"])
      assert.equal((await member(id).take({ want: { turns: 1 }, limits })).kind, "granted");
    assertSame((await record()).settled, { turns: 2 });
  });

  test("a farewell that is made again changes nothing", async ({ member, record }) => {
    const ada = member("ada");
    await ada.take({ hold: { tokens: 30 }, limits });
    await ada.take({ settle: { tokens: 20 }, leaves: true });
    await ada.again();
    const { settled, held, agents } = await record();
    assertSame([settled, held, agents], [{ tokens: 20 }, {}, 0]);
  });
}

function pick({ kind, settled, held, holds }: Record<"kind" | "settled" | "held" | "holds", unknown>) {
  return { kind, settled, held, holds };
}
