import { strict as assert } from "node:assert";
import { setTimeout } from "node:timers/promises";
import { runRecord, type SeenRun, seenRun } from "../../pools/ledger/listed-run.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { listIn, type StoreListing } from "../../pools/listing/list-in.ts";
import { createPool } from "../../pools/pool.ts";
import { type KeylessChange, keyed } from "../../pools/pool-definition.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { callId, type Observed, type Scenario } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt } from "./contract.ts";

/** A run is listed in a store while it works: it is seen there, answered, extended, frozen and stopped. */
export function testListedRuns(contract: Contract): void {
  testBeingSeen(contract);
  testAnswers(contract);
  testOrders(contract);
}

function testBeingSeen({ host, play, test, where }: Contract): void {
  test("a run is in the store while it works, and gone when it has ended", async () => {
    const scene = listing();
    const runs: SeenRun[] = [];
    const onExecute = async (id: string) => {
      if (id === callId(2, 1)) runs.push(await scene.until((run) => run.used.turns === 2 && run));
    };
    const limits = { turns: 9, listed: scene.listed, onWarning: scene.onWarning };
    const seen = await scene.during(play({ limits, model: endsAt(3), onExecute }));
    assert.deepEqual(
      runs.map(({ name, state, limits }) => [name, state, limits.map(({ limit, max }) => [limit, max])]),
      [["nightly", "working", [["turns", 9]]]],
    );
    assert.equal(seen.requests.length, 3);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "completed", turns: 3 });
    await untilNoneIsLeft(scene.store);
    assert.deepEqual(scene.told, []);
  });

  test("a run that is not listed is in no store, also not in that of its pool", async () => {
    const store = memoryStore();
    const pool = createPool({ id: "unlisted", turns: 9, store });
    const runs: unknown[] = [];
    const onExecute = async () => {
      await setTimeout(2);
      runs.push(...(await store.runs()));
    };
    const seen = await play({ limits: { turns: 3, pool }, model: endless, onExecute });
    assert.equal(seen.requests.length, 3);
    assert.deepEqual([...runs, ...(await store.runs())], []);
  });

  test("what a run that gets somewhere was extended by is kept in the store, also when it is gone", async () => {
    const scene = listing();
    let found = 0;
    const progress = () => {
      found += 1;
      return `${found} files changed`;
    };
    const turns = { max: 2, extend: 2, extendBy: 1, onExhausted: "stop" } as const;
    const seen = await scene.during(
      play({ limits: { turns, progress, listed: scene.listed, onWarning: scene.onWarning }, model: endless }),
    );
    assert.equal(seen.requests.length, 4);
    await untilNoneIsLeft(scene.store);
    const round = { limit: "turns", identity: { kind: "turns" }, by: 1 };
    assert.deepEqual(
      (await scene.store.grants()).map(({ did, where, to, round }) => ({ did, where, to, round })),
      [1, 2].map((times) => ({
        ...{ did: "round", where: "by itself", to: "nightly" },
        round: { ...round, times, what: `${times} files changed` },
      })),
    );
    assert.deepEqual(scene.told, []);
  });

  where("transparent")("a run is the same when it is listed", async () => {
    const seenBy = async (limits: AdapterOptions, ungoverned?: true) => {
      const scenario = { limits, model: endsAt(3), ...(ungoverned && { ungoverned }) };
      const { outcomes: _, ...seen } = await play(scenario);
      return seen;
    };
    assert.deepEqual(await seenBy({ listed: listing().listed }), await seenBy({}, true), host.name);
  });

  test("a store that cannot be used holds no run that is listed in it", async () => {
    const fails = () => Promise.reject(new Error("No such disk."));
    const store = { ...memoryStore(), take: fails, now: fails, look: fails, change: fails, delete: fails };
    const scene = listing(store);
    const onExecute = () => scene.untilTold("cannot be seen from elsewhere");
    const limits = { turns: 3, listed: scene.listed, onWarning: scene.onWarning };
    const seen = await scene.during(play({ limits, model: endless, onExecute }));
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
  });
}

function testAnswers({ play, where }: Contract): void {
  where("ask")(
    "a question is answered in the store, and the run goes on for as long as that says",
    async () => {
      const scene = listing();
      const { listed, onWarning } = scene;
      const playing = scene.during(
        play({ limits: { turns: 2, listed, ask: listed.ask, onWarning }, model: endless }),
      );
      const asked: unknown[] = [];
      for (const reply of [true, { more: 1 }, false]) {
        const { run, question } = await scene.until((run) => {
          const [question] = run.questions;
          return question && { run, question };
        });
        asked.push([run.state, question.limit, question.used, question.max]);
        const answer = { kind: "answer", question: question.id } as const;
        assert.equal(await scene.change({ ...answer, reply }), true);
        assert.equal(await scene.change({ ...answer, reply: "unlimited" }), false, "the first answer counts");
      }
      const seen = await playing;
      assert.deepEqual(asked, [
        ["asking", "turns", 2, 2],
        ["asking", "turns", 2, 2],
        ["asking", "turns", 1, 1],
      ]);
      assert.equal(seen.requests.length, 5);
      assert.equal(seen.orphans, 0);
      assertOutcomes(seen, { kind: "declined", limit: "turns", turns: 5 });
      assert.deepEqual(
        (await scene.store.grants()).map(({ did, where, to, reply }) => [did, where, to, reply]),
        [true, { more: 1 }, false].map((reply) => ["answer", "on the phone", "nightly", reply]),
      );
      await untilNoneIsLeft(scene.store);
    },
  );

  where("ask")("an answer from elsewhere withdraws the question where the run works", async () => {
    const scene = listing();
    let withdrawn = 0;
    const ask: AdapterOptions["ask"] = (_question, signal) =>
      new Promise(() => {
        signal.addEventListener("abort", () => {
          withdrawn += 1;
        });
      });
    const limits = { turns: 2, listed: scene.listed, ask, onWarning: scene.onWarning };
    const playing = scene.during(play({ limits, model: endless }));
    const { id } = await scene.until((run) => run.questions[0]);
    await scene.change({ kind: "answer", question: id, reply: false });
    const seen = await playing;
    assert.equal(seen.requests.length, 2);
    assert.equal(withdrawn, 1);
    assert.deepEqual(scene.told, ["Answered on the phone: no."]);
    assertOutcomes(seen, { kind: "declined", limit: "turns", turns: 2 });
  });
}

function testOrders({ play, test, where }: Contract): void {
  /** Plays a run to which something is done from elsewhere while its second turn is under way. */
  async function changed(
    change: KeylessChange,
    notice: string,
    limits: AdapterOptions = {},
  ): Promise<Observed> {
    const scene = listing();
    const onExecute: Scenario["onExecute"] = async (id) => {
      if (id !== callId(2, 1)) return;
      assert.equal(await scene.change(change), true);
      await scene.untilTold(notice);
    };
    const { listed, onWarning } = scene;
    const seen = await scene.during(
      play({ limits: { turns: 4, ...limits, listed, onWarning }, model: endless, onExecute }),
    );
    assert.deepEqual(scene.told, [notice]);
    await untilNoneIsLeft(scene.store);
    return seen;
  }

  test("stop: the run ends before its next turn", async () => {
    const seen = await changed({ kind: "stop", why: "" }, "Stopped on the phone.");
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "stop", turns: 2 });
  });

  test("extend: the run goes on for exactly as much more", async () => {
    const seen = await changed(
      { kind: "extend", measure: "turns", by: 3 },
      "Allowed on the phone: 3 more turns.",
    );
    assert.equal(seen.requests.length, 7);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 7 });
  });

  where("ask")("freeze: the next turn waits until the run is unfrozen", async () => {
    const scene = listing();
    let requests = 0;
    const playing = scene.during(
      play({
        limits: { turns: 3, listed: scene.listed, onWarning: scene.onWarning },
        model: (request) => {
          requests += 1;
          return endless(request);
        },
        onExecute: async (id) => {
          if (id !== callId(1, 1)) return;
          await scene.change({ kind: "freeze", why: "" });
          await scene.untilTold("Frozen on the phone.");
        },
      }),
    );
    await scene.until((run) => run.state === "waiting");
    assert.equal(requests, 1);
    await scene.change({ kind: "unfreeze" });
    const seen = await playing;
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
  });
}

interface Scene {
  store: Store;
  listed: StoreListing;
  /** What whoever is there was told. */
  told: string[];
  onWarning: (message: string) => void;
  /** Nothing of the run is waited for any longer when it has ended. */
  during(playing: Promise<Observed>): Promise<Observed>;
  /** Waits until something is to be seen of the run in the store. */
  until<T>(find: (run: SeenRun) => T | undefined | false): Promise<T>;
  untilTold(notice: string): Promise<void>;
  /** Does something to the run, on the phone: was it made? */
  change(change: KeylessChange): Promise<boolean>;
}

function listing(store: Store = memoryStore()): Scene {
  const told: string[] = [];
  let isOver = false;
  const listed = listIn(store, { agent: "contract", name: "nightly", every: 1 });
  const seen = async () => (await store.runs()).map(seenRun).find((run) => run !== undefined);
  const poll = async <T>(what: string, find: () => Promise<T | undefined | false>): Promise<T> => {
    for (;;) {
      const found = await find();
      if (found !== undefined && found !== false) return found;
      assert(!isOver, `the run ended before ${what}`);
      await setTimeout(1);
    }
  };
  const until: Scene["until"] = (find) =>
    poll("it was seen so in the store", async () => {
      const run = await seen();
      return run && find(run);
    });
  return {
    store,
    listed,
    told,
    onWarning: (message) => void told.push(message),
    during: (playing) =>
      playing.finally(() => {
        isOver = true;
      }),
    until,
    untilTold: async (notice) => {
      await poll(`it was told: ${notice}`, async () => told.some((message) => message.includes(notice)));
    },
    change: async (change) => {
      const { id, name } = await until((run) => run);
      const person = { where: "on the phone", to: name };
      return (await store.change(runRecord(id), keyed({ ...change, person } as KeylessChange))).made;
    },
  };
}

/** Not every host lets its call wait for that. */
async function untilNoneIsLeft(store: Store): Promise<void> {
  for (let looks = 0; (await store.runs()).length > 0; looks += 1) {
    assert(looks < MOST_LOOKS, "the run is still in the store");
    await setTimeout(1);
  }
}

const MOST_LOOKS = 10_000;
