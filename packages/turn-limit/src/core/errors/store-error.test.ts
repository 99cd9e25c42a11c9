import { expect, test, vi } from "vitest";
import { isStoreError, StoreError } from "./store-error.ts";

test("it says which store, what happened and what to do, and keeps the cause", () => {
  const cause = new Error("SQLITE_READONLY");
  const error = new StoreError("The SQLite store pools.db", "is read-only", "Make it writable.", { cause });
  expect(error).toMatchObject({ name: "StoreError", store: "The SQLite store pools.db", cause });
  expect(error.message).toBe("The SQLite store pools.db is read-only. Make it writable.");
});

test("it is recognised when another copy of the package threw it, and nothing else is", async () => {
  vi.resetModules();
  const copy = await import("./store-error.ts");
  const error = new copy.StoreError("a", "b", "c");
  expect(error).not.toBeInstanceOf(StoreError);
  expect(isStoreError(error)).toBe(true);
  for (const other of [new Error("no"), { name: "StoreError" }, "StoreError", null, undefined])
    expect(isStoreError(other)).toBe(false);
});
