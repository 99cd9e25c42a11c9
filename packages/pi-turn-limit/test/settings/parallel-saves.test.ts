import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const saveLimits = fileURLToPath(new URL("../fixtures/save-limits.ts", import.meta.url));

test("what several Pis save at the same moment is all there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turn-limit-parallel-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "turn-limit.json");
  writeFileSync(file, '{ "turns": 9 }');

  // So few that none waits for the others as long as a Pi waits for the file, on a slow machine either.
  const toolsOf = ["a", "b", "c"].map((pi) => Array.from({ length: 10 }, (_, index) => `${pi}${index}`));
  const pis = toolsOf.map((tools) => spawn(process.execPath, [saveLimits, file, ...tools]));
  const refusals = pis.map(({ stderr }) => text(stderr));
  await Promise.all(pis.map(({ stdout }) => once(stdout, "data")));
  const ended = pis.map((pi) => once(pi, "exit"));
  for (const { stdin } of pis) stdin.write("go\n");
  await Promise.all(ended);

  expect(await Promise.all(refusals)).toEqual(["", "", ""]);
  const { turns, tools } = JSON.parse(readFileSync(file, "utf8"));
  expect(turns).toBe(9);
  expect(Object.keys(tools).toSorted()).toEqual(toolsOf.flat().toSorted());
  expect(readdirSync(folder)).toEqual(["turn-limit.json"]);
});
