import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { runRecord, type SeenRun, seenRun } from "../../src/pools/ledger/listed-run.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { listIn } from "../../src/pools/listing/list-in.ts";
import type { KeylessChange } from "../../src/pools/pool-definition.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { pause } from "../../src/run/pause.ts";

// The record of a run is gone while the run works: its machine slept, or could not reach the server, for longer than the
// lease, or the server came back without its data.

const folder = mkdtempSync(join(tmpdir(), "turn-limit-lost-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

const stores: [string, () => Store][] = [
  ["memory", () => memoryStore()],
  ["SQLite", () => sqliteStore(join(folder, `${randomUUID()}.sqlite`))],
];

async function until<T>(find: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await pause(5);
  }
}

/** A listed loop, which others change from elsewhere and whose record can be lost. */
function scene(store: Store, limits: AdapterOptions) {
  const notices: string[] = [];
  const listed = listIn(store, { name: "nightly", every: 5 });
  const loop = limitLoop({ ...limits, listed, onWarning: (message) => notices.push(message) });
  const seen = async (): Promise<SeenRun | undefined> => (await store.runs()).map(seenRun)[0];
  return {
    loop,
    notices,
    seen,
    turn: async () => {
      const turn = await loop.nextTurn();
      if (turn) loop.turnEnded({ usage: { input: 10, output: 5 } });
      return turn !== undefined;
    },
    change: async (change: KeylessChange) => {
      const run = await until(seen);
      const person = { where: "on the phone", to: run.name };
      return (await store.change(runRecord(run.id), { ...change, person, key: randomUUID() } as never)).made;
    },
    question: () => until(async () => (await seen())?.questions[0]),
    /** The record is gone, until the run has said again that it is there. */
    lose: async () => {
      const { id } = await until(seen);
      await store.delete(runRecord(id));
      await until(seen);
    },
  };
}

describe.each(stores)("in %s", (_name, open) => {
  test("a question whose record was lost is there again, and is answered once", async () => {
    const store = open();
    const { loop, turn, change, question, lose } = scene(store, {
      turns: 1,
      ask: () => new Promise(() => {}),
    });
    loop.begin();
    await turn();
    const second = turn();
    const { id } = await question();
    await lose();
    expect((await question()).id).toBe(id);
    expect(await change({ kind: "answer", question: id, reply: { more: 1 } })).toBe(true);
    expect(await change({ kind: "answer", question: id, reply: true })).toBe(false);
    expect([await second, loop.view.standings[0]?.max]).toEqual([true, 1]);
    loop.end();
    await store.close();
  });

  test("a run that is frozen stays frozen when its record was lost, until it is unfrozen [FrozenFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, seen, notices, lose } = scene(store, { turns: 9 });
    loop.begin();
    await turn();
    await change({ kind: "freeze", why: "It is late." });
    await until(() => notices.length > 0);
    let isHeld = true;
    const second = turn().then((began) => {
      isHeld = false;
      return began;
    });
    await until(() => loop.view.waiting);
    await lose();
    expect(await until(async () => (await seen())?.frozen)).toMatchObject({
      why: "It is late.",
      where: "on the phone",
    });
    expect([isHeld, notices]).toEqual([true, ["Frozen on the phone: It is late."]]);
    await change({ kind: "unfreeze" });
    expect(await second).toBe(true);
    loop.end();
    await store.close();
  });

  test("what is allowed after a record was lost is allowed, and what was before counts once [ExtendedFromElsewhere]", async () => {
    const store = open();
    const { loop, turn, change, lose } = scene(store, { turns: 2 });
    loop.begin();
    await turn();
    await change({ kind: "extend", measure: "turns", by: 5 });
    await until(() => loop.view.standings[0]?.max === 7);
    await lose();
    await change({ kind: "extend", measure: "turns", by: 1 });
    await until(() => loop.view.standings[0]?.max === 8);
    loop.end();
    await store.close();
  });
});
