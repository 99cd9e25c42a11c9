import { strict as assert } from "node:assert";
import { setTimeout } from "node:timers/promises";
import { addUsage, type Usage } from "../../core/meter/usage.ts";
import type { RunObserver } from "../../run/observer.ts";
import { assertOutcomes, type Contract, endless, endsAt } from "./contract.ts";

/** An observer is told of every turn and call, and of nothing else. */
export function testObserving({ play, test, where }: Contract): void {
  test("an observer is told of each turn and each call as it begins and as it ends", async () => {
    const { observe, told } = observer();
    const seen = await play({ limits: { turns: 10, observe }, model: endsAt(3) });
    assert.equal(seen.requests.length, 3);
    assert.equal(count(told, "turnBegan"), 3);
    assert.equal(count(told, "turnEnded"), 3);
    assert.equal(count(told, "callBegan"), seen.outcomes[0]?.steps);
    assert.equal(count(told, "callEnded"), seen.outcomes[0]?.steps);
    assert.equal(told[0], "runBegan");
    assert.equal(told.at(-1), "runEnded");
    assertOutcomes(seen, { kind: "completed", turns: 3 });
  });

  where("usage")("an observer is told of all that a run used, once", async () => {
    const used: Usage[] = [];
    const observe: RunObserver = {
      turnEnded: (_turn, { usage }) => void (usage && used.push(usage)),
      spent: (usage) => void used.push(usage),
    };
    const seen = await play({ limits: { turns: 10, observe }, model: endsAt(3) });
    const { cost: _, ...total } = used.reduce(addUsage, { input: 0, output: 0 });
    const { cost: __, ...counted } = seen.outcomes[0]?.usage ?? { input: 0, output: 0 };
    assert.deepEqual(total, counted);
    assert(total.output > 0);
  });

  test("a turn has ended when its answer is there, and not with its calls", async () => {
    let [ended, looks] = [0, 0];
    const turns: number[] = [];
    const observe: RunObserver = {
      turnEnded() {
        ended += 1;
      },
    };
    const onExecute = async () => {
      for (; ended === turns.length && looks < MOST_LOOKS; looks += 1) await setTimeout(1);
      turns.push(ended);
    };
    await play({ limits: { turns: 10, observe }, model: endsAt(3), onExecute });
    assert.deepEqual(turns, [1, 2]);
  });

  test("an observer that throws everywhere changes nothing", async () => {
    const fails = () => {
      throw new Error("no disk");
    };
    const observe = {
      runBegan: fails,
      turnBegan: fails,
      turnEnded: fails,
      spent: fails,
      callBegan: fails,
      callEnded: fails,
      runEnded: fails,
    };
    const onWarning = () => {};
    const seen = await play({ limits: { turns: 2, observe, onWarning }, model: endless });
    assert.equal(seen.requests.length, 2);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 2 });
  });
}

const MOST_LOOKS = 10_000;

function observer(): { observe: RunObserver; told: string[] } {
  const told: string[] = [];
  const observe: RunObserver = {
    runBegan: () => void told.push("runBegan"),
    turnBegan: () => void told.push("turnBegan"),
    turnEnded: () => void told.push("turnEnded"),
    callBegan: () => void told.push("callBegan"),
    callEnded: () => void told.push("callEnded"),
    runEnded: () => void told.push("runEnded"),
  };
  return { observe, told };
}

function count(told: readonly string[], event: string): number {
  return told.filter((name) => name === event).length;
}
