import { strict as assert } from "node:assert";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../core/limits/last-turn.ts";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../core/limits/wrap-up.ts";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt, timesTold, untilToolsAreGone } from "./contract.ts";

const obedient = (request: SeenRequest): ModelReply =>
  timesTold(request, DEFAULT_WRAP_UP_MESSAGE) > 0 ? { text: "partial" } : { calls: 1 };

/** The model is told once, in time, to deliver. */
export function testWrapUp({ play, where }: Contract): void {
  where("wrapUp")(
    "the wrap-up is sent once, before the right turn, and what the model delivers is the answer",
    async () => {
      const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: obedient });
      assert.deepEqual(
        seen.requests.map((request) => timesTold(request, DEFAULT_WRAP_UP_MESSAGE)),
        [0, 0, 0, 0, 1],
      );
      assert.equal(seen.answer, "partial");
      assertOutcomes(seen, { kind: "wrapped-up", turns: 5 });
    },
  );

  for (const usage of ["zero", "none"] as const) {
    where("wrapUp")(
      `so it is where the model reports ${usage === "zero" ? "0 tokens" : "nothing"}`,
      async () => {
        for (const cost of ["unlimited", 5] as const) {
          const limits = { turns: { max: 4, grace: 2 }, cost, onWarning: () => {} };
          const seen = await play({ limits, model: obedient, usage });
          assert.equal(seen.requests.length, 3);
          assert.equal(seen.answer, "partial");
          assertOutcomes(seen, { kind: "wrapped-up", turns: 3 });
        }
      },
    );
  }

  where("wrapUp", "forgets")(
    "at the next prompt the model does not read again what it was told for the last one",
    async () => {
      const seen = await play({ limits: { turns: { max: 3, grace: 2 } }, model: obedient, prompts: 2 });
      assert.deepEqual(
        seen.requests.map((request) => timesTold(request, DEFAULT_WRAP_UP_MESSAGE)),
        [0, 1, 0, 1],
      );
    },
  );

  where("synthesize", "forgets")("nor what it was told in the turn without tools", async () => {
    const limits = { turns: { max: 1, onExhausted: "synthesize" as const } };
    const seen = await play({ limits, model: untilToolsAreGone(), prompts: 2 });
    assert.deepEqual(
      seen.requests.map((request) => timesTold(request, DEFAULT_SYNTHESIS_MESSAGE)),
      [0, 1, 0, 1],
    );
  });

  where("wrapUp")("a model that ignores the wrap-up is stopped at the limit", async () => {
    const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: endless });
    assert.equal(seen.requests.length, 6);
    assert(timesTold(seen.requests.at(-1), DEFAULT_WRAP_UP_MESSAGE) < 2);
    assertOutcomes(seen, { kind: "stopped", limit: "turns" });
  });

  where("wrapUp")("an agent that is done is not told, and takes no further turn", async () => {
    const seen = await play({ limits: { turns: { max: 6, grace: 2 } }, model: endsAt(4) });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "completed", intervened: false });
  });
}
