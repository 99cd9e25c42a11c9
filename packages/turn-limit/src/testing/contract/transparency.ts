import { strict as assert } from "node:assert";
import type { AdapterOptions } from "../../run/options.ts";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { type Contract, endsAt } from "./contract.ts";

const failsOnce = (request: SeenRequest): ModelReply =>
  request.index === 2 ? { fails: true } : endsAt(4)(request);

const unreached: AdapterOptions = {
  turns: { max: 100, grace: 1 },
  steps: 100,
  tokens: 1_000_000,
  tools: { work: 50 },
  repeats: 50,
};

/** While no limit is reached, a governed run is the run. */
export function testTransparency({ play, where }: Contract): void {
  const seenBy = async (scenario: Parameters<typeof play>[0]) => {
    const { outcomes: _, ...seen } = await play(scenario);
    return { ...seen, error: seen.error === undefined ? undefined : String(seen.error) };
  };

  for (const [what, model] of [
    ["a run", endsAt(3)],
    [
      "a run with several calls at once",
      ({ index }: SeenRequest) => (index > 2 ? { text: "done" } : { calls: 3 }),
    ],
    ["a run whose request is retried", failsOnce],
    ["a run whose requests all fail", () => ({ fails: true }) as const],
  ] as const) {
    where("transparent")(`${what} is the same with limits that are not reached`, async () => {
      const alone = await seenBy({ limits: {}, model, ungoverned: true });
      assert.deepEqual(await seenBy({ limits: unreached, model }), alone);
    });
  }

  where("transparent")("an error of a tool goes the way that it goes without limits", async () => {
    const onExecute = () => {
      throw new Error("the tool failed");
    };
    const alone = await seenBy({ limits: {}, model: endsAt(3), onExecute, ungoverned: true });
    assert.deepEqual(await seenBy({ limits: unreached, model: endsAt(3), onExecute }), alone);
  });
}
