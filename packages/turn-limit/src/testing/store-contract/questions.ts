import { strict as assert } from "node:assert";
import type { Reply } from "../../core/governor/decision.ts";
import { assertSame, type StoreContract } from "./store-contract.ts";

const question = { id: "q1", member: "ada", name: "Ada's agent", limit: "turns", used: 5, max: 5 } as const;

/** Questions of members to whoever watches. */
export function testQuestions({ test, timed }: StoreContract): void {
  test("a question can be read by all, as it was asked [WatchersAsked]", async ({
    change,
    record,
    member,
  }) => {
    const why = "It called the same tool three times.";
    const { made, now } = await change({ kind: "ask", question: { ...question, why } });
    assert.equal(made, true);
    const expected = { q1: { ...question, why, asked: now } };
    assertSame((await record()).state.questions, expected);
    assertSame((await member("bob").take({})).state.questions, expected);
  });

  test("the first reply counts, and later ones are told so [FirstReplyCounts] [LateReplyIsTold]", async ({
    change,
    record,
  }) => {
    await change({ kind: "ask", question });
    const first = await change({ kind: "answer", question: "q1", reply: { more: 3 } }, "first");
    assert.equal(first.made, true);
    assert.equal((await change({ kind: "answer", question: "q1", reply: false })).made, false);
    const again = await change({ kind: "answer", question: "q1", reply: { more: 3 } }, "first");
    assert.equal(again.made, true);
    assertSame((await record()).state.questions.q1?.reply, { more: 3 });
  });

  test("a question and its answer that are made again are the same, however many changes lie between", async ({
    change,
    record,
  }) => {
    await change({ kind: "ask", question }, "asked");
    await change({ kind: "answer", question: "q1", reply: { more: 3 } }, "first");
    for (let n = 0; n < 30; n += 1) await change({ kind: "mark", mark: `${n}` });
    assert.equal((await change({ kind: "ask", question }, "asked")).made, true);
    assertSame((await record()).state.questions.q1?.reply, { more: 3 });
    assert.equal((await change({ kind: "answer", question: "q1", reply: { more: 3 } }, "first")).made, true);
    assert.equal((await change({ kind: "answer", question: "q1", reply: false }, "other")).made, false);
  });

  test("of ten replies at once exactly one counts [FirstReplyCounts] [OneReplyCounts]", async ({
    change,
    record,
  }) => {
    await change({ kind: "ask", question });
    const replies = Array.from({ length: 10 }, (_, n) => ({ more: n + 1 }));
    const results = await Promise.all(
      replies.map((reply) => change({ kind: "answer", question: "q1", reply })),
    );
    const counted = replies.filter((_, n) => results[n]?.made);
    assertSame([(await record()).state.questions.q1?.reply], counted);
  });

  test("every kind of reply arrives as it was given", async ({ change, record }) => {
    const replies: Reply[] = [true, false, { more: 1 }, "unlimited", "wrap-up"];
    for (const [n, reply] of replies.entries()) {
      await change({ kind: "ask", question: { ...question, id: `q${n}` } });
      await change({ kind: "answer", question: `q${n}`, reply });
    }
    const { questions } = (await record()).state;
    assertSame(
      replies.map((_, n) => questions[`q${n}`]?.reply),
      replies,
    );
  });

  test("a question that is withdrawn is gone, and the others stay", async ({ change, record }) => {
    await change({ kind: "ask", question });
    await change({ kind: "ask", question: { ...question, id: "q2" } });
    await change({ kind: "withdraw", question: "q1" });
    assert.deepEqual(Object.keys((await record()).state.questions), ["q2"]);
    assert.equal((await change({ kind: "answer", question: "q1", reply: true })).made, false);
  });

  test("a reply to a question that nobody asked does not count", async ({ change }) => {
    for (const id of ["q9", "constructor", "__proto__"])
      assert.equal((await change({ kind: "answer", question: id, reply: true })).made, false);
  });

  timed("a question is open for as long as it says, in the store's time", async (scene) => {
    const { change, record, pass, store } = scene;
    pass(123);
    const asked = await store.now();
    await change({ kind: "ask", question, within: 5_000 });
    await change({ kind: "ask", question: { ...question, id: "q2" } });
    const { questions } = (await record()).state;
    assert.deepEqual([questions.q1?.asked, questions.q1?.until], [asked, asked + 5_000]);
    assert.equal(questions.q2?.until, undefined);
  });

  timed("questions that were forgotten do not pile up", async ({ change, record, pass }) => {
    await change({ kind: "ask", question, within: 5_000 });
    pass(7 * 86_400_000);
    await change({ kind: "ask", question: { ...question, id: "q2" } });
    assert.deepEqual(Object.keys((await record()).state.questions), ["q2"]);
  });
}
