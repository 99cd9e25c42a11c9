import { strict as assert } from "node:assert";
import { isUnsupportedOption } from "../core/errors/unsupported-option.ts";
import type { AdapterOptions } from "../run/options.ts";
import { testCalls } from "./contract/calls.ts";
import type { Contract } from "./contract/contract.ts";
import { testExtensions } from "./contract/extensions.ts";
import { testFinalTool } from "./contract/final-tool.ts";
import { testHistory } from "./contract/history.ts";
import { testListedRuns } from "./contract/listed-runs.ts";
import { testLoops } from "./contract/loops.ts";
import { testObserving } from "./contract/observing.ts";
import { testPolicies } from "./contract/policies.ts";
import { testPools } from "./contract/pools.ts";
import { testQuestions } from "./contract/questions.ts";
import { testRequests } from "./contract/requests.ts";
import { testRunsAtOnce } from "./contract/runs-at-once.ts";
import { testSpending } from "./contract/spending.ts";
import { testStructuredAnswers } from "./contract/structured-answers.ts";
import { testSubAgents } from "./contract/sub-agents.ts";
import { testTelling } from "./contract/telling.ts";
import { testTime } from "./contract/time.ts";
import { testTools } from "./contract/tools.ts";
import { testTransparency } from "./contract/transparency.ts";
import { testTurns } from "./contract/turns.ts";
import { testWrapUp } from "./contract/wrap-up.ts";
import type { Capabilities, ScriptedHost } from "./scripted-host.ts";
import type { TestRunner } from "./test-runner.ts";

/**
 * Tests that an adapter keeps the contract that every adapter keeps, on the real loop of its host.
 *
 * @example
 * import { describe, test } from "node:test";
 * import { testAdapter } from "turn-limit/testing";
 * import { host } from "./scripted-host.js";
 *
 * testAdapter(host, { describe, test });
 */
export function testAdapter(host: ScriptedHost, { describe, test }: TestRunner): void {
  const where = (...needed: (keyof Capabilities)[]) =>
    needed.every((capability) => host.can[capability] === true) ? test : test.skip;

  describe(host.name, () => {
    for (const streaming of host.can.streaming === true ? [false, true] : [false]) {
      describe(streaming ? "streaming" : "not streaming", () => {
        const contract: Contract = {
          host,
          play: (scenario) => host.play({ streaming, ...scenario }),
          test,
          where,
        };
        testTurns(contract);
        testWrapUp(contract);
        testTelling(contract);
        testPolicies(contract);
        testExtensions(contract);
        testQuestions(contract);
        testRequests(contract);
        testSpending(contract);
        testTime(contract);
        testCalls(contract);
        testLoops(contract);
        testTools(contract);
        testTransparency(contract);
        testStructuredAnswers(contract);
        testFinalTool(contract);
        testObserving(contract);
        testPools(contract, streaming);
        testListedRuns(contract);
        testHistory(contract, streaming);
        if (streaming) return;
        testSubAgents(contract);
        testRunsAtOnce(contract);
      });
    }
    test("what the host cannot do is refused with a clear error instead of ignored", () => {
      for (const [capability, limits] of NEEDED) {
        const refused = attempt(() => host.make(limits));
        if (host.can[capability] === true) assert.equal(refused, undefined);
        else assert(isUnsupportedOption(refused), `${JSON.stringify(limits)} was not refused`);
      }
    });
  });
}

/** What a host has to be able to do for these limits. */
const NEEDED: [keyof Capabilities, AdapterOptions][] = [
  ["ask", { ask: () => true }],
  ["steps", { steps: 5 }],
  ["wrapUp", { turns: { max: 5, grace: 1 } }],
  ["wrapUp", { tell: true }],
  ["synthesize", { steps: { max: 5, onExhausted: "synthesize" } }],
  ["synthesize", { turns: { max: 5, headless: "synthesize" } }],
  ["requests", { requests: 5 }],
  ["spending", { tokens: 5 }],
  ["spending", { cost: 5 }],
  ["time", { time: 5 }],
  ["calls", { tools: { work: 5 } }],
  ["calls", { repeats: 5 }],
];

function attempt(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}
