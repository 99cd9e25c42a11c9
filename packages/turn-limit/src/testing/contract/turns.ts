import { strict as assert } from "node:assert";
import { Meter } from "../../core/meter/meter.ts";
import { callId, type ModelReply, type SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt } from "./contract.ts";

/** Turns are counted exactly, and each prompt starts over. */
export function testTurns({ play, test, where }: Contract): void {
  test("a limit of 5 admits exactly 5 turns", async () => {
    const seen = await play({ limits: { turns: 5 }, model: endless });
    assert.equal(seen.requests.length, 5);
    assert.equal(seen.executed.length, 5);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 5, steps: 5, intervened: true });
  });

  test("a limit of 0 admits none, and unlimited does not end a run", async () => {
    const none = await play({ limits: { turns: 0 }, model: endless });
    assert.equal(none.requests.length, 0);
    assertOutcomes(none, { kind: "stopped", limit: "turns", turns: 0 });
    const many = await play({ limits: { turns: "unlimited" }, model: endsAt(40) });
    assert.equal(many.requests.length, 40);
    assertOutcomes(many, { kind: "completed", turns: 40 });
  });

  test("finishing on the last turn is no hit", async () => {
    const seen = await play({ limits: { turns: 5 }, model: endsAt(5) });
    assert.equal(seen.requests.length, 5);
    assert.equal(seen.answer, "done");
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "completed", turns: 5, intervened: false });
  });

  test("a second run starts fresh", async () => {
    const model = ({ index }: SeenRequest): ModelReply => (index % 3 === 0 ? { text: "done" } : { calls: 1 });
    const seen = await play({ limits: { turns: 3 }, model, prompts: 2 });
    assert.equal(seen.requests.length, 6);
    assertOutcomes(seen, { kind: "completed", turns: 3 }, { kind: "completed", turns: 3 });
  });

  test("a run after a stopped one starts fresh", async () => {
    const seen = await play({ limits: { turns: 2 }, model: endless, prompts: 2 });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "stopped", turns: 2 }, { kind: "stopped", turns: 2 });
  });

  where("usage")("what the answers took is in the outcome", async () => {
    const { outcomes } = await play({ limits: { turns: 5 }, model: endsAt(3) });
    const { input = 0, output = 0 } = outcomes[0]?.usage ?? {};
    assert(input > 0);
    assert(output > 0);
  });

  where("abort")("an aborted run takes no further turn", async () => {
    const abort = new AbortController();
    const seen = await play({
      limits: { turns: 9 },
      model: endless,
      signal: abort.signal,
      onExecute: (id) => {
        if (id === callId(2, 1)) abort.abort();
      },
    });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "aborted" });
  });

  where("retries")("a request that fails and is retried is one turn", async () => {
    const model = ({ index }: SeenRequest): ModelReply =>
      index === 2 || index === 3 ? { fails: true } : { calls: 1 };
    const seen = await play({ limits: { turns: 3 }, model });
    assert.equal(seen.executed.length, 3);
    assert.equal(seen.requests.length, 5);
    assertOutcomes(seen, { kind: "stopped", turns: 3 });
  });

  where("selfCheck")(
    "a turn counter that is broken is noticed before a request is sent too many",
    async () => {
      const seen = await withBrokenTurnCounter(() => play({ limits: { turns: 3 }, model: endless }));
      assert.equal(seen.requests.length, 3);
      assertOutcomes(seen, { kind: "limit-overrun", limit: "turns" });
    },
  );
}

async function withBrokenTurnCounter<Result>(work: () => Promise<Result>): Promise<Result> {
  const { turn } = Meter.prototype;
  Meter.prototype.turn = () => true;
  try {
    return await work();
  } finally {
    Meter.prototype.turn = turn;
  }
}
