import { expect, test } from "vitest";
import type { Governor } from "../../src/index.ts";
import { callTool, prompted, takeTurns } from "../helpers/runs.ts";

const LOSSES: [string, (governor: Governor) => void][] = [
  ["failed", (governor) => governor.turnEnded("failed")],
  [
    "was discarded",
    (governor) => {
      governor.turnEnded();
      governor.turnDiscarded();
    },
  ],
];

/** A governor that lets a call be made twice in a row, where one was made, with its second turn under way. */
function calledOnce(): Governor {
  const governor = prompted({ repeats: 2, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "poll");
  governor.turnEnded();
  governor.beforeTurn();
  return governor;
}

test.each(LOSSES)(
  "calls of an answer that %s do not count as repeats [LostAnswerLeavesTheRow]",
  (_how, lose) => {
    const governor = calledOnce();
    expect(callTool(governor, "poll").kind).toBe("proceed");
    lose(governor);
    governor.beforeTurn();
    expect(callTool(governor, "poll").kind).toBe("proceed");
    expect(callTool(governor, "poll")).toMatchObject({ kind: "refuse", limit: "repeats", used: 2 });
  },
);

test.each(LOSSES)(
  "what was refused in an answer that %s was not told to the model [LostAnswerLeavesTheRow] [RepeatRefused]",
  (_how, lose) => {
    const governor = calledOnce();
    callTool(governor, "poll");
    governor.turnEnded();
    governor.beforeTurn();
    expect(callTool(governor, "poll").kind).toBe("refuse");
    lose(governor);
    takeTurns(governor, 1);
    governor.beforeTurn();
    expect(callTool(governor, "poll").kind).toBe("refuse");
    governor.turnEnded();
    expect(governor.beforeTurn().kind).toBe("proceed");
    expect(callTool(governor, "poll").kind).toBe("refuse");
    governor.turnEnded();
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "repeats" });
  },
);
