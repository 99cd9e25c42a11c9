import { expect, test } from "vitest";
import { personsFiles } from "../../launch/launcher.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import { withChosenLimits } from "./chosen-limits.ts";
import { readRunOptions } from "./options.ts";

/** What is typed, with the limits that 30 runs of 1 to 30 turns lead to. */
async function chosen(...typed: string[]) {
  const store = memoryStore();
  const used = { requests: 0, steps: 0, time: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  for (let turns = 1; turns <= 30; turns += 1)
    await store.remember({
      ...{ id: `${turns}`, agent: "Claude Code", end: "finished" },
      took: { turns, ...used, calls: {} },
    });
  const read = readRunOptions([...typed, "claude", "-p", "x"], {}, personsFiles("/project", "/home/ada"));
  const told: string[] = [];
  const options = await withChosenLimits(read, { openStore: async () => store }, (text) => told.push(text));
  return { options, told };
}

test("a run that goes on later goes on under the limit that was chosen [StaysChosen]", async () => {
  const { options, told } = await chosen("--max-turns", "p90, 200 per day", "--max-cost=$5", "--json");
  expect(options.limits).toEqual([
    { measure: "turns", max: 27 },
    { measure: "turns", max: 200, per: "day" },
    { measure: "cost", max: 5 },
  ]);
  expect(options.typed).toEqual(["--max-cost=$5", "--json", "--max-turns=27", "--max-turns=200 per day"]);
  expect(told).toEqual(["Turn limit set to 27 (p90 of your last 30 runs of Claude Code)."]);
});

test("the model is told to wrap up one turn before the end at the latest", async () => {
  expect((await chosen("--max-turns", "p90", "--wrap-up", "5")).options.wrapUp).toBe(5);
  expect((await chosen("--max-turns", "p10", "--wrap-up", "5")).options.wrapUp).toBe(2);
});

test("without a percentile no store is opened, and nothing is said", async () => {
  const { options, told } = await chosen("--max-turns", "5");
  expect(options.limits).toEqual([{ measure: "turns", max: 5 }]);
  expect(told).toEqual([]);
});
