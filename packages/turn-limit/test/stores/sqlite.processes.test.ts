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
