import { describe, test } from "vitest";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host } from "../hosts/openai-agents.ts";

testAdapter(host, { describe, test });
