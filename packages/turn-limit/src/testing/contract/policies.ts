import { strict as assert } from "node:assert";
import { isLimitExceeded, isStepLimitExceeded } from "../../core/errors/limit-exceeded.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../core/limits/last-turn.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { callId, type ModelReply, type SeenRequest } from "../scripted-host.ts";
import {
  assertOutcomes,
  type Contract,
  endless,
  timesTold,
  toolsOffered,
  untilToolsAreGone,
} from "./contract.ts";

const twoAtOnce = (): ModelReply => ({ calls: 2 });

/** What happens to a run at the boundary: each policy, for steps and for turns. */
export function testPolicies({ play, where, test }: Contract): void {
  where("steps")(
    "8 parallel calls a turn under a step limit of 20: exactly 20 run, in order, none is orphaned",
    async () => {
      const seen = await play({ limits: { steps: 20 }, model: () => ({ calls: 8 }) });
      assert.deepEqual(
        seen.executed,
        [1, 2, 3].flatMap((r) => [1, 2, 3, 4, 5, 6, 7, 8].map((n) => callId(r, n))).slice(0, 20),
      );
      assert.equal(seen.requests.length, 3);
      assert.equal(seen.orphans, 0);
      assertOutcomes(seen, { kind: "stopped", limit: "steps", steps: 20 });
    },
  );

  where("steps")("a run that uses exactly its steps is left alone, and so is the next", async () => {
    const model = ({ index }: SeenRequest): ModelReply => (index % 3 === 0 ? { text: "done" } : { calls: 1 });
    const seen = await play({ limits: { steps: 2 }, model, prompts: 2 });
    assert.equal(seen.executed.length, 4);
    assert.equal(seen.answer, "done");
    const leftAlone = { kind: "completed", steps: 2, intervened: false } as const;
    assertOutcomes(seen, leftAlone, leftAlone);
  });

  where("steps")("stop: out of steps, the run ends without an error", async () => {
    const seen = await play({ limits: { steps: { max: 3, onExhausted: "stop" } }, model: twoAtOnce });
    assert.equal(seen.executed.length, 3);
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "stopped", limit: "steps", steps: 3 });
  });

  test("stop: out of turns, the run ends without an error", async () => {
    const seen = await play({ limits: { turns: { max: 2, onExhausted: "stop" } }, model: endless });
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 2 });
  });

  where("steps")("raise: out of steps, the host's call rejects with StepLimitExceeded", async () => {
    const seen = await play({ limits: { steps: 3 }, model: twoAtOnce });
    assert.equal(seen.executed.length, 3);
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.orphans, 0);
    assert(isStepLimitExceeded(seen.error), `not a StepLimitExceeded: ${seen.error}`);
    assert.equal(seen.error.max, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "steps", steps: 3 });
  });

  async function assertRaised(limits: AdapterOptions, limit: string): Promise<void> {
    const seen = await play({ limits, model: endless });
    assert(isLimitExceeded(seen.error), `not a LimitExceeded: ${seen.error}`);
    assert.equal(seen.error.limit, limit);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit });
  }

  test("raise: out of turns, the host's call rejects with LimitExceeded, after a turn and before any", async () => {
    await assertRaised({ turns: { max: 2, onExhausted: "raise" } }, "turns");
    await assertRaised({ turns: { max: 2, headless: "raise" } }, "turns");
    await assertRaised({ turns: { max: 0, onExhausted: "raise" } }, "turns");
  });

  where("spending")("raise: so it does when the tokens are used up", async () => {
    await assertRaised({ tokens: { max: 1, onExhausted: "raise" } }, "tokens");
  });

  where("calls")("raise: so it does when a tool was called too often", async () => {
    await assertRaised({ tools: { work: { max: 1, onExhausted: "raise" } } }, "tools.work");
  });

  where("calls", "endRule")(
    "raise: so it does where the host's own rule ends the run after calls of which one was refused",
    async () => {
      for (const max of [0, 1]) {
        const limits: AdapterOptions = { tools: { work: { max, onExhausted: "raise" } } };
        const seen = await play({ limits, model: twoAtOnce, endsAfterCalls: true });
        assert.equal(seen.executed.length, max);
        assert.equal(seen.requests.length, 1);
        assert.equal(seen.orphans, 0);
        assert(isLimitExceeded(seen.error), `not a LimitExceeded: ${seen.error}`);
        assertOutcomes(seen, { kind: "stopped", limit: "tools.work", steps: max });
      }
    },
  );

  where("calls", "endRule")(
    "stop and refuse: where the host's own rule ends the run after calls, a refusal is not its answer",
    async () => {
      for (const onExhausted of ["stop", "refuse"] as const) {
        const model = ({ index }: SeenRequest): ModelReply => (index === 1 ? { calls: 2 } : { text: "done" });
        const limits: AdapterOptions = { tools: { work: { max: 0, onExhausted } } };
        const seen = await play({ limits, model, endsAfterCalls: true });
        assert.deepEqual(seen.executed, []);
        assert.equal(seen.orphans, 0);
        assert(!isLimitExceeded(seen.error), `an error of the limit: ${seen.error}`);
        assert.ok([undefined, "done"].includes(seen.answer), `the answer is: ${seen.answer}`);
        assertOutcomes(seen, { ...(onExhausted === "stop" && { kind: "stopped" }), intervened: true });
      }
    },
  );

  where("calls", "endRule")(
    "the host's own rule ends a run after calls as it does without limits",
    async () => {
      const limits: AdapterOptions = { tools: { work: 2 } };
      const seen = await play({ limits, model: twoAtOnce, endsAfterCalls: true });
      assert.equal(seen.executed.length, 2);
      assert.equal(seen.requests.length, 1);
      assert(!isLimitExceeded(seen.error), `an error of the limit: ${seen.error}`);
      assertOutcomes(seen, { steps: 2, intervened: false });
    },
  );

  where("steps", "synthesize")("synthesize: out of steps, one tools-free turn makes the answer", async () => {
    const seen = await play({
      limits: { steps: { max: 3, onExhausted: "synthesize" } },
      model: untilToolsAreGone(2),
    });
    assert.equal(seen.executed.length, 3);
    assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
    assert.equal(timesTold(seen.requests.at(-1), DEFAULT_SYNTHESIS_MESSAGE), 1);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.answer, "partial");
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "salvaged", limit: "steps", steps: 3, turns: 3 });
  });

  where("synthesize")("synthesize: out of turns, one tools-free turn makes the answer", async () => {
    for (const policy of [{ onExhausted: "synthesize" }, { headless: "synthesize" }] as const) {
      const seen = await play({ limits: { turns: { max: 2, ...policy } }, model: untilToolsAreGone() });
      assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
      assert.equal(timesTold(seen.requests.at(-1), DEFAULT_SYNTHESIS_MESSAGE), 1);
      assert.equal(seen.answer, "partial");
      assert.equal(seen.error, undefined);
      assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3 });
    }
  });

  where("steps", "synthesize")(
    "synthesize: out of steps, a model that insists on tools is stopped, without an error or a second pass",
    async () => {
      const seen = await play({
        limits: { steps: { max: 3, onExhausted: "synthesize" } },
        model: twoAtOnce,
      });
      assert.equal(seen.executed.length, 3);
      assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
      assert.equal(seen.orphans, 0);
      assert.equal(seen.error, undefined);
      assertOutcomes(seen, { kind: "stopped", limit: "steps", steps: 3, turns: 3 });
    },
  );

  where("synthesize")(
    "synthesize: out of turns, a model that insists on tools is stopped, without an error or a second pass",
    async () => {
      const seen = await play({ limits: { turns: { max: 2, onExhausted: "synthesize" } }, model: endless });
      assert.equal(seen.executed.length, 2);
      assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
      assert.equal(seen.orphans, 0);
      assert.equal(seen.error, undefined);
      assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
    },
  );

  where("steps")("refuse: out of steps, calls are refused and the run goes on", async () => {
    const model = ({ index }: SeenRequest): ModelReply => (index === 4 ? { text: "done" } : { calls: 2 });
    const seen = await play({ limits: { steps: { max: 3, onExhausted: "refuse" } }, model });
    assert.equal(seen.executed.length, 3);
    assert.equal(timesTold(seen.requests.at(-1), "Not run: the step limit is reached (3/3)"), 3);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.answer, "done");
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "completed", steps: 3, turns: 4, intervened: true });
  });

  where("calls")("refuse: a tool that was called too often is refused and the run goes on", async () => {
    const model = ({ index }: SeenRequest): ModelReply => (index === 3 ? { text: "done" } : { calls: 1 });
    const seen = await play({ limits: { tools: { work: 1 } }, model });
    assert.equal(seen.executed.length, 1);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.answer, "done");
    assertOutcomes(seen, { kind: "completed", steps: 1, turns: 3, intervened: true });
  });

  where("steps", "ask")("ask: out of steps, a person is asked before the next turn", async () => {
    const asked: string[] = [];
    const replies = [true, false];
    const ask: AdapterOptions["ask"] = ({ limit, used, max }) => {
      asked.push(`${limit} ${used}/${max}`);
      return replies.shift();
    };
    const seen = await play({ limits: { steps: { max: 3, onExhausted: "ask" }, ask }, model: twoAtOnce });
    assert.deepEqual(asked, ["steps 3/3", "steps 3/3"]);
    assert.equal(seen.executed.length, 6);
    assert.equal(seen.requests.length, 4);
    assert.equal(seen.orphans, 0);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "declined", limit: "steps", steps: 6 });
  });
}
