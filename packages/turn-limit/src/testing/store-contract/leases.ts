import { strict as assert } from "node:assert";
import { assertSame, type StoreContract } from "./store-contract.ts";

const limits = { tokens: 100 };
const lease = 1_000;

/** Members that leave, and members that are not heard of any more. */
export function testLeases({ test, timed }: StoreContract): void {
  test("a member that leaves holds nothing, and what it used stays [MemberLeaves]", async ({
    member,
    record,
  }) => {
    const [ada, bob] = [member("ada"), member("bob")];
    await ada.take({ hold: { tokens: 60 }, limits });
    await bob.take({ hold: { tokens: 20 }, limits });
    const left = await ada.take({ settle: { tokens: 45 }, leaves: true });
    assertSame([left.settled, left.held, left.agents], [{ tokens: 45 }, { tokens: 20 }, 1]);
    const presence = (await record()).members.map(({ id, isPresent }) => [id, isPresent]);
    assertSame(presence.sort(), [
      ["ada", false],
      ["bob", true],
    ]);
  });

  test("a member that comes back is the one it was [MemberJoins]", async ({ member, record }) => {
    const ada = member("ada");
    await ada.take({ settle: { tokens: 10 }, leaves: true });
    const { agents } = await ada.take({ settle: { tokens: 5 }, hold: { tokens: 1 }, limits });
    assert.equal(agents, 1);
    assertSame((await record()).members, [
      { id: "ada", name: "ada", used: { tokens: 15 }, holds: { tokens: 1 }, isPresent: true },
    ]);
  });

  timed(
    "what a silent member holds counts as used when its lease ends, and not before [LeaseEnds]",
    async (scene) => {
      const { member, record, pass } = scene;
      const bob = member("bob");
      await member("ada").take({ hold: { tokens: 60 }, limits, lease });
      await bob.take({ hold: { tokens: 10 }, limits, lease: 10 * lease });
      pass(lease - 1);
      const before = await record();
      assertSame([before.settled, before.held, before.agents], [{}, { tokens: 70 }, 2]);
      pass(1);
      const after = await record();
      assertSame([after.settled, after.held, after.agents], [{ tokens: 60 }, { tokens: 10 }, 1]);
      assertSame(
        after.members.find(({ id }) => id === "ada"),
        { id: "ada", name: "ada", used: { tokens: 60 }, holds: {}, isPresent: false },
      );
      const taken = await bob.take({ hold: { tokens: 90 }, limits });
      assertSame([taken.settled, taken.holds, taken.agents], [{ tokens: 60 }, { tokens: 40 }, 1]);
    },
  );

  timed("a request of another ends the lease of whoever is silent", async ({ member, pass }) => {
    for (const id of ["a", "b", "c"]) await member(id).take({ hold: { tokens: 30 }, limits, lease });
    pass(lease);
    const { settled, held, holds, agents } = await member("d").take({ hold: { tokens: 30 }, limits });
    assertSame([settled, held, holds, agents], [{ tokens: 90 }, { tokens: 10 }, { tokens: 10 }, 1]);
  });

  timed(
    "what was counted in a member's absence is corrected when it comes back [ComebackIsCorrected] [OnlyTheLapsedArePaidFor]",
    async (scene) => {
      const { member, record, pass } = scene;
      const ada = member("ada");
      await ada.take({ want: { turns: 1 }, hold: { tokens: 60 }, limits, lease });
      pass(lease);
      assertSame((await record()).settled, { turns: 1, tokens: 60 });
      const back = await ada.take({ settle: { tokens: 25 }, hold: { tokens: 10 }, limits, lease });
      assertSame([back.settled, back.held, back.agents], [{ turns: 1, tokens: 25 }, { tokens: 10 }, 1]);
      const again = await ada.take({ settle: { tokens: 5 }, hold: {}, limits, lease });
      assertSame(again.settled, { turns: 1, tokens: 30 });
      assertSame((await record()).members[0]?.used, { turns: 1, tokens: 30 });
    },
  );

  timed(
    "a member that comes back only to leave is corrected, too [ComebackIsCorrected]",
    async ({ member, pass, record }) => {
      const ada = member("ada");
      await ada.take({ hold: { tokens: 60 }, limits, lease });
      pass(2 * lease);
      await ada.take({ settle: { tokens: 25 }, leaves: true });
      const { settled, held, agents } = await record();
      assertSame([settled, held, agents], [{ tokens: 25 }, {}, 0]);
    },
  );

  timed("every request renews the lease [RequestHeard]", async ({ member, pass, record }) => {
    const ada = member("ada");
    await ada.take({ hold: { tokens: 60 }, limits, lease });
    for (let n = 0; n < 5; n += 1) {
      pass(lease - 1);
      await ada.take({ lease });
    }
    const { settled, held, agents } = await record();
    assertSame([settled, held, agents], [{}, { tokens: 60 }, 1]);
  });

  timed("a member that has left does not lapse [MemberLeaves]", async ({ member, pass, record }) => {
    await member("ada").take({ hold: { tokens: 60 }, limits, lease });
    await member("bob").take({ leaves: true });
    pass(3 * lease);
    const { settled, agents } = await record();
    assertSame([settled, agents], [{ tokens: 60 }, 0]);
  });

  timed("a reset forgets what members held whose leases ended before", async (scene) => {
    const { member, pass, record, change } = scene;
    const ada = member("ada");
    await ada.take({ hold: { tokens: 60 }, limits, lease });
    pass(lease);
    await change({ kind: "reset" });
    const { settled, held } = await record();
    assertSame([settled, held], [{}, {}]);
  });

  test("of members that departed long ago only the sum is kept", async ({ member, record, store, pool }) => {
    const first = member("first");
    const { now: heard } = await first.take({ settle: { tokens: 3 }, leaves: true });
    const stays = member("stays");
    await stays.take({ settle: { tokens: 5 }, hold: { tokens: 1 }, limits: { tokens: 10_000 } });
    for (let n = 0; n < 150; n += 1) await member(`m${n}`).take({ settle: { tokens: 2 }, leaves: true });
    const { settled, members, departed, agents } = await record();
    assertSame([settled, agents, members.length], [{ tokens: 308 }, 1, 101]);
    assertSame(departed, { members: 51, used: { tokens: 103 } });
    assert.deepEqual(
      [members.some(({ id }) => id === "first"), members.some(({ id }) => id === "stays")],
      [false, true],
    );
    const { totals } = await store.look(pool);
    assertSame([totals?.settled, totals?.held, totals?.agents], [{ tokens: 308 }, { tokens: 1 }, 1]);
    // Whoever is not known any more starts anew, and nothing counts twice.
    assert.equal((await first.take({ settle: { tokens: 1 }, heard })).kind, "forgotten");
    const again = { incarnation: 2, turn: 1, answered: 0, heard: 0 };
    assertSame((await first.take({ ...again, settle: { tokens: 1 } })).settled, { tokens: 309 });
  });

  timed(
    "a member of a record that is gone is told so, however many have left the next one",
    async (scene) => {
      const { member, store, pool, pass, record } = scene;
      const stays = member("stays");
      await stays.take({ settle: { tokens: 50 } });
      await store.delete(pool);
      pass(1);
      for (let n = 0; n < 101; n += 1) await member(`m${n}`).take({ settle: { tokens: 2 }, leaves: true });
      assert.equal((await stays.take({})).kind, "lost");
      await stays.take({});
      assertSame((await record()).settled, { tokens: 252 });
    },
  );
}
