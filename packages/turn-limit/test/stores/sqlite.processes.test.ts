import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { bundled } from "./helpers/bundled.ts";
import { start } from "./processes/line-process.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-processes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PROCESSES = 64;
const REQUESTS = 10_000;

test("64 processes that make 10,000 requests at once are granted exactly the 5,000 that there are [CountedWithinAdmitted]", async () => {
  const file = join(folder, "pools.db");
  const member = await bundled(join(import.meta.dirname, "processes", "member.ts"), folder);
  const processes = Array.from({ length: PROCESSES }, (_, n) => {
    const requests = Math.floor(REQUESTS / PROCESSES) + (n < REQUESTS % PROCESSES ? 1 : 0);
    return start(process.execPath, [member, file, `member ${n}`, `${requests}`]);
  });
  // They all make and open the file at once, and begin together.
  for (const { line } of processes) expect(await line()).toBe("ready");
  for (const { goOn } of processes) goOn();
  const granted = await Promise.all(processes.map(async ({ line }) => Number(await line())));

  expect(granted.reduce((sum, count) => sum + count)).toBe(5_000);
  const store = sqliteStore(file);
  const record = await store.read("shared");
  expect(record).toMatchObject({ settled: { turns: 5_000 }, agents: PROCESSES });
  expect(record?.members.map(({ used }) => used.turns ?? 0).sort()).toEqual(granted.sort());
  await store.close();
});

const ROUNDS = 120;

test("24 processes that make a new file at once, 120 times, are all granted what they ask for", async () => {
  const opener = await bundled(join(import.meta.dirname, "processes", "opener.ts"), folder);
  const processes = Array.from({ length: 24 }, (_, n) => start(process.execPath, [opener, `member ${n}`]));
  for (const { line } of processes) expect(await line()).toBe("ready");
  const said = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { child } of processes) child.stdin.write(`${join(folder, `new-${round}.db`)}\n`);
    for (const { line } of processes) {
      const words = await line();
      said.set(words, (said.get(words) ?? 0) + 1);
    }
    // Others close it meanwhile.
    const store = sqliteStore(join(folder, `new-${round}.db`), { timeout: 600_000 });
    expect((await store.read("shared"))?.settled.turns).toBe(24);
    await store.close();
  }
  expect(Object.fromEntries(said)).toEqual({ granted: 24 * ROUNDS });
  for (const { child } of processes) child.stdin.end();
});
