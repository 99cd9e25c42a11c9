import { expect, test } from "vitest";
import { createPool } from "../pools/pool.ts";
import { memoryStore } from "../pools/stores/memory.ts";
import type { GatewayRunOptions } from "./requests/options.ts";
import { SharedRuns } from "./shared-runs.ts";

const atOnce = (callback: () => void) => callback();
const never = () => {};

test("of too many names, the one that was not used for longest is dropped, unless a request of it is under way", async () => {
  const store = memoryStore();
  const limitsOf = (id: string): GatewayRunOptions => ({ pool: createPool({ id, requests: 1, store }) });
  const runs = new SharedRuns(limitsOf, 2);
  const ada = runs.of("ada", never);
  const bob = runs.of("bob", atOnce);
  expect(runs.of("bob", atOnce)).toBe(bob);
  const eve = runs.of("eve", never);
  expect(runs.of("ada", never)).toBe(ada);
  expect(runs.of("eve", never)).toBe(eve);
  expect(runs.of("bob", never)).toMatch("too many others");
  await runs.end();
});

test("one with limits of its own is kept: nothing else knows what it used", async () => {
  const runs = new SharedRuns(() => ({ requests: 1 }), 1);
  const ada = runs.of("ada", atOnce);
  expect(runs.of("bob", atOnce)).toMatch("too many others");
  expect(runs.of("ada", atOnce)).toBe(ada);
  await runs.end();
});
