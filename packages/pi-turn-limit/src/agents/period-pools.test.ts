import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import { createPool } from "../core.ts";
import { claimNearlyUsed } from "./period-pools.ts";

test.for([
  [0.03, false],
  [0.04, true],
  [0.05, false],
] as const)("of $0.05, $%d is told: %s", async ([used, isTold]) => {
  const pool = createPool({ id: "day", cost: 0.05, store: memoryStore(), nameOf: () => "cost per day" });
  const standing = { limit: "cost per day", used, max: 0.05 };
  expect(await claimNearlyUsed([pool], [standing], new Set())).toEqual(isTold ? [standing] : []);
  expect(await claimNearlyUsed([pool], [standing], new Set())).toEqual([]);
});
