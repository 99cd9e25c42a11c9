import { strict as assert } from "node:assert";
import { assertSame, type StoreContract, tally } from "./store-contract.ts";

const limits = { tokens: 100 };

/** What is measured, and held by estimate until it is: tokens, cost and time. */
export function testMeasured({ test }: StoreContract): void {
  test("as much is held as is left, and if nothing is left the request is refused [HoldIsClipped] [ReservationRefused]", async ({
    member,
  }) => {
    const [ada, bob, eve] = [member("ada"), member("bob"), member("eve")];
    assertSame((await ada.take({ hold: { tokens: 70 }, limits })).holds, { tokens: 70 });
    const clipped = await bob.take({ hold: { tokens: 70 }, limits });
    assert.equal(clipped.kind, "granted");
    assertSame([clipped.holds, clipped.held], [{ tokens: 30 }, { tokens: 100 }]);
    const refused = await eve.take({ hold: { tokens: 1 }, limits });
    assert.deepEqual([refused.kind, refused.refused], ["refused", ["tokens"]]);
    assertSame([refused.holds, refused.held], [{}, { tokens: 100 }]);
  });

  test("40 members that hold at once hold no more than there is", async ({ member, record }) => {
    const holds = Array.from({ length: 40 }, (_, n) =>
      member(`m${n}`).take({ hold: { tokens: 30 }, limits: { tokens: 1_000 } }),
    );
    assert.deepEqual(tally(await Promise.all(holds)), { granted: 34, refused: 6 });
    const { held, settled } = await record();
    assertSame([held, settled], [{ tokens: 1_000 }, {}]);
  });

  test("a hold takes the place of the one before, and what was used is settled with it [RequestHeard] [HoldIsReleased]", async ({
    member,
  }) => {
    const ada = member("ada");
    await ada.take({ hold: { tokens: 80 }, limits });
    const next = await ada.take({ settle: { tokens: 60 }, hold: { tokens: 80 }, limits });
    assertSame([next.settled, next.held, next.holds], [{ tokens: 60 }, { tokens: 40 }, { tokens: 40 }]);
  });

  test("a request without a hold leaves the hold as it is, and an empty one ends it [HoldIsReleased]", async ({
    member,
  }) => {
    const ada = member("ada");
    await ada.take({ hold: { tokens: 80 }, limits });
    const kept = await ada.take({ want: { steps: 1 }, limits });
    assertSame([kept.holds, kept.held], [{ tokens: 80 }, { tokens: 80 }]);
    const ended = await ada.take({ settle: { tokens: 10 }, hold: {}, limits });
    assertSame([ended.holds, ended.held, ended.settled], [{}, {}, { tokens: 10, steps: 1 }]);
  });

  test("a refused request holds nothing, also of what it held before [ReservationRefused]", async ({
    member,
  }) => {
    const ada = member("ada");
    await ada.take({ hold: { tokens: 80 }, limits });
    const { kind, holds, held, settled } = await ada.take({
      settle: { tokens: 100 },
      hold: { tokens: 80 },
      limits,
    });
    assert.equal(kind, "refused");
    assertSame([holds, held, settled], [{}, {}, { tokens: 100 }]);
  });

  test("if one thing of several is used up nothing is counted or held [ReservationRefused]", async ({
    member,
  }) => {
    const ada = member("ada");
    const both = { turns: 5, tokens: 100, cost: 0 };
    const { kind, refused, settled, held } = await ada.take({
      want: { turns: 1 },
      hold: { tokens: 10, cost: 5 },
      limits: both,
    });
    assert.deepEqual([kind, refused], ["refused", ["cost"]]);
    assertSame([settled, held], [{}, {}]);
  });

  test("what has no limit is not held", async ({ member }) => {
    const { kind, holds } = await member("ada").take({
      hold: { tokens: 10, cost: 5, time: 3 },
      limits: { tokens: 20, cost: "unlimited" },
    });
    assert.equal(kind, "granted");
    assertSame(holds, { tokens: 10 });
  });

  test("force goes on with nothing left, and holds only what there is [ReservationForced]", async ({
    member,
  }) => {
    const [ada, bob] = [member("ada"), member("bob")];
    await ada.take({ hold: { tokens: 100 }, limits });
    const { kind, holds } = await bob.take({
      want: { turns: 1 },
      hold: { tokens: 10 },
      limits,
      force: true,
    });
    assert.equal(kind, "granted");
    assertSame(holds, {});
  });
}
