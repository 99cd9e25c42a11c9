import assert from "node:assert/strict";
import fc from "fast-check";
import { createGovernor, type Governor } from "../../src/index.ts";
import { Row } from "./Row.ts";

interface Call {
  call: string;
  result: string | undefined;
}

/** What a model can do that goes round in circles: a few calls, in turns, with few different results. */
export const anyTurns: fc.Arbitrary<Call[][]> = fc.array(
  fc.array(
    fc.record({
      call: fc.constantFrom("a", "a", "b", "c"),
      result: fc.constantFrom("x", "x", "x", "y", undefined),
    }),
    { maxLength: 4, size: "max" },
  ),
  { maxLength: 20, size: "max" },
);

/** What came of it. */
export const seen = { refused: 0, asked: 0, stopped: 0 };

/** Takes the turns, and compares each decision with what the row of calls says. A yes follows each question. */
export function takeTurns(max: number, onExhausted: "ask" | "stop", turns: Call[][]): void {
  const governor = createGovernor({ turns: "unlimited", repeats: { max, onExhausted }, canAsk: true });
  const row = new Row(max);
  governor.prompt();
  for (const calls of turns) {
    const { kind } = governor.beforeTurn();
    assert.equal(kind, row.exceeded ? "ask" : "proceed");
    if (kind === "ask") {
      seen.asked += 1;
      row.startOver();
      assert.equal(governor.answer(true).kind, "proceed");
    }
    row.turnBegins();
    if (!makeCalls(governor, row, calls, onExhausted)) return;
    governor.turnEnded();
  }
}

/** Makes the calls of a turn; their results come in the opposite order. Does the run go on? */
function makeCalls(governor: Governor, row: Row, calls: Call[], onExhausted: "ask" | "stop"): boolean {
  const running: (string | undefined)[] = [];
  for (const { call, result } of calls) {
    const decision = governor.beforeStep({ id: `${running.length}`, tool: "work", args: { call } });
    const covered = row.covers(call);
    assert.equal(decision.kind, covered ? "proceed" : "refuse", `${call} after ${running}`);
    if (covered) running.push(result);
    else
      assert.deepEqual(governor.standings.at(-1), { limit: "repeats", used: row.used, max: maxOf(governor) });
    if (!covered) seen.refused += 1;
    const isOver = row.exceeded && onExhausted === "stop";
    assert.equal(governor.status, isOver ? "ending" : "running");
    if (isOver) {
      seen.stopped += 1;
      return false;
    }
  }
  for (const [nth, result] of [...running.entries()].reverse()) {
    if (result === undefined) continue;
    governor.stepEnded({ id: `${nth}`, result });
    row.ended(nth, result);
  }
  return true;
}

function maxOf({ budgets: { repeats } }: Governor): unknown {
  return typeof repeats === "object" ? repeats.max : repeats;
}

/** How many calls run of a model that makes the same ones over and over again, one in each turn. */
export function callsThatRun(max: number, cycle: number, rounds: number): number {
  const governor = createGovernor({ turns: "unlimited", repeats: max });
  governor.prompt();
  for (let count = 0; count < cycle * rounds; count += 1) {
    governor.beforeTurn();
    if (governor.beforeStep({ tool: "work", args: count % cycle }).kind !== "proceed") return count;
    governor.stepEnded({ result: "the same" });
    governor.turnEnded();
  }
  return cycle * rounds;
}
