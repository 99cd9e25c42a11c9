import { describe, test } from "vitest";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { testStore } from "../../src/testing/test-store.ts";

testStore({ name: "the store in memory", open: memoryStore }, { describe, test });
