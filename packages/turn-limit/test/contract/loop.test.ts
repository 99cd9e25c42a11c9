import { describe, test } from "vitest";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host } from "../hosts/loop.ts";

testAdapter(host, { describe, test });
