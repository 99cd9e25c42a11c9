import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { testStore } from "../../src/testing/test-store.ts";
import { twoHandles } from "./two-handles.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

testStore(
  { name: "the store in a file", open: ({ now }) => twoHandles(join(folder, "pools.db"), now) },
  { describe, test },
);
