import { strict as assert } from "node:assert";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract } from "./contract.ts";

const ANSWER = JSON.stringify({ found: "partial" });

/** Works until its n-th answer, which is the object. */
const answersAt =
  (n: number) =>
  ({ index }: SeenRequest): ModelReply =>
    index >= n ? { text: ANSWER } : { calls: 1 };

/** An answer by the host's own structured output is an answer, also at the boundary. */
export function testStructuredAnswers({ play, where }: Contract): void {
  where("structured")("an object is answered on the last turn, and is no step", async () => {
    const seen = await play({ limits: { turns: 3, steps: 2 }, model: answersAt(3), structured: true });
    assert.equal(seen.answer, ANSWER);
    assert.equal(seen.executed.length, 2);
    assertOutcomes(seen, { kind: "completed", turns: 3, steps: 2 });
  });

  where("structured", "synthesize")("the turn without tools can answer with the object", async () => {
    const limits = { turns: { max: 2, onExhausted: "synthesize" as const } };
    const seen = await play({ limits, model: answersAt(3), structured: true });
    assert.equal(seen.answer, ANSWER);
    assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3, steps: 2 });
  });
}
