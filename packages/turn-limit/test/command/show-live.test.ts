import { once } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { written } from "../../src/command/pools/lines.ts";
import { keysIn } from "../../src/command/pools/live-control.ts";
import { liveLines } from "../../src/command/pools/live-lines.ts";
import { readPools } from "../../src/command/pools/pool-view.ts";
import { openQuestions } from "../../src/command/pools/questions-table.ts";
import { widthOf } from "../../src/core/text/text-width.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { shell } from "./a-shell.ts";
import { ask, fill, readReplies } from "./a-store.ts";

const [UP, DOWN] = ["\x1b[A", "\x1b[B"];

let store: Store;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  store = memoryStore({ now: () => Date.UTC(2026, 10, 16, 12) });
  await fill(store);
});
afterEach(() => void vi.useRealTimers());

/** Starts the live table, and waits until it is drawn: the command loads its parts when it is called. */
async function open() {
  const { stdin, stdout, stderr, code } = shell(store, { isTTY: true }).start("pools");
  await Promise.race([once(stdout, "written"), code]);
  return {
    stdin,
    stdout,
    stderr,
    code,
    /** Presses keys, and gives the text that was written since. */
    press: async (...keys: string[]) => {
      stdout.text = "";
      for (const key of keys) stdin.emit("data", key);
      await vi.advanceTimersByTimeAsync(0);
      return stdout.text;
    },
    nextSecond: async () => {
      stdout.text = "";
      await vi.advanceTimersByTimeAsync(1_000);
      return stdout.text;
    },
  };
}

const replies = async () =>
  Object.values((await store.read("research"))?.state.questions ?? {}).map(({ id, reply }) => [id, reply]);

test("it shows what changes, each second and when the terminal has another size, until q", async () => {
  const { stdin, stdout, code, press, nextSecond } = await open();
  expect(stdout.text).toContain("$1.42/$5.00");
  expect(stdin.isRaw).toBe(true);
  await store.change("research", { key: "e", kind: "extend", measure: "cost", by: 1e9 });
  expect(await nextSecond()).toContain("$1.42/$6.00");
  stdout.text = "";
  stdout.columns = 20;
  stdout.emit("resize");
  expect(stdout.text).toContain("…");

  expect(await press("q")).toBe("\x1b[?25h\x1b[?1049l");
  expect(await code).toBe(0);
  expect(stdin.isRaw).toBe(false);
  expect([stdin, stdout].flatMap((terminal) => terminal.eventNames())).toEqual([]);
});

test("arrows choose a question, y and n answer it, and no key answers one that was not chosen", async () => {
  for (const id of ["q1", "q2", "q3"]) await ask(store, id, `agent ${id}`);
  const { press, code } = await open();
  expect(await press("y", "n")).toContain("Choose a question with ↑ or ↓ first.");
  expect(await press(DOWN, DOWN, "y")).toContain("agent q2 is told yes.");
  // After a reply nothing is chosen.
  await press("y");
  await press(UP, "n");
  expect(await replies()).toEqual([
    ["q1", undefined],
    ["q2", true],
    ["q3", false],
  ]);
  await press("\x03");
  expect(await code).toBe(0);
});

test("a reply that its asker does not read is said to be unread", async () => {
  for (const id of ["q1", "q2"]) await ask(store, id, `agent ${id}`);
  const { press, nextSecond } = await open();
  await press(DOWN, "y");
  const seen: string[] = [];
  for (let second = 0; second < 4; second += 1) seen.push(await nextSecond());
  expect(seen.join()).toContain("agent q1 has not read the reply, and may be gone.");
  readReplies(store);
  await press(DOWN, "y");
  for (let second = 0; second < 4; second += 1)
    expect(await nextSecond()).not.toContain("agent q2 has not read");
  await press("q");
});

test("of 100,000 pools the live table has those that fit, and says how many more there are", async () => {
  const [pool] = await readPools(store, false);
  const pools = Array.from({ length: 100_000 }, () => pool as NonNullable<typeof pool>);
  const lines = liveLines({ place: "pools.sqlite", pools, runs: [] }, { columns: 80, rows: 24 });
  expect(lines).toHaveLength(24);
  expect(lines.map((spans) => written(spans, false)).join("\n")).toContain(
    "more lines and 99,976 more pools",
  );
});

test("what came of a key gives way to what the keys do after a few seconds", async () => {
  await ask(store, "q1", "agent q1");
  readReplies(store);
  const { press, nextSecond } = await open();
  expect(await press(DOWN, "y")).toContain("agent q1 is told yes.");
  expect(await nextSecond()).toContain("agent q1 is told yes.");
  for (let second = 0; second < 4; second += 1) await nextSecond();
  const later = await nextSecond();
  expect(later).not.toContain("is told yes");
  expect(later).toContain("q quit");
  await press("q");
});

test("when the chosen question is gone, a y does not answer the next one", async () => {
  for (const id of ["q1", "q2"]) await ask(store, id);
  const { press, nextSecond } = await open();
  await press(DOWN);
  await store.change("research", { key: "w", kind: "withdraw", question: "q1" });
  await nextSecond();
  await press("y");
  expect(await replies()).toEqual([["q2", undefined]]);
  await press("q");
});

test("who replies too late is told so [LateReplyIsTold]", async () => {
  await ask(store, "q1");
  const { press } = await open();
  await press(DOWN);
  await store.change("research", { key: "a", kind: "answer", question: "q1", reply: false });
  expect(await press("y")).toContain("Too late: it was answered elsewhere: no.");
  expect(await replies()).toEqual([["q1", false]]);
  await press("q");
});

test("while the store cannot be read it says why, and goes on when it can", async () => {
  const { press, nextSecond } = await open();
  const list = vi.spyOn(store, "list").mockRejectedValueOnce(new Error("disk is away"));
  const shown = await nextSecond();
  expect(shown).toContain("disk is away");
  expect(shown).toContain("$1.42/$5.00");
  expect(await nextSecond()).not.toContain("disk is away");
  expect(list).toHaveBeenCalledTimes(2);
  await press("q");
});

test("a store that cannot be read at the start ends it with 1, and the terminal as it was", async () => {
  vi.spyOn(store, "list").mockRejectedValue(new Error("disk is away"));
  const { stdin, stdout, stderr, code } = await open();
  expect(await code).toBe(1);
  expect(stderr.text).toMatch(/^turn-limit: [^\n]*disk is away\n$/);
  expect({ raw: stdin.isRaw, out: stdout.text }).toEqual({ raw: false, out: "" });
});

test("it fits any terminal, and the chosen question is on it", async () => {
  for (let number = 0; number < 30; number++) await ask(store, `q${number}`, `agent ${number} 文`);
  const pools = await readPools(store, false);
  for (const chosen of [undefined, ...openQuestions(pools)]) {
    for (const size of [
      { columns: 200, rows: 100 },
      { columns: 80, rows: 24 },
      { columns: 40, rows: 10 },
      { columns: 12, rows: 4 },
      { columns: 1, rows: 1 },
    ]) {
      const lines = liveLines({ place: "pools.sqlite", pools, runs: [], chosen }, size).map((spans) =>
        written(spans, false),
      );
      expect(lines.length).toBeLessThanOrEqual(size.rows);
      for (const text of lines) expect(widthOf(text)).toBeLessThan(size.columns);
      if (chosen && size.rows >= 4 && size.columns > 1) expect(lines.join("\n")).toContain("❯");
    }
  }
});

test("keys that mean nothing here do nothing, whatever letters they are made of", () => {
  expect(keysIn("\x1b[A\x1bOBynq\x03")).toEqual(["up", "down", "yes", "no", "quit", "quit"]);
  expect(keysIn("\x1b[1;5n\x1bOy\x1b[200~x\r\x1b")).toEqual([]);
});
