import { strict as assert } from "node:assert";
import { callId, type ModelReply, type SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, timesTold } from "./contract.ts";

const twelveAtOnce = (): ModelReply => ({ calls: 12 });
const theSameAgain = (): ModelReply => ({ calls: 1, same: "again" });

/** Limits of single tools, and of repeats. */
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

  where("calls")(
    "a call repeated with the same result is refused once, then the run is stopped",
    async () => {
      const seen = await play({ limits: { repeats: 3 }, model: theSameAgain });
      assert.equal(seen.executed.length, 3);
      assert.equal(seen.requests.length, 5);
      assert.equal(timesTold(seen.requests.at(-1), "It will not change"), 1);
      assert.equal(seen.orphans, 0);
      assertOutcomes(seen, { kind: "stopped", limit: "repeats", steps: 3 });
    },
  );

  where("calls")("two calls that alternate, each with the same result, are a loop too", async () => {
    const model = ({ index }: SeenRequest): ModelReply => ({ calls: 1, same: index % 2 ? "one" : "other" });
    const seen = await play({ limits: { repeats: 3 }, model });
    assert.deepEqual(seen.executed, ["one", "other", "one", "other", "one", "other"]);
    assert.equal(seen.requests.length, 8);
    assertOutcomes(seen, { kind: "stopped", limit: "repeats", steps: 6 });
  });

  where("calls")("polling is not a loop: another result starts it over", async () => {
    const results = ["waiting", "waiting", "ready", "waiting", "waiting", "ready"];
    const seen = await play({
      limits: { turns: 6, repeats: 3 },
      model: theSameAgain,
      onExecute: () => results.shift(),
    });
    assert.equal(seen.executed.length, 6);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });
}
