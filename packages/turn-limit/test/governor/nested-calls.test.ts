import { expect, test } from "vitest";
import type { Governor, StepDecision } from "../../src/index.ts";
import { callTool, prompted } from "../helpers/runs.ts";

test("calls nested in another are seen: each one too many is refused, however often it is tried", () => {
  const governor = prompted({ repeats: 3 });
  governor.beforeTurn();
  governor.beforeStep({ id: "outer", tool: "batch" });
  expect(nestedCalls(governor, 12)).toEqual([
    ...new Array(3).fill("proceed"),
    ...new Array(9).fill("refuse"),
  ]);
  governor.stepEnded({ id: "outer", result: "done" });
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("proceed");
  expect(callTool(governor, "poll").kind).toBe("refuse");
  expect(governor.view.stop).toMatchObject({ limit: "repeats", used: 3, max: 3 });
});

test("the same batch again and again, in which a call is refused, runs into the limit", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2 });
  for (let turn = 0; turn < 20 && !governor.view.stop; turn += 1) {
    governor.beforeTurn();
    if (governor.beforeStep({ id: "outer", tool: "batch" }).kind === "proceed") {
      nestedCalls(governor, 5);
      governor.stepEnded({ id: "outer", result: "done" });
    }
    governor.turnEnded();
  }
  expect(governor.view.stop).toMatchObject({ limit: "repeats" });
});

test("the same batch, with the same calls nested in it, is a repeat, too", () => {
  const governor = prompted({ repeats: 2 });
  const batches = [1, 2, 3].map(() => {
    governor.beforeTurn();
    const { kind } = governor.beforeStep({ id: "outer", tool: "batch" });
    if (kind === "proceed") {
      for (const tool of ["read", "write"]) {
        governor.beforeStep({ id: tool, tool });
        governor.stepEnded({ id: tool, result: "done" });
      }
      governor.stepEnded({ id: "outer", result: "done" });
    }
    governor.turnEnded();
    return kind;
  });
  expect(batches).toEqual(["proceed", "proceed", "refuse"]);
});

/** Calls of `poll` within a call that is under way, one after the other. */
function nestedCalls(governor: Governor, count: number): StepDecision["kind"][] {
  return Array.from({ length: count }, (_, index) => {
    const id = `nested ${index}`;
    const { kind } = governor.beforeStep({ id, tool: "poll", args: {} });
    if (kind === "proceed") governor.stepEnded({ id, result: "done" });
    return kind;
  });
}
