import { describe, test } from "vitest";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host } from "../hosts/pi-agent-core.ts";

testAdapter(host, { describe, test });
