import { describe, test } from "vitest";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host, whyUnavailable } from "../hosts/claude-agent-sdk.ts";

const why = await whyUnavailable();
if (why === undefined) testAdapter(host, { describe, test });
else {
  const told = `The program that the Claude Agent SDK brings with it cannot run here: ${why}`;
  console.warn(`${host.name} is NOT TESTED. ${told}`);
  test.skipIf(!process.env.CI)(`${host.name} is tested`, () => {
    throw new Error(told);
  });
}
