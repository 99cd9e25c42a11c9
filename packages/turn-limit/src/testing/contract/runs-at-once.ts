import { strict as assert } from "node:assert";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunInfo } from "../../run/run-info.ts";
import { type Contract, endless } from "./contract.ts";

/** Runs that are under way at the same time are told apart. */
export function testRunsAtOnce({ host, where }: Contract): void {
  where("runsAtOnce", "ask")("whoever is asked or told of the end knows which run it is", async () => {
    const contexts = [{ name: "first" }, { name: "second" }];
    const asked: RunInfo[] = [];
    const ended: { outcome: Outcome; run: RunInfo }[] = [];
    const ask: AdapterOptions["ask"] = (_question, _signal, run) => {
      asked.push(run);
      // The second run gets one more round.
      return run.context === contexts[1] && asked.filter(({ id }) => id === run.id).length === 1;
    };
    const limits: AdapterOptions = {
      turns: 2,
      ask,
      onOutcome: (outcome, run) => void ended.push({ outcome, run }),
    };
    const outcomes = await host.playAtOnce?.({ limits, model: endless }, contexts);

    const turnsOf = (context: unknown) => ended.find(({ run }) => run.context === context)?.outcome.turns;
    assert.deepEqual(contexts.map(turnsOf), [2, 4]);
    assert.deepEqual(
      outcomes?.map((outcome) => outcome?.turns),
      [2, 4],
    );
    const idsAsked = new Set(asked.map(({ id }) => id));
    assert.deepEqual(new Set(ended.map(({ run }) => run.id)), idsAsked);
    assert.equal(idsAsked.size, 2);
  });
}
