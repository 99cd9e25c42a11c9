import { describe, test } from "vitest";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host } from "../hosts/langchain.ts";

testAdapter(host, { describe, test });
