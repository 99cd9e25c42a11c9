import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { type ListedRun, runRecord, seenRun } from "../../pools/ledger/listed-run.ts";
import type { Change } from "../../pools/ledger/pool-changes.ts";
import type { Store } from "../../pools/ledger/store.ts";
import {
  freeParked,
  HELD_FOR,
  PARKED_FOR,
  parkedRuns,
  parkRun,
  type RunToPark,
  takeParked,
} from "../../pools/listing/parked-runs.ts";
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

function runToPark(id: string): RunToPark {
  const { agent, folder, limits, used } = about;
  const { limit, max } = question;
  return {
    id,
    name: "Pi in ~/site",
    run: { agent, ...(folder !== undefined && { folder }), limits, used, parked: parkable },
    question: { limit, used: question.used, max },
  };
}

/** A run that is parked in a store. */
async function parkedIn(store: Store) {
  const id = randomUUID();
  await parkRun(store, runToPark(id));
  const again = async () => (await parkedRuns(store)).find((parked) => parked.id === id);
  const found = await again();
  assert.ok(found?.question);
  return { id, pool: runRecord(id), question: found.question.id, found: { ...found, again } };
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
    const { found } = await parkedIn(store);
    const taken = await Promise.all(Array.from({ length: 10 }, () => takeParked(store, found)));
    const [held, ...others] = taken.filter((one) => one !== undefined);
    assert.ok(held && others.length === 0);
    assert.equal(await held.remove(), true);
    assert.equal(await found.again(), undefined);
  });

  test("an answer given meanwhile is the taker's, and one given later is not accepted [ParkedRunGoesOnOnce]", async ({
    store,
  }) => {
    for (let round = 0; round < 10; round += 1) {
      const { pool, question, found } = await parkedIn(store);
      const reply = { kind: "answer", question, reply: { more: 2 }, key: randomUUID() } as const;
      const [held, { made }] = await Promise.all([takeParked(store, found), store.change(pool, reply)]);
      assertSame(held?.parked.question?.reply, made ? { more: 2 } : undefined);
      const late = await store.change(pool, { ...reply, reply: true, key: randomUUID() });
      assert.equal(late.made, false);
      await held?.letGo();
      assertSame((await found.again())?.question?.reply, made ? { more: 2 } : undefined);
      const after = await store.change(pool, { ...reply, key: randomUUID() });
      assert.equal(after.made, !made);
    }
  });

  test("who takes a parked run late gets nothing of one that was parked again since [ParkedRunGoesOnOnce]", async ({
    store,
  }) => {
    const { id, found } = await parkedIn(store);
    const held = await takeParked(store, found);
    assert.ok(held);
    await parkRun(store, {
      ...runToPark(id),
      run: { ...runToPark(id).run, parked: { ...parkable, state: "later" } },
    });
    // The process that went on with the first one holds the second one no more.
    assertSame([await held.hold(), await held.remove(), await held.letGo()], [false, false, false]);
    assert.equal(await takeParked(store, found), undefined);
    const again = await found.again();
    assert.ok(again && again.parked.state === "later" && again.question?.reply === undefined);
    assert.ok(await takeParked(store, again));
  });

  test("what a process saved that went on with a parked run is there for the next one [ResumedRunIsNotLost]", async ({
    store,
  }) => {
    const { found } = await parkedIn(store);
    const held = await takeParked(store, found, { id: "first", process: { pid: 1, started: "noon" } });
    assert.equal(await held?.hold({ saved: { state: "two turns later", isReplyUsed: true } }), true);
    const left = await found.again();
    assertSame([left?.holder?.id, left?.holder?.process], ["first", { pid: 1, started: "noon" }]);
    assert.ok(left);
    assert.equal(await takeParked(store, left), undefined);
    // Somebody saw that the process has ended.
    const freed = await Promise.all([freeParked(store, left), freeParked(store, left)]);
    assert.equal(freed.filter(Boolean).length, 1);
    const next = await takeParked(store, left);
    assertSame(
      [next?.parked.parked.state, next?.parked.isReplyUsed, next?.parked.parked.session],
      ["two turns later", true, parkable.session],
    );
    assertSame([await held?.hold(), await held?.remove()], [false, false]);
    assert.equal(await next?.remove(), true);
  });

  timed(
    "while a process goes on with a parked run it is not listed as parked [ResumedRunIsNotLost]",
    async (scene) => {
      const { store } = scene;
      const { pool, found } = await parkedIn(store);
      const isListed = async () =>
        (await store.runs()).some((record) => record.pool === pool && seenRun(record) !== undefined);
      const held = await takeParked(store, found);
      assert.equal(await isListed(), false);
      scene.pass(HELD_FOR - 1);
      assert.equal(await isListed(), false);
      assert.equal(await held?.hold(), true);
      scene.pass(HELD_FOR - 1);
      assert.equal(await isListed(), false);
      scene.pass(1);
      assert.equal(await isListed(), true);
    },
  );

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
