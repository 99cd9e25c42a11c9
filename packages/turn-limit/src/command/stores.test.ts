import { expect, test } from "vitest";
import { createPool } from "../pools/pool.ts";
import { howToExtend } from "./pooled-limits.ts";
import { storeAddress, storeOption } from "./stores.ts";

test.each([
  ["pools.sqlite", " --store pools.sqlite"],
  ["/my files/it's.sqlite", " --store '/my files/it'\\''s.sqlite'"],
  ["redis://budgets:6379/0", " --store redis://budgets:6379/0"],
  ["rediss://ada:secret@budgets", " --store <your store>"],
])("the option for the store %s can be pasted, and has no credentials", (address, option) => {
  expect(storeOption(address)).toBe(option);
});

test("the default store needs no option", () => {
  expect(storeOption(storeAddress(undefined, {}))).toBe("");
});

test("the commands that let a pool go on name its store", () => {
  const pool = createPool({ id: "night", requests: 4 });
  expect(howToExtend("requests of pool night", [pool], " --store F")).toBe(
    "To allow more: npx turn-limit pools extend night requests 10 --store F",
  );
  const frozen = pool.sharedLimits.find(({ identity }) => identity.kind === "freeze")?.name ?? "";
  expect(howToExtend(frozen, [pool], " --store F")).toBe(
    "To go on: npx turn-limit pools unfreeze night --store F",
  );
});
