import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import type { Reply } from "../../src/core/governor/decision.ts";
import { runRecord, type SeenRun, seenRun } from "../../src/pools/ledger/listed-run.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { type ListingOptions, listIn } from "../../src/pools/listing/list-in.ts";
import type { KeylessChange } from "../../src/pools/pool-definition.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { pause } from "../../src/run/pause.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-listed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Waits until something is there. */
async function until<T>(find: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await pause(5);
  }
}

/** A loop that is listed in a store, and what others see of it and do to it. */
function scene(store: Store, limits: AdapterOptions = { turns: 3 }, options: ListingOptions = {}) {
  const notices: string[] = [];
  const listed = listIn(store, { agent: "loop", name: "nightly", every: 5, ...options });
  const loop = limitLoop({ ...limits, listed, onWarning: (message) => notices.push(message) });
  const seen = async (): Promise<SeenRun | undefined> => {
    const found = (await store.runs()).map(seenRun).filter((run) => run !== undefined);
    return found[0];
  };
  return {
    notices,
    listed,
    loop,
    seen,
    /** Takes a turn; `false`: the run must end. */
    turn: async () => {
      const turn = await loop.nextTurn();
      if (turn) loop.turnEnded({ usage: { input: 10, output: 5, cost: 0.5 } }, { id: "a-model" });
      return turn !== undefined;
    },
    /** Changes the run from elsewhere, and says whether that was made. */
    change: async (change: KeylessChange, where = "on the phone") => {
      const run = await until(seen);
      const person = { where, to: run.name };
      return (await store.change(runRecord(run.id), { ...change, person, key: randomUUID() } as never)).made;
    },
    question: () => until(async () => (await seen())?.questions[0]),
  };
}

const stores: [string, () => Store][] = [
  ["memory", () => memoryStore()],
  ["SQLite", () => sqliteStore(join(folder, `${randomUUID()}.sqlite`))],
];

describe.each(stores)("in %s", (_name, open) => {
  test("a run is seen while it works, and not after it [RunIsListed]", async () => {
    const store = open();
    const { loop, turn, seen } = scene(store, { turns: 3, cost: 5 }, { folder: "/work/site" });
    expect(await seen()).toBeUndefined();
    loop.begin();
    await turn();
    const run = await until(async () => {
      const found = await seen();
      return found?.used.turns === 1 && found;
    });
    expect(run).toMatchObject({
      ...{ agent: "loop", name: "nightly", folder: "/work/site", model: "a-model", state: "working" },
      used: { turns: 1, requests: 1, tokens: 15, cost: 0.5 },
      limits: [
        { limit: "turns", used: 1, max: 3 },
        { limit: "cost", used: 0.5, max: 5 },
      ],
    });
    expect(run.active).toBeGreaterThanOrEqual(run.since);
    loop.end();
    await loop.poolsSettled();
    expect(await store.runs()).toEqual([]);
    await store.close();
  });

  test("a question is answered from elsewhere, the asker here is told, and the run goes on [AskedEverywhere]", async () => {
    const store = open();
    let isWithdrawn = false;
    const ask: AdapterOptions["ask"] = (_question, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          isWithdrawn = true;
          resolve(undefined);
        }),
      );
    const { loop, turn, change, question, notices, seen } = scene(store, { turns: 1, ask });
    loop.begin();
    await turn();
    const second = turn();
    const { id, name, limit, used, max } = await question();
    expect([name, limit, used, max]).toEqual(["nightly", "turns", 1, 1]);
    expect((await seen())?.state).toBe("asking");
    expect(await change({ kind: "answer", question: id, reply: { more: 2 } })).toBe(true);
    expect(await second).toBe(true);
    expect(isWithdrawn).toBe(true);
    expect(notices).toEqual(["Answered on the phone: yes, 2 more turns."]);
    expect(await change({ kind: "answer", question: id, reply: false })).toBe(false);
    expect([await turn(), loop.view.standings[0]?.max]).toEqual([true, 2]);
    expect(await store.grants()).toMatchObject([{ did: "answer", where: "on the phone", to: "nightly" }]);
    loop.end();
    await store.close();
  });

  test("a question that is answered where the run works closes elsewhere, and that it was is kept [AskedEverywhere]", async () => {
    const store = open();
    let reply: (reply: Reply) => void = () => {};
    const ask = () => new Promise<Reply>((resolve) => (reply = resolve));
    const { loop, turn, change, question, notices, seen } = scene(
      store,
      { turns: 1, ask },
      { where: "in the terminal" },
    );
    loop.begin();
    await turn();
    const second = turn();
    const { id } = await question();
    reply(true);
    expect(await second).toBe(true);
    expect(await change({ kind: "answer", question: id, reply: false })).toBe(false);
    await until(async () => (await seen())?.questions.length === 0);
    expect(await store.grants()).toMatchObject([
      { where: "in the terminal", to: "nightly", reply: true, question: { id } },
    ]);
    expect(notices).toEqual([]);
    loop.end();
    await store.close();
  });

  test("an answer here that comes after one from elsewhere does not count, and the person is told [LateAnswerHereIsTold]", async () => {
    const store = open();
    let reply: (reply: Reply) => void = () => {};
    let withdrawn: AbortSignal | undefined;
    const ask = (_: unknown, signal: AbortSignal) => {
      withdrawn = signal;
      return new Promise<Reply>((resolve) => (reply = resolve));
    };
    // Whoever looks whether there is an answer sees none until the one here is there.
    let isBlind = false;
    const blind: Store = { ...store, look: async (pool) => until(async () => !isBlind && store.look(pool)) };
    const { loop, turn, change, question, notices } = scene(blind, { turns: 1, ask });
    loop.begin();
    await turn();
    const second = turn();
    const { id } = await question();
    isBlind = true;
    expect(await change({ kind: "answer", question: id, reply: false })).toBe(true);
    reply(true);
    expect(await second).toBe(false);
    isBlind = false;
    expect(notices).toEqual(["Too late: it was answered on the phone: no."]);
    expect(withdrawn?.reason).toBe("Too late: it was answered on the phone: no.");
    expect(loop.end()?.kind).toBe("declined");
    expect(await store.grants()).toHaveLength(1);
    await store.close();
  });

  test("a run that asks in the store only waits there for its answer [AskedEverywhere]", async () => {
    const store = open();
    const listed = listIn(store, { every: 5 });
    const loop = limitLoop({ turns: 0, listed, ask: listed.ask, onWarning: () => {} });
    loop.begin();
    const first = loop.nextTurn();
    const [run, question] = await until(async () => {
      const found = (await store.runs()).map(seenRun)[0];
      const asked = found?.questions[0];
      return found && asked && ([found, asked] as const);
    });
    await store.change(runRecord(run.id), { kind: "answer", question: question.id, reply: true, key: "1" });
    expect(await first).toBeDefined();
    loop.end();
    await store.close();
  });

  test("a run that is extended goes on beyond what is used, and is told who did it [ExtendedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, notices } = scene(store, { turns: 2 });
    loop.begin();
    await turn();
    await change({ kind: "extend", measure: "turns", by: 1 });
    await change({ kind: "extend", measure: "turns", by: 2 }, "with turn-limit pools");
    await until(() => loop.view.standings[0]?.max === 5);
    for (let n = 0; n < 4; n += 1) expect(await turn()).toBe(true);
    expect(await turn()).toBe(false);
    expect(loop.end()).toMatchObject({ kind: "stopped", turns: 5 });
    await until(() => notices.join().includes("turns."));
    expect(notices.join()).toMatch(/Allowed (on the phone|with turn-limit pools): \d more turns\./);
    await store.close();
  });

  test("an extension closes the question that it makes needless [ExtendedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, question } = scene(store, { turns: 1, ask: () => new Promise(() => {}) });
    loop.begin();
    await turn();
    const second = turn();
    await question();
    await change({ kind: "extend", measure: "turns", by: 1 });
    expect(await second).toBe(true);
    loop.end();
    await store.close();
  });

  test("a run that is frozen asks before its next turn, and goes on when it is unfrozen [FrozenFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, question, notices } = scene(store, {
      turns: 9,
      ask: () => new Promise(() => {}),
    });
    loop.begin();
    await turn();
    await change({ kind: "freeze", why: "It is late." });
    await until(() => notices.length > 0);
    const second = turn();
    expect((await question()).why).toBe("Frozen on the phone: It is late.");
    await change({ kind: "unfreeze" });
    expect(await second).toBe(true);
    expect(notices[0]).toBe("Frozen on the phone: It is late.");
    loop.end();
    await store.close();
  });

  test("a yes to the question about a freeze unfreezes the run for everyone [FrozenFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, notices, seen } = scene(store, { turns: 9, ask: () => true });
    loop.begin();
    await turn();
    await change({ kind: "freeze", why: "" });
    await until(() => notices.length > 0);
    expect(await turn()).toBe(true);
    await until(async () => (await seen())?.frozen === undefined);
    expect(await turn()).toBe(true);
    loop.end();
    await store.close();
  });

  test("a frozen run that can ask nobody waits, and its time stands still [FrozenFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, notices } = scene(store, { turns: 9 });
    loop.begin();
    await turn();
    await change({ kind: "freeze", why: "" });
    await until(() => notices.length > 0);
    let isHeld = true;
    const both = Promise.all([turn(), turn()]).then((turns) => {
      isHeld = false;
      return turns;
    });
    await until(() => loop.view.waiting);
    const { time } = loop.view.totals;
    await pause(20);
    expect([isHeld, loop.view.totals.time]).toEqual([true, time]);
    await change({ kind: "unfreeze" });
    expect(await both).toEqual([true, true]);
    expect(loop.view.waiting).toBe(false);
    loop.end();
    await store.close();
  });

  test("a run that is stopped ends before its next turn, and the next prompt begins another one [StoppedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, notices } = scene(store, { turns: 9 }, { betweenRuns: true });
    loop.begin();
    await turn();
    await change({ kind: "stop", why: "" });
    await until(() => notices.includes("Stopped on the phone."));
    expect(await turn()).toBe(false);
    expect(loop.end()).toMatchObject({
      kind: "stopped",
      limit: "stop",
      why: "Stopped on the phone.",
      turns: 1,
    });
    loop.begin();
    expect(await turn()).toBe(true);
    expect(loop.end()?.kind).toBe("completed");
    await store.close();
  });

  test("a run that waits for an answer is stopped at once [StoppedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, question } = scene(store, { turns: 1, ask: () => new Promise(() => {}) });
    loop.begin();
    await turn();
    const second = turn();
    await question();
    await change({ kind: "stop", why: "Enough." });
    expect(await second).toBe(false);
    expect(loop.end()).toMatchObject({ kind: "stopped", why: "Stopped on the phone: Enough." });
    await store.close();
  });

  test("a frozen run that waits is stopped at once [StoppedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, notices } = scene(store, { turns: 9 });
    loop.begin();
    await turn();
    await change({ kind: "freeze", why: "" });
    await until(() => notices.length > 0);
    const second = turn();
    await until(() => loop.view.waiting);
    await change({ kind: "stop", why: "" });
    expect(await second).toBe(false);
    loop.end();
    await store.close();
  });
});

describe.each(stores)("a run after the one that was changed from elsewhere, listed in %s", (_, open) => {
  /** The run is over, and no longer in the store. */
  async function ended({ loop, seen }: ReturnType<typeof scene>): Promise<void> {
    loop.end();
    await until(async () => (await seen()) === undefined);
  }

  test("is not frozen, and nobody is asked whether it may go on", async () => {
    for (const ask of [undefined, () => false]) {
      const store = open();
      const run = scene(store, { turns: 9, ask }, { every: 20 });
      run.loop.begin();
      await run.turn();
      await run.change({ kind: "freeze", why: "" });
      await until(() => run.notices.length > 0);
      run.loop.end();
      run.loop.begin();
      expect(await run.turn()).toBe(true);
      expect(run.loop.end()?.kind).toBe("completed");
      expect(run.notices).toEqual(["Frozen on the phone."]);
      await store.close();
    }
  });

  test("is extended by what it is allowed, also if the one before was allowed as much", async () => {
    const store = open();
    const run = scene(store, { turns: 2 });
    for (const by of [3, 2]) {
      run.loop.begin();
      await run.turn();
      run.notices.length = 0;
      await run.change({ kind: "extend", measure: "turns", by });
      await until(() => run.notices.length > 0);
      let turns = 1;
      while (await run.turn()) turns += 1;
      expect(turns).toBe(2 + by);
      await ended(run);
    }
    await store.close();
  });

  test("is not frozen any more if it is the same one in the list, and it is let go on", async () => {
    const store = open();
    const run = scene(store, { turns: 9 }, { betweenRuns: true });
    run.loop.begin();
    await run.turn();
    await run.change({ kind: "freeze", why: "" });
    await until(() => run.notices.length > 0);
    run.loop.end();
    run.loop.begin();
    const turn = run.turn();
    await until(() => run.loop.view.waiting);
    await run.change({ kind: "unfreeze" });
    expect(await turn).toBe(true);
    run.loop.end();
    await store.close();
  });
});

describe("the turn that a frozen run waits for", () => {
  async function frozen() {
    const run = scene(memoryStore(), { turns: 9 });
    run.loop.begin();
    await run.turn();
    await run.change({ kind: "freeze", why: "" });
    await until(() => run.notices.length > 0);
    return run;
  }

  test("does not begin when the wait for it is aborted", async () => {
    const { loop } = await frozen();
    const abort = new AbortController();
    const turn = loop.nextTurn(abort.signal);
    await until(() => loop.view.waiting);
    abort.abort();
    expect(await turn).toBeUndefined();
    expect(loop.end("aborted")).toMatchObject({ kind: "aborted", turns: 1 });
  });

  test("does not begin when the run ends, nor in the next one", async () => {
    const { loop } = await frozen();
    const turn = loop.nextTurn();
    await until(() => loop.view.waiting);
    loop.end();
    loop.begin();
    expect(await turn).toBeUndefined();
    expect(loop.end()).toMatchObject({ kind: "completed", turns: 0 });
  });
});

test("being seen makes no request to the store in a turn [SeenForNothing]", async () => {
  const store = memoryStore();
  let requests = 0;
  const counting = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        requests += 1;
        return (method as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Store;
  const { loop, turn } = scene(counting, { turns: 2_000 }, { every: 60_000 });
  loop.begin();
  for (let n = 0; n < 1_000; n += 1) await turn();
  loop.end();
  expect(requests).toBe(0);
});

test("a store that cannot be used holds no run, and no question [UnseenRunGoesOn]", async () => {
  const listed = listIn(
    () => {
      throw new Error("no such place");
    },
    { every: 1 },
  );
  const warnings: string[] = [];
  const loop = limitLoop({
    turns: 1,
    listed,
    ask: () => true,
    onWarning: (message) => warnings.push(message),
  });
  loop.begin();
  for (let n = 0; n < 3; n += 1) {
    expect(await loop.nextTurn()).toBeDefined();
    loop.turnEnded();
  }
  await until(() => warnings.length > 0);
  expect(warnings).toEqual(["This run cannot be seen from elsewhere: no such place"]);
  expect(loop.end()?.rounds).toBe(3);
});

test("bad options are refused, with what is allowed", () => {
  const store = memoryStore();
  expect(() => listIn({} as Store)).toThrow("a store, such as sqliteStore(file)");
  expect(() => listIn(store, { every: 0 })).toThrow("every");
  expect(() => listIn(store, { agnet: "x" } as never)).toThrow("agnet");
  expect(() => limitLoop({ listed: store as never })).toThrow("made by listIn");
});
