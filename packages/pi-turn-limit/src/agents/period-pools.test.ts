import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { managedPool } from "../core.ts";
import { claimNearlyUsed } from "./period-pools.ts";

test.for([
  [0.03, false],
  [0.04, true],
  [0.05, false],
] as const)("of $0.05, $%d is told: %s", async ([used, isTold]) => {
  const pool = managedPool({ id: "day", cost: 0.05, store: memoryStore(), identity: { per: "day" } });
  const standing = { ...named("cost per day"), used, max: 0.05 };
  expect(await claimNearlyUsed([pool], [standing], new Set())).toEqual(isTold ? [standing] : []);
  expect(await claimNearlyUsed([pool], [standing], new Set())).toEqual([]);
});
