import { strict as assert } from "node:assert";
import { type Grant, REMEMBERED_GRANTS_OF_ONE } from "../../pools/ledger/grants.ts";
import type { Scene } from "./scene.ts";
import { assertSame, type StoreContract } from "./store-contract.ts";

const person = { where: "on the phone", to: "Ada's agent" };
const question = { id: "q1", member: "ada", name: "Ada's agent", limit: "turns", used: 5, max: 5 } as const;

async function grantsOf({ store, pool }: Scene): Promise<Omit<Grant, "at">[]> {
  const own = (await store.grants()).filter(({ record }) => record === pool);
  return own.map(({ at, ...grant }) => {
    assert.ok(at > 0);
    return grant;
  });
}

/** What persons decided, and where. */
export function testGrants({ test, timed }: StoreContract): void {
  test("what persons decide is kept: what, where and of what [GrantIsKept]", async (scene) => {
    const { change, pool } = scene;
    await change({ kind: "ask", question });
    await change({ kind: "answer", question: "q1", reply: { more: 3 }, person }, "1");
    await change({ kind: "extend", measure: "turns", by: 7, person }, "2");
    await change({ kind: "freeze", why: 'It is "late".', person }, "3");
    await change({ kind: "unfreeze", person }, "4");
    const one = { record: pool, ...person };
    const asked = { id: "q1", limit: "turns", used: 5, max: 5 };
    const grants: Omit<Grant, "at">[] = [
      { key: "1", did: "answer", ...one, reply: { more: 3 }, question: asked },
      { key: "2", did: "extend", ...one, measure: "turns", by: 7 },
      { key: "3", did: "freeze", ...one, why: 'It is "late".' },
      { key: "4", did: "unfreeze", ...one },
    ];
    const found = await grantsOf(scene);
    assertSame(
      found.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
      grants,
    );
  });

  test("another round that a run was given without a question is kept, once, and changes nothing [GrantIsKept]", async (scene) => {
    const { change, pool, record } = scene;
    await change({ kind: "limits", limits: { turns: 5 } });
    const { extra, questions } = (await record()).state;
    const round = { limit: "turns", identity: { kind: "turns" }, by: 5, times: 2, what: "3 files" } as const;
    const itself = { where: "by itself", to: "Ada's agent" };
    for (let n = 0; n < 2; n += 1) await change({ kind: "round", round, person: itself }, "1");
    assertSame(await grantsOf(scene), [{ key: "1", did: "round", record: pool, ...itself, round }]);
    const { state } = await record();
    assertSame({ extra: state.extra, questions: state.questions }, { extra, questions });
  });

  test("what no person did, and what came too late or twice, is no grant [GrantIsKept] [OneReplyCounts]", async (scene) => {
    const { change } = scene;
    await change({ kind: "extend", measure: "turns", by: 7 });
    await change({ kind: "ask", question });
    for (let n = 0; n < 5; n += 1)
      await change({ kind: "answer", question: "q1", reply: n === 0, person }, `${n}`);
    await change({ kind: "answer", question: "q1", reply: true, person }, "0");
    await change({ kind: "answer", question: "q9", reply: true, person });
    assertSame(
      (await grantsOf(scene)).map(({ key, reply }) => [key, reply]),
      [["0", true]],
    );
  });

  test("of ten answers at once one is kept: the one that counts [GrantIsKept] [FirstReplyCounts]", async (scene) => {
    const { change, record } = scene;
    await change({ kind: "ask", question });
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change({ kind: "answer", question: "q1", reply: { more: n + 1 }, person }),
      ),
    );
    const grants = await grantsOf(scene);
    assertSame(
      grants.map(({ reply }) => reply),
      [(await record()).state.questions.q1?.reply],
    );
  });

  timed(
    "it is kept in the order of time, also when the record is gone, and not without end",
    async (scene) => {
      const { change, store, pool, pass } = scene;
      for (let n = 0; n < REMEMBERED_GRANTS_OF_ONE / 2; n += 1) {
        await change({ kind: "extend", measure: "turns", by: n + 1, person });
        pass(1_000);
      }
      await store.delete(pool);
      const kept = (await store.grants()).filter(({ record }) => record === pool);
      assertSame(
        kept.map(({ by }) => by),
        Array.from({ length: REMEMBERED_GRANTS_OF_ONE / 2 }, (_, n) => n + 1),
      );
      for (let n = 1; n < kept.length; n += 1)
        assert.equal((kept[n]?.at ?? 0) - (kept[n - 1]?.at ?? 0), 1_000);
    },
  );
}
