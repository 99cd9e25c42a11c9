import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { type ListedRun, runRecord, seenRun } from "../../pools/ledger/listed-run.ts";
import type { Change } from "../../pools/ledger/pool-state.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { PARKED_FOR, parkedRuns, parkRun, putBack, takeParked } from "../../pools/listing/parked-runs.ts";
import type { AnyChange, Scene } from "./scene.ts";
import { assertSame, type StoreContract } from "./store-contract.ts";
import { LEASE } from "./test-member.ts";

const about: ListedRun = {
  agent: "Pi",
  folder: "~/site",
  model: "a-model",
  state: "working",
  since: 1_000,
  active: 2_000,
  limits: [{ limit: "turns", identity: { kind: "turns" }, used: 3, max: 25 }],
  used: { turns: 3, cost: 0.25 },
};

const question = { id: "q1", member: "ada", name: "Ada's agent", limit: "turns", used: 5, max: 5 } as const;

const parkable = {
  session: "a-session",
  program: ["pi"],
  args: ["--model", "a-model"],
  isHeadless: true,
  options: ["--max-turns=5"],
  state: JSON.stringify({
    version: 4,
    numbers: [0.1, 1e21, 123_456_789_012_345.67],
    text: "\"}{' \ud83e\udd8a",
  }),
};

/** A run that is parked in a store. */
async function parkedIn(store: Store) {
  const id = randomUUID();
  const { agent, folder, limits, used: usedInAll } = about;
  const run = { agent, ...(folder !== undefined && { folder }), limits, used: usedInAll };
  const { limit, used, max } = question;
  await parkRun(store, {
    id,
    name: "Pi in ~/site",
    run: { ...run, parked: parkable },
    question: { limit, used, max },
  });
  const found = (await parkedRuns(store)).find((parked) => parked.id === id);
  assert.ok(found?.question);
  return { id, pool: runRecord(id), question: found.question.id };
}

/** A run that is listed in the store of a scene, and says where it stands. */
function listed({ store }: Scene) {
  const id = randomUUID();
  const pool = runRecord(id);
  let turn = 0;
  return {
    id,
    pool,
    says: (run: ListedRun = about, name = "Pi in ~/site") =>
      store.take({
        pool,
        member: { id, name, run },
        ...{ incarnation: 1, turn: ++turn, answered: 0, heard: 0, used: {}, lease: LEASE, keepFor: LEASE },
      }),
    change: (change: AnyChange) => store.change(pool, { ...change, key: randomUUID() } as Change),
    async seen() {
      const found = (await store.runs()).find((record) => record.pool === pool);
      return found && seenRun(found);
    },
  };
}

/** Runs that are listed while they work. */
export function testRuns({ test, timed }: StoreContract): void {
  test("a run is listed with what it says of itself, and is no pool [RunIsListed]", async (scene) => {
    const run = listed(scene);
    await run.says();
    await run.says({ ...about, state: "idle", model: "日本語 \"}{' \ud83e\udd8a" }, "another name");
    const { now, ...seen } = (await run.seen()) ?? { now: 0 };
    assertSame(seen, {
      ...about,
      ...{
        id: run.id,
        name: "another name",
        state: "idle",
        model: "日本語 \"}{' \ud83e\udd8a",
        questions: [],
      },
    });
    assertSame((await scene.store.read(run.pool))?.members[0]?.run?.limits, about.limits);
    assert.ok(!(await scene.store.list()).includes(run.pool));
  });

  test("of fifty runs each is listed once", async (scene) => {
    const runs = Array.from({ length: 50 }, () => listed(scene));
    await Promise.all(runs.map((run) => run.says()));
    const names = (await scene.store.runs()).map(({ pool }) => pool);
    for (const { pool } of runs) assert.equal(names.filter((name) => name === pool).length, 1);
  });

  test("a run learns what others want of it when it says where it stands [RunHears]", async (scene) => {
    const run = listed(scene);
    await run.says();
    await run.change({ kind: "extend", measure: "turns", by: 10 });
    await run.change({ kind: "extend", measure: "turns", by: 5 });
    await run.change({ kind: "freeze", why: "It is late.", person: { where: "on the phone", to: "Pi" } });
    await run.change({ kind: "stop", why: "", person: { where: "on the page", to: "Pi" } });
    await run.change({ kind: "ask", question });
    await run.change({ kind: "answer", question: "q1", reply: true });
    const { state, kind } = await run.says();
    assert.equal(kind, "granted");
    assertSame([state.extra, state.questions.q1?.reply], [{ turns: 15 }, true]);
    assertSame([state.frozen?.why, state.frozen?.where], ["It is late.", "on the phone"]);
    assertSame([state.stopped?.why, state.stopped?.where], ["", "on the page"]);
    const { totals } = await scene.store.look(run.pool);
    assertSame(totals?.state, state);
    await run.change({ kind: "unfreeze" });
    assert.equal((await run.says()).state.frozen, undefined);
  });

  test("a reply says where and when it was given, and a later one does not [FirstReplyCounts]", async (scene) => {
    const run = listed(scene);
    await run.says();
    await run.change({ kind: "ask", question });
    const person = (where: string) => ({ where, to: "Ada's agent" });
    await run.change({ kind: "answer", question: "q1", reply: { more: 3 }, person: person("on the phone") });
    const late = { kind: "answer", question: "q1", reply: false, person: person("in the terminal") } as const;
    const { made, state, now } = await run.change(late);
    assert.equal(made, false);
    const { reply, replied } = state.questions.q1 ?? {};
    assertSame([reply, replied?.where], [{ more: 3 }, "on the phone"]);
    assert.ok(replied && replied.at <= now);
  });

  test("what is said to a run that has ended is not made, and lists it no more [GoneRunStaysGone]", async (scene) => {
    const run = listed(scene);
    await run.says();
    await run.change({ kind: "ask", question });
    await scene.store.delete(run.pool);
    const changes: AnyChange[] = [
      { kind: "answer", question: "q1", reply: true },
      { kind: "extend", measure: "turns", by: 1 },
      { kind: "freeze", why: "" },
      { kind: "stop", why: "" },
    ];
    for (const change of changes) assert.equal((await run.change(change)).made, false);
    assert.equal(await scene.store.read(run.pool), undefined);
    assert.equal(await run.seen(), undefined);
  });

  timed(
    "a parked run is kept without being renewed, with its question, and forgotten after 30 days [ParkedRunIsKept]",
    async (scene) => {
      const { store } = scene;
      const { id, pool, question } = await parkedIn(store);
      scene.pass(PARKED_FOR - 1_000);
      const [found] = (await parkedRuns(store)).filter((parked) => parked.id === id);
      assertSame([found?.run.state, found?.parked.state], ["parked", parkable.state]);
      const reply = { kind: "answer", question, reply: { more: 3 }, key: randomUUID() } as const;
      const { made } = await store.change(pool, { ...reply, person: { where: "on the phone", to: "Pi" } });
      assert.equal(made, true);
      assertSame((await parkedRuns(store)).find((parked) => parked.id === id)?.question?.reply, { more: 3 });
      scene.pass(1_000);
      assertSame(
        (await parkedRuns(store)).filter((parked) => parked.id === id),
        [],
      );
    },
  );

  test("of ten who take a parked run at once one gets it [ParkedRunGoesOnOnce]", async ({ store }) => {
    const { id } = await parkedIn(store);
    const [found] = (await parkedRuns(store)).filter((parked) => parked.id === id);
    assert.ok(found);
    const taken = await Promise.all(Array.from({ length: 10 }, () => takeParked(store, found)));
    assert.equal(taken.filter(Boolean).length, 1);
    await putBack(store, found, { more: 2 });
    const [again] = (await parkedRuns(store)).filter((parked) => parked.id === id);
    assertSame([again?.parked.session, again?.question?.reply], [parkable.session, { more: 2 }]);
    assert.equal(again && (await takeParked(store, again)), true);
  });

  test("who takes a parked run late gets nothing of one that was parked again since [ParkedRunGoesOnOnce]", async ({
    store,
  }) => {
    const { id } = await parkedIn(store);
    const ofRun = async () => (await parkedRuns(store)).find((parked) => parked.id === id);
    const late = await ofRun();
    const first = await ofRun();
    assert.ok(late && first);
    assert.equal(await takeParked(store, first), true);
    await putBack(store, first, undefined);
    assert.equal(await takeParked(store, late), false);
    const again = await ofRun();
    assert.equal(again && (await takeParked(store, again)), true);
  });

  timed("a run that is silent for as long as its lease is gone [SilentRunIsGone]", async (scene) => {
    const run = listed(scene);
    await run.says();
    scene.pass(LEASE - 1);
    assert.equal((await run.seen())?.id, run.id);
    await run.says();
    scene.pass(LEASE - 1);
    assert.equal((await run.seen())?.id, run.id);
    scene.pass(1);
    assert.equal(await run.seen(), undefined);
    assert.equal((await run.change({ kind: "stop", why: "" })).made, false);
    await run.says();
    assert.equal((await run.seen())?.id, run.id);
  });
}
