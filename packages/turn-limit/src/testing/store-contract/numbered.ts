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
    const take = { pool, member, turn: 1, settle: { tokens: 5 }, want: { turns: 1 }, limits, lease: 60_000 };
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
