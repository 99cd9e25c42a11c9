import { strict as assert } from "node:assert";
import { assertSame, type StoreContract, tally } from "./store-contract.ts";

/** What is counted: turns, steps and calls of tools. */
export function testCounted({ test }: StoreContract): void {
  test("of 200 requests at once under a limit of 100 exactly 100 are granted [CountedWithinAdmitted]", async ({
    member,
    record,
  }) => {
    const members = Array.from({ length: 50 }, (_, n) => member(`m${n}`));
    const fourTurns = async ({ take }: (typeof members)[number]) => {
      const results = [];
      for (let n = 0; n < 4; n += 1) results.push(await take({ want: { turns: 1 }, limits: { turns: 100 } }));
      return results;
    };
    const results = (await Promise.all(members.map(fourTurns))).flat();
    assert.deepEqual(tally(results), { granted: 100, refused: 100 });
    const { settled, members: seen, agents } = await record();
    assertSame(settled, { turns: 100 });
    assert.equal(
      seen.reduce((sum, { used }) => sum + (used.turns ?? 0), 0),
      100,
    );
    assert.equal(agents, 50);
  });

  test("what is wanted is granted as a whole or not at all [ReservationGranted] [ReservationRefused]", async ({
    member,
  }) => {
    const ada = member("ada");
    const limits = { turns: 5, steps: 3, "tools.bash": 0 };
    const refused = await ada.take({ want: { turns: 1, steps: 4, "tools.bash": 1 }, limits });
    assert.equal(refused.kind, "refused");
    assert.deepEqual([...refused.refused].sort(), ["steps", "tools.bash"]);
    assertSame(refused.settled, {});
    const granted = await ada.take({ want: { turns: 1, steps: 3 }, limits });
    assert.equal(granted.kind, "granted");
    assert.deepEqual(granted.refused, []);
    assertSame(granted.settled, { turns: 1, steps: 3 });
  });

  test("a request for more than is left is refused, and one for all that is left is granted", async ({
    member,
  }) => {
    const ada = member("ada");
    const limits = { steps: 5 };
    await ada.take({ want: { steps: 3 }, limits });
    assert.equal((await ada.take({ want: { steps: 3 }, limits })).kind, "refused");
    assert.equal((await ada.take({ want: { steps: 2 }, limits })).kind, "granted");
    assert.equal((await ada.take({ want: { steps: 1 }, limits })).kind, "refused");
  });

  test("what was taken and not used is given back, and another gets it [UseCounts]", async ({ member }) => {
    const [ada, bob] = [member("ada"), member("bob")];
    const limits = { turns: 2 };
    await ada.take({ want: { turns: 2 }, limits });
    assert.equal((await bob.take({ want: { turns: 1 }, limits })).kind, "refused");
    assertSame((await ada.take({ settle: { turns: -1 } })).settled, { turns: 1 });
    assert.equal((await bob.take({ want: { turns: 1 }, limits })).kind, "granted");
    assert.equal((await bob.take({ want: { turns: 1 }, limits })).kind, "refused");
  });

  test("what is given back can be taken in the same request", async ({ member }) => {
    const ada = member("ada");
    const limits = { turns: 1 };
    await ada.take({ want: { turns: 1 }, limits });
    const { kind, settled } = await ada.take({ settle: { turns: -1 }, want: { turns: 1 }, limits });
    assert.equal(kind, "granted");
    assertSame(settled, { turns: 1 });
  });

  test("a limit of 0 admits nothing, unlimited admits everything, and both count", async ({ member }) => {
    const ada = member("ada");
    assert.equal((await ada.take({ want: { turns: 1 }, limits: { turns: 0 } })).kind, "refused");
    await ada.take({ want: { turns: 1_000 }, limits: { turns: "unlimited" } });
    const { kind, settled } = await ada.take({ want: { steps: 7 }, limits: {} });
    assert.equal(kind, "granted");
    assertSame(settled, { turns: 1_000, steps: 7 });
  });

  test("what was used counts, also beyond the limit and with a request that is refused [UseCounts]", async ({
    member,
    record,
  }) => {
    const ada = member("ada");
    const limits = { turns: 10, tokens: 100 };
    assert.equal((await ada.take({ settle: { tokens: 250 } })).kind, "granted");
    const refused = await ada.take({ settle: { tokens: 50 }, want: { turns: 11 }, limits });
    assert.deepEqual([refused.kind, refused.refused], ["refused", ["turns"]]);
    assertSame((await record()).settled, { tokens: 300 });
  });

  test("force counts what is not covered [ReservationForced]", async ({ member }) => {
    const ada = member("ada");
    const limits = { turns: 1 };
    await ada.take({ want: { turns: 1 }, limits });
    const { kind, refused, settled } = await ada.take({ want: { turns: 1 }, limits, force: true });
    assert.deepEqual([kind, refused], ["granted", []]);
    assertSame(settled, { turns: 2 });
    assert.equal((await ada.take({ want: { turns: 1 }, limits })).kind, "refused");
  });

  test("each member is held to its own limits, against what all have used", async ({ member }) => {
    const [ada, bob] = [member("ada"), member("bob")];
    const one = { want: { turns: 1 } };
    for (let n = 0; n < 3; n += 1) await ada.take({ ...one, limits: { turns: 5 } });
    assert.equal((await bob.take({ ...one, limits: { turns: 3 } })).kind, "refused");
    assert.equal((await ada.take({ ...one, limits: { turns: 5 } })).kind, "granted");
  });
}
