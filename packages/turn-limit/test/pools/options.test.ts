import { expect, test } from "vitest";
import { createPool, isInvalidLimit, memoryStore, type PoolOptions } from "../../src/index.ts";
import { Driver } from "../helpers/driver.ts";
import { aPool } from "./a-pool.ts";

test.each<[string, object, string]>([
  ["no id", {}, "id"],
  ["an empty id", { id: "" }, "id"],
  ["an id with a day", { id: "a@b" }, "id"],
  ["an unknown option", { id: "a", token: 5 }, "token"],
  ["a limit that is no number", { id: "a", turns: "five" }, "turns.max"],
  ["a negative limit", { id: "a", cost: -1 }, "cost.max"],
  ["a reserve", { id: "a", tokens: { max: 5, reserve: 1 } }, "tokens.reserve"],
  ["a grace", { id: "a", turns: { max: 5, grace: 1 } }, "turns.grace"],
  ["tools that are no object", { id: "a", tools: 5 }, "tools"],
  ["a period that nobody has", { id: "a", per: "year" }, "per"],
  ["a zone that nobody has", { id: "a", zone: "Mars/Base" }, "zone"],
  ["a store that is none", { id: "a", store: {} }, "store"],
  ["a store that lacks a method", { id: "a", store: { ...memoryStore(), change: 1 } }, "store"],
  ["an estimate of what is counted", { id: "a", estimate: { turns: 1 } }, "estimate.turns"],
  ["a negative estimate", { id: "a", estimate: { cost: -1 } }, "estimate.cost"],
  ["no lease", { id: "a", lease: 0 }, "lease"],
  ["a lease that no timer can measure", { id: "a", lease: 2 ** 31 }, "lease"],
  ["a policy that nobody has", { id: "a", unreachable: "go on" }, "unreachable"],
  ["a question that is never open", { id: "a", askFor: 0 }, "askFor"],
  ["a look at every moment", { id: "a", lookEvery: 0 }, "lookEvery"],
  ["a record that is not kept", { id: "a", keepFor: 0 }, "keepFor"],
  ["a name that is no function", { id: "a", nameOf: "x" }, "nameOf"],
  ["a name that is no text", { id: "a", turns: 1, nameOf: () => 7 }, 'nameOf("turns")'],
])("%s is refused", (_, options, setting) => {
  const error = attempt(() => createPool(options as PoolOptions));
  expect(isInvalidLimit(error) && error.setting).toBe(setting);
});

test("what is no pool, and a pool that is given twice, are refused, also during a run", () => {
  const { pool } = aPool({ turns: 1 });
  const driver = new Driver({});
  for (const given of [{}, "a", [pool, 5], [pool, pool], null]) {
    const options = { pool: given as never };
    for (const give of [() => new Driver(options), () => driver.configure(options)]) {
      const error = attempt(give);
      expect(isInvalidLimit(error) && error.setting).toBe("pool");
    }
  }
});

test("an amount to extend by, a limit to extend and a reply are checked", async () => {
  const { pool } = aPool({ turns: 1 });
  await expect(pool.extend("turns", -1)).rejects.toThrow("by");
  await expect(pool.extend("turns", 0.5)).rejects.toThrow("a whole number");
  await expect(pool.extend("cost", 1)).rejects.toThrow('"turns"');
  await expect(pool.answer("q", "maybe" as never)).rejects.toThrow("reply");
  await expect(pool.extend("turns", 1.5)).rejects.toThrow("by must be a whole number");
});

test("what a pool is watched with, why it is frozen and the clock of a store are checked", async () => {
  const { pool } = aPool({ turns: 1 });
  const { signal } = new AbortController();
  await expect(pool.watch("x" as never, signal)).rejects.toThrow("changed must be a function");
  await expect(pool.watch(() => {}, undefined as never)).rejects.toThrow("signal must be an AbortSignal");
  await expect(pool.freeze(5 as never)).rejects.toThrow("why must be a text");
  expect(() => memoryStore({ now: 5 as never })).toThrow("now must be a function");
});

function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}
