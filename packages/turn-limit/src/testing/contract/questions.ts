import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunControl } from "../../run/run.ts";
import { assertOutcomes, type Contract, endless } from "./contract.ts";

/** A person is asked at the boundary. */
export function testQuestions({ host, play, test, where }: Contract): void {
  where("ask")("a yes gives another round, a no ends the run", async () => {
    const asked: number[] = [];
    const replies = [true, true, false];
    const ask: AdapterOptions["ask"] = ({ used }) => {
      asked.push(used);
      return replies.shift();
    };
    const seen = await play({ limits: { turns: 3, ask }, model: endless });
    assert.deepEqual(asked, [3, 3, 3]);
    assert.equal(seen.requests.length, 9);
    assertOutcomes(seen, { kind: "declined", limit: "turns", turns: 9, rounds: 3 });
  });

  where("ask")("a question that fails is a no", async () => {
    const ask = () => Promise.reject(new Error("no screen"));
    const seen = await play({ limits: { turns: 2, ask }, model: endless });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "declined" });
  });

  where("ask", "abort")("a run aborted while the question is open was aborted, not declined", async () => {
    const abort = new AbortController();
    const ask = () => {
      abort.abort();
      return new Promise<boolean>(() => {});
    };
    const seen = await play({ limits: { turns: 2, ask }, model: endless, signal: abort.signal });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "aborted" });
  });

  where("ask", "configure")(
    "a limit that is raised during the question withdraws it, and the held turn begins",
    async () => {
      let control: RunControl | undefined;
      const asked: { max: unknown; signal: AbortSignal }[] = [];
      const ask: AdapterOptions["ask"] = async ({ max }, signal) => {
        asked.push({ max, signal });
        if (asked.length > 1) return false;
        await setImmediate();
        control?.configure({ ...control.view.settings, turns: 4 });
        return new Promise(() => {});
      };
      const onControl = (given: RunControl) => {
        control = given;
      };
      const seen = await play({ limits: { turns: 2, ask }, model: endless, onControl });
      assert.deepEqual(
        asked.map(({ max }) => max),
        [2, 4],
      );
      assert.equal(asked[0]?.signal.aborted, true);
      assert.equal(seen.requests.length, 4);
      assertOutcomes(seen, { kind: "declined", limit: "turns", turns: 4, rounds: 1 });
    },
  );

  const { turnsAtOnce } = host;
  if (!turnsAtOnce) return;

  test("of ten turns wanted at once, a yes lets exactly one begin, and each is counted", async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      await setImmediate();
      return asked < 4;
    };
    const { begun, outcome } = await turnsAtOnce({ turns: 1, ask }, 10);
    assert.equal(asked, 4);
    assert.equal(begun, 4);
    assertOutcomes({ outcomes: [outcome] }, { kind: "declined", limit: "turns", turns: 4, rounds: 4 });
  });
}
