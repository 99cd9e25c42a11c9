import { strict as assert } from "node:assert";
import { callId, type ModelReply } from "../scripted-host.ts";
import { assertOutcomes, type Contract } from "./contract.ts";

const twelveAtOnce = (): ModelReply => ({ calls: 12 });

/** Limits of single tools. */
export function testCalls({ play, where }: Contract): void {
  where("calls")("of 12 parallel calls under a limit of 5 for the tool exactly the first 5 run", async () => {
    const limits = { tools: { work: { max: 5, onExhausted: "stop" } } } as const;
    const seen = await play({ limits, model: twelveAtOnce });
    assert.deepEqual(
      seen.executed,
      [1, 2, 3, 4, 5].map((n) => callId(1, n)),
    );
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "stopped", limit: "tools.work", steps: 5 });
  });

  where("calls")("a limit for another tool stops nothing", async () => {
    const seen = await play({ limits: { turns: 2, tools: { play: 1 } }, model: twelveAtOnce });
    assert.equal(seen.executed.length, 24);
  });
}
