import { strict as assert } from "node:assert";
import type { ModelReply, Observed, Scenario, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract } from "./contract.ts";

const ANSWER = "partial";
const SUBMITS = { calls: 0, submits: ANSWER };
const SYNTHESIZE = { max: 2, onExhausted: "synthesize" } as const;
const finalTool = "submit";

/** Works while it can, and answers in the last turn as it is told. */
const inTheLastTurn =
  (reply: ModelReply) =>
  ({ tools }: SeenRequest): ModelReply =>
    tools.includes("work") ? { calls: 1 } : reply;

/** Works, and submits with its n-th answer. If it is asked again, it has nothing more to say. */
const submitsAt =
  (n: number) =>
  ({ index }: SeenRequest): ModelReply =>
    index < n ? { calls: 1 } : index === n ? SUBMITS : { text: "done" };

/** The tool that the limits name is the way in which the agent answers: it is offered to the end, and its call is no step. */
export function testFinalTool({ play, where }: Contract): void {
  const given = (scenario: Omit<Scenario, "streaming">): Promise<Observed> =>
    play({ onSubmit: () => {}, ...scenario });

  where("finalTool", "synthesize")(
    "in the last turn the final tool is offered alone, and its call is the answer",
    async () => {
      const warnings: string[] = [];
      const onWarning = (message: string) => void warnings.push(message);
      const limits = { turns: SYNTHESIZE, finalTool, onWarning };
      const seen = await given({ limits, model: inTheLastTurn(SUBMITS) });
      assert.deepEqual(warnings, []);
      const offered = seen.requests.map(({ tools }) => [...tools].sort());
      assert.deepEqual(offered, [["submit", "work"], ["submit", "work"], ["submit"]]);
      assert.deepEqual([seen.executed.length, seen.submitted], [2, [ANSWER]]);
      assert.equal(seen.orphans, 0);
      assert.equal(seen.error, undefined);
      assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3, steps: 2 });
    },
  );

  where(
    "finalTool",
    "synthesize",
    "forcedTool",
  )("there, and only there, the model is made to call it", async () => {
    const seen = await given({ limits: { turns: SYNTHESIZE, finalTool }, model: inTheLastTurn(SUBMITS) });
    assert.deepEqual(
      seen.requests.map(({ forced }) => forced),
      [undefined, undefined, "submit"],
    );
  });

  where(
    "finalTool",
    "synthesize",
    "steps",
  )("it is called although no step is left", async () => {
    const model = ({ tools }: SeenRequest): ModelReply => (tools.includes("work") ? { calls: 3 } : SUBMITS);
    const seen = await given({ limits: { steps: SYNTHESIZE, finalTool }, model });
    assert.deepEqual([seen.requests.length, seen.executed.length, seen.submitted], [2, 2, [ANSWER]]);
    assertOutcomes(seen, { kind: "salvaged", limit: "steps", turns: 2, steps: 2 });
  });

  where("finalTool", "synthesize")("it can be answered there with a text, too", async () => {
    const seen = await given({
      limits: { turns: SYNTHESIZE, finalTool },
      model: inTheLastTurn({ text: ANSWER }),
    });
    assert.deepEqual([seen.requests.length, seen.submitted, seen.answer], [3, [], ANSWER]);
    assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3 });
  });

  where("finalTool", "synthesize")("any other call there is stopped", async () => {
    const seen = await given({ limits: { turns: SYNTHESIZE, finalTool }, model: () => ({ calls: 1 }) });
    assert.deepEqual([seen.requests.length, seen.executed.length, seen.submitted], [3, 2, []]);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3, steps: 2 });
  });

  where("finalTool", "synthesize")("a call beside it is not run, and nothing is asked again", async () => {
    const model = inTheLastTurn({ calls: 1, submits: ANSWER });
    const seen = await given({ limits: { turns: SYNTHESIZE, finalTool }, model });
    assert.deepEqual([seen.requests.length, seen.executed.length, seen.submitted], [3, 2, [ANSWER]]);
    assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 3, steps: 2 });
  });

  where("finalTool", "synthesize")(
    "a call of it that fails is no answer, and is not asked for again",
    async () => {
      const onSubmit = () => {
        throw new Error("not accepted");
      };
      const model = inTheLastTurn(SUBMITS);
      const seen = await given({ limits: { turns: SYNTHESIZE, finalTool }, model, onSubmit });
      assert.equal(seen.requests.length, 3);
      assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3, steps: 2 });
    },
  );

  where(
    "finalTool",
    "wrapUp",
    "ask",
  )("a model that is told to wrap up can do so by calling it", async () => {
    let questions = 0;
    const ask = () => {
      questions += 1;
      return false;
    };
    const seen = await given({
      limits: { turns: { max: 3, grace: 1 }, finalTool, ask },
      model: submitsAt(3),
    });
    assert.deepEqual([seen.requests.length, seen.submitted, questions], [3, [ANSWER], 0]);
    assertOutcomes(seen, { kind: "wrapped-up", turns: 3, steps: 2 });
  });

  where("finalTool")("an answer with the last turn that there is ends the run as completed", async () => {
    const seen = await given({ limits: { turns: 3, finalTool }, model: submitsAt(3) });
    assert.deepEqual([seen.requests.length, seen.submitted], [3, [ANSWER]]);
    assertOutcomes(seen, { kind: "completed", turns: 3, steps: 2, intervened: false });
  });

  where("finalTool", "steps")("its call is no step", async () => {
    const seen = await given({ limits: { steps: 2, finalTool }, model: submitsAt(3) });
    assert.deepEqual([seen.executed.length, seen.submitted], [2, [ANSWER]]);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "completed", steps: 2, intervened: false });
  });
}
