import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inAnotherProcess } from "../helpers/in-another-process.ts";
import type { Work, Worked } from "./resume/ai-sdk.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = new URL("resume/ai-sdk.ts", import.meta.url);
const work = (what: Work) => inAnotherProcess<Worked>(script, what);

test("with a pool for the run, calls that are approved in other processes go on with what it has left", async () => {
  const what = { run: "run 7", turns: 2, file: join(folder, "pools.db") };
  const first = await work(what);
  const second = await work({ ...what, earlier: first });
  const third = await work({ ...what, earlier: second });
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 2, 2]);
  expect(third.executed).toHaveLength(2);
  expect(third.outcome).toMatchObject({ kind: "stopped", limit: "turns of pool run 7" });

  // What is damaged is no fresh budget.
  writeFileSync(what.file, "This was a pool.");
  const fourth = await work({ ...what, earlier: second });
  expect(fourth.requests).toHaveLength(2);
  expect(fourth.outcome).toMatchObject({ kind: "stopped", limit: "store of pool run 7" });
});
