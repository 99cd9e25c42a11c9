import { strict as assert } from "node:assert";
import { anyOf } from "../../core/limits/limit.ts";
import type { AdapterOptions } from "../../run/options.ts";
import {
  assertOutcomes,
  type Contract,
  endless,
  endsAt,
  toolsOffered,
  untilToolsAreGone,
} from "./contract.ts";

const price = () => 0.1;

/** Limits of tokens and of cost, and custom limits. */
export function testSpending({ host, play, where }: Contract): void {
  /** What one answer of the host's scripted model takes. */
  async function oneAnswer(): Promise<{ tokens: number; cost: number }> {
    const { outcomes } = await play({ limits: { turns: 1, price }, model: endless });
    const { input = 0, output = 0, cost = 0 } = outcomes[0]?.usage ?? {};
    return { tokens: input + output, cost };
  }

  where("spending")("a token limit that is used up stops the next request", async () => {
    const { tokens } = await oneAnswer();
    const seen = await play({ limits: { tokens: tokens * 3 }, model: endless });
    assert.equal(seen.requests.length, 3);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "tokens", turns: 3 });
  });

  where("spending")("a token limit that is not yet used up stops nothing", async () => {
    const { tokens } = await oneAnswer();
    const seen = await play({ limits: { tokens: tokens * 3 + 1 }, model: endless });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "stopped", limit: "tokens", turns: 4 });
  });

  where("spending", "synthesize")(
    "with a reserve, the answer without tools is made before the limit",
    async () => {
      const { tokens } = await oneAnswer();
      const budget = { max: tokens * 3, reserve: tokens, onExhausted: "synthesize" } as const;
      const seen = await play({ limits: { tokens: budget }, model: untilToolsAreGone() });
      assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
      assert.equal(seen.answer, "partial");
      assertOutcomes(seen, { kind: "salvaged", limit: "tokens" });
    },
  );

  where("spending")("a cost limit that is used up stops the next request", async () => {
    const { cost } = await oneAnswer();
    assert(cost > 0);
    const max = Number((cost * 3).toFixed(9));
    const seen = await play({ limits: { cost: max, price }, model: endless });
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "cost", turns: 3 });
  });

  where("spending")("limits of one's own combine with the others", async () => {
    const answers = { name: "answers", max: 2, used: ({ turns }: { turns: number }) => turns };
    const steps = { name: "work", max: 9, used: ({ steps }: { steps: number }) => steps };
    const seen = await play({ limits: { turns: 5, limits: [anyOf([steps, answers])] }, model: endless });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "stopped", limit: "answers" });
  });

  for (const usage of ["zero", "none"] as const) {
    const reports = usage === "zero" ? "that its answers took 0 tokens" : "nothing of what its answers took";

    where("spending")(
      `a model that reports ${reports} is said once, however many answers it gives`,
      async () => {
        for (const answers of [1, 3]) {
          const warnings: string[] = [];
          const onWarning = (message: string) => warnings.push(message);
          const seen = await play({ limits: { tokens: 1_000, onWarning }, model: endsAt(answers), usage });
          assert.equal(seen.requests.length, answers);
          assert.equal(warnings.length, 1);
          assert.match(`${warnings}`, /Nothing was reported/);
          assertOutcomes(seen, { kind: "completed" });
        }
      },
    );

    where("spending")(`a model that reports ${reports} has no price, whatever its price is`, async () => {
      const limits: AdapterOptions = { cost: { max: 5, unpriced: "stop" }, price, onWarning: () => {} };
      const seen = await play({ limits, model: endless, usage });
      assert.equal(seen.requests.length, 1);
      assertOutcomes(seen, { kind: "stopped", limit: "cost", turns: 1, unpriced: true });
    });
  }

  // A host that knows every price has no model without one.
  if (host.prices) return;

  where("spending")("a model without a price is said once, and the run goes on", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const seen = await play({ limits: { turns: 3, cost: 5, onWarning }, model: endless });
    assert.equal(seen.requests.length, 3);
    assert.equal(warnings.length, 1);
    assert.match(`${warnings}`, /no price/);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", unpriced: true });
  });

  where("spending")("a model without a price can be a reason to stop", async () => {
    const limits: AdapterOptions = { cost: { max: 5, unpriced: "stop" }, onWarning: () => {} };
    const seen = await play({ limits, model: endless });
    assert.equal(seen.requests.length, 1);
    assertOutcomes(seen, { kind: "stopped", limit: "cost", turns: 1 });
  });
}
