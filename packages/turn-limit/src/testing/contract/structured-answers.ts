import { strict as assert } from "node:assert";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract } from "./contract.ts";

const ANSWER = JSON.stringify({ found: "partial" });
const OF_ANOTHER_FORM = JSON.stringify({ found: 5 });

/** Works until its n-th answer, which is the object. */
const answersAt =
  (n: number, text = ANSWER) =>
  ({ index }: SeenRequest): ModelReply =>
    index >= n ? { text } : { calls: 1 };

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
    assert.equal(seen.requests.at(-1)?.tools.includes("work"), false);
    assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3, steps: 2 });
  });

  where("structured", "wrapUp")("a model that is told to wrap up does so with the object", async () => {
    const limits = { turns: { max: 4, grace: 2 } };
    const seen = await play({ limits, model: answersAt(3), structured: true });
    assert.equal(seen.answer, ANSWER);
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "wrapped-up", turns: 3, steps: 2 });
  });

  for (const [turnName, turns] of [
    ["turn without tools", { max: 2, onExhausted: "synthesize" }],
    ["last turn that there is", 3],
  ] as const) {
    where("structured", "synthesize")(
      `an object of another form in the ${turnName} is not asked for again`,
      async () => {
        const model = answersAt(3, OF_ANOTHER_FORM);
        const seen = await play({ limits: { turns }, model, structured: true });
        assert.equal(seen.requests.length, 3);
        assert.notEqual(seen.answer, ANSWER);
        assert.equal(seen.executed.length, 2);
      },
    );
  }
}
