import { expect, test } from "vitest";
import {
  createGovernor,
  DEFAULT_SYNTHESIS_MESSAGE,
  type Governor,
  type StepDecision,
} from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { callTool, change, prompted, takeTurns, used, whyRefused } from "../helpers/runs.ts";

const SAME_AGAIN =
  "Not run: this call was made 3 times in a row with the same result. It will not change. Try something else, or answer.";

test("the same call with the same result is made 3 times, then refused, then the run ends", () => {
  const governor = prompted({ repeats: 3 });
  expect(turnsCalling(governor, "poll", 4)).toEqual(["proceed", "proceed", "proceed", "refuse"]);
  expect(governor.view.status).toBe("running");
  expect(turnsCalling(governor, "poll", 1)).toEqual(["refuse"]);
  expect(governor.beforeTurn()).toEqual({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("repeats"),
    used: 3,
    max: 3,
  });
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("repeats"), turns: 5, steps: 3 });
});

test("the first refused call tells the model that the result will not change", () => {
  const governor = prompted({ repeats: 3 });
  turnsCalling(governor, "poll", 3);
  governor.beforeTurn();
  expect(callTool(governor, "poll")).toEqual({
    kind: "refuse",
    ...named("repeats"),
    used: 3,
    max: 3,
    reason: SAME_AGAIN,
  });
});

test("with a limit of 1 the model is told that it made the call already", () => {
  const governor = prompted({ repeats: 1 });
  turnsCalling(governor, "poll", 1);
  expect(callTool(governor, "poll")).toMatchObject({ reason: expect.stringContaining("made already with") });
});

test("a model that does something else after it was told has not run into the limit", () => {
  const governor = prompted({ repeats: 3 });
  turnsCalling(governor, "poll", 4);
  turnsCalling(governor, "read", 1);
  expect(turnsCalling(governor, "poll", 4)).toEqual(["proceed", "proceed", "proceed", "refuse"]);
  turnsCalling(governor, "read", 1);
  expect(takeTurns(governor, 3)).toBe(3);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: true });
});

test("several such calls in one batch are all only refused: the model has not read the reason yet", () => {
  const governor = prompted({ repeats: 3 });
  turnsCalling(governor, "poll", 3);
  governor.beforeTurn();
  for (let call = 0; call < 3; call += 1)
    expect(callTool(governor, "poll")).toMatchObject({ kind: "refuse", used: 3, reason: SAME_AGAIN });
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("proceed");
  expect(callTool(governor, "poll").kind).toBe("refuse");
  expect(governor.view.status).toBe("ending");
});

test("a model that only thinks in between and then calls again was told all the same", () => {
  const governor = prompted({ repeats: 2 });
  turnsCalling(governor, "poll", 3);
  takeTurns(governor, 2);
  callTool(governor, "poll");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "repeats" });
});

test("another result starts the row over", () => {
  const governor = prompted({ turns: "unlimited", repeats: 3 });
  const results = ["waiting", "waiting", "ready", "waiting", "waiting", "ready", "ready"];
  for (const result of results) expect(turnCalling(governor, "poll", { result })).toBe("proceed");
  expect(turnCalling(governor, "poll", { result: "ready" })).toBe("proceed");
  expect(turnCalling(governor, "poll", { result: "ready" })).toBe("refuse");
});

test("another tool, or other arguments, start the row over", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2 });
  const calls = [
    ["poll", { id: 1 }],
    ["poll", { id: 1 }],
    ["poll", { id: 2 }],
    ["poll", { id: 1 }],
    ["read", { id: 1 }],
    ["read", { id: 1 }],
    ["poll", { id: 3 }],
  ] as const;
  for (const [tool, args] of calls) expect(turnCalling(governor, tool, { args })).toBe("proceed");
});

test("arguments are the same whatever the order of their keys", () => {
  const governor = prompted({ repeats: 2 });
  turnCalling(governor, "read", { args: { path: "a", range: { from: 1, to: 2 } } });
  turnCalling(governor, "read", { args: { range: { to: 2, from: 1 }, path: "a" } });
  expect(turnCalling(governor, "read", { args: { path: "a", range: { from: 1, to: 2 } } })).toBe("refuse");
});

test.each([2, 3, 5, 16])(
  "%i different calls in turn, each with the same result, are a loop too",
  (length) => {
    const governor = prompted({ turns: "unlimited", repeats: 3 });
    const cycle = () => Array.from({ length }, (_, index) => turnCalling(governor, `tool ${index}`));
    const all = (kind: string) => new Array(length).fill(kind);
    expect([cycle(), cycle(), cycle()]).toEqual([all("proceed"), all("proceed"), all("proceed")]);
    expect(turnCalling(governor, "tool 0")).toBe("refuse");
    expect(turnCalling(governor, "tool 1")).toBe("refuse");
    expect(governor.view.stop).toMatchObject({ ...named("repeats"), used: 3 });
  },
);

test("17 different calls in turn are not seen as a loop", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2 });
  for (let call = 0; call < 17 * 4; call += 1)
    expect(turnCalling(governor, `tool ${call % 17}`)).toBe("proceed");
});

test("a loop of which one result changes is none", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2 });
  for (let round = 0; round < 5; round += 1) {
    expect(turnCalling(governor, "edit", { result: round })).toBe("proceed");
    expect(turnCalling(governor, "test", { result: "failed" })).toBe("proceed");
  }
});

test("calls made at once count in the order in which the model made them, whatever order their results come in", () => {
  const governor = prompted({ repeats: 2 });
  for (let turn = 0; turn < 2; turn += 1) {
    governor.beforeTurn();
    governor.beforeStep({ id: "1", tool: "one" });
    governor.beforeStep({ id: "2", tool: "other" });
    governor.stepEnded({ id: "2", result: "b" });
    governor.stepEnded({ id: "1", result: "a" });
    governor.turnEnded();
  }
  governor.beforeTurn();
  expect(governor.beforeStep({ id: "1", tool: "one" }).kind).toBe("refuse");
  expect(governor.beforeStep({ id: "2", tool: "other" }).kind).toBe("refuse");
});

test("calls made at once run, for their results are not known yet; the next one is refused", () => {
  const governor = prompted({ repeats: 2 });
  governor.beforeTurn();
  for (const id of ["1", "2", "3", "4"])
    expect(governor.beforeStep({ id, tool: "poll" }).kind).toBe("proceed");
  for (const id of ["4", "2", "1", "3"]) governor.stepEnded({ id, result: "same" });
  governor.turnEnded();
  governor.beforeTurn();
  expect(governor.beforeStep({ tool: "poll" })).toMatchObject({ kind: "refuse", used: 4, max: 2 });
});

test("another call made at once with it, and before it, starts the row over", () => {
  const governor = prompted({ repeats: 2 });
  turnsCalling(governor, "test", 2);
  governor.beforeTurn();
  expect(governor.beforeStep({ id: "1", tool: "edit", args: {} }).kind).toBe("proceed");
  expect(governor.beforeStep({ id: "2", tool: "test", args: {} }).kind).toBe("proceed");
  governor.stepEnded({ id: "2", result: "done" });
  governor.stepEnded({ id: "1", result: "done" });
  expect(turnsCalling(governor, "test", 2)).toEqual(["proceed", "refuse"]);
});

test("a call without a result is like no other", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2 });
  for (let turn = 0; turn < 6; turn += 1) {
    governor.beforeTurn();
    expect(governor.beforeStep({ tool: "poll" }).kind).toBe("proceed");
    if (turn % 2) governor.stepEnded({ result: "same" });
    governor.turnEnded();
  }
});

test("a call that cannot be compared is like no other, and one of which nobody says what it is is an error", () => {
  const governor = prompted({ turns: "unlimited", repeats: 1 });
  expect(() => governor.beforeStep()).toThrow("need the call");
  for (let turn = 0; turn < 3; turn += 1) {
    expect(turnCalling(governor, "poll", { args: { id: 1n } })).toBe("proceed");
  }
});

test.each(["constructor", "__proto__"])("a tool may be called %s", (tool) => {
  const governor = prompted({ repeats: 2 });
  expect(turnsCalling(governor, tool, 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a person is asked before the next turn, and a yes starts the row over", () => {
  const governor = prompted({ repeats: 2, canAsk: true });
  expect(turnsCalling(governor, "poll", 4)).toEqual(["proceed", "proceed", "refuse", "refuse"]);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("repeats"), used: 2, max: 2 });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "repeats")).toBe(0);
  expect(callTool(governor, "poll").kind).toBe("proceed");
  governor.turnEnded();
  expect(turnsCalling(governor, "poll", 3)).toEqual(["proceed", "refuse", "refuse"]);
  expect(governor.beforeTurn().kind).toBe("ask");
});

test.each([
  { repeats: { max: 1, headless: "synthesize" } },
  { repeats: { max: 1, onExhausted: "synthesize" }, canAsk: true },
] as const)("with %j, the call after that makes the answer without tools due", (options) => {
  const governor = prompted(options);
  expect(turnsCalling(governor, "poll", 3)).toEqual(["proceed", "refuse", "synthesize"]);
  expect(governor.beforeTurn()).toMatchObject({
    kind: "synthesize",
    ...named("repeats"),
    message: DEFAULT_SYNTHESIS_MESSAGE,
  });
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", limit: "repeats" });
});

test("a prompt starts the row over, a program that goes on does not", () => {
  const governor = prompted({ repeats: 2 });
  turnsCalling(governor, "poll", 2);
  governor.settled();
  expect(turnsCalling(governor, "poll", 1)).toEqual(["refuse"]);
  governor.settled();
  governor.prompt();
  expect(turnsCalling(governor, "poll", 3)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a limit raised after the model was told admits the rest, and tells it again first", () => {
  const governor = prompted({ turns: "unlimited", repeats: 2, canAsk: true });
  turnsCalling(governor, "poll", 4);
  change(governor, { repeats: { max: 3, onExhausted: "stop" } });
  expect(turnsCalling(governor, "poll", 2)).toEqual(["proceed", "refuse"]);
  expect(governor.view.status).toBe("running");
  turnsCalling(governor, "poll", 1);
  expect(governor.view.stop).toMatchObject({ ...named("repeats"), used: 3, max: 3 });
});

test("without a limit the same call is made as often as the model likes", () => {
  const governor = prompted({ turns: "unlimited", repeats: "unlimited" });
  expect(turnsCalling(governor, "poll", 50)).not.toContain("refuse");
  expect(governor.view.standings.map(({ limit }) => limit)).toEqual(["turns"]);
});

test.each<[unknown, string]>([
  [0, "repeats.max"],
  [-1, "repeats.max"],
  [1.5, "repeats.max"],
  ["3", "repeats.max"],
  [null, "repeats"],
  [[3], "repeats"],
  [{ max: 3, onExhausted: "explode" }, "repeats.onExhausted"],
  [{ max: 3, reserve: 1 }, "repeats.reserve"],
  [{ max: 3, headless: "ask" }, "repeats.headless"],
])(
  "a limit of repeats of %j is refused by the name of what is wrong with it, and changes nothing",
  (repeats, setting) => {
    const governor = prompted({ repeats: 7 });
    turnsCalling(governor, "poll", 2);
    const before = governor.state;
    expect(whyRefused(() => createGovernor({ repeats: repeats as number }))).toMatchObject({ setting });
    const settings = { cost: 1, repeats: repeats as number };
    expect(whyRefused(() => governor.configure(settings))).toMatchObject({ setting });
    expect(governor.state).toEqual(before);
  },
);

/** A turn in which the model makes one call, which has its result at once if it may run. */
function turnCalling(
  governor: Governor,
  tool: string,
  details?: { args?: unknown; result?: unknown },
): StepDecision["kind"] {
  governor.beforeTurn();
  const { kind } = callTool(governor, tool, details);
  governor.turnEnded();
  return kind;
}

function turnsCalling(governor: Governor, tool: string, count: number): StepDecision["kind"][] {
  return Array.from({ length: count }, () => turnCalling(governor, tool));
}

test("an answer that is thrown away tells the model nothing of what was refused in it [LostAnswerLeavesTheRow]", () => {
  const governor = prompted({ repeats: 1, canAsk: true });
  const call = { id: "1", tool: "read", args: { path: "a" } };
  governor.beforeTurn();
  governor.beforeStep(call);
  governor.stepEnded({ id: "1", result: "same" });
  governor.turnEnded();
  governor.beforeTurn();
  governor.turnEnded();
  expect(governor.beforeStep({ ...call, id: "2" }).kind).toBe("refuse");
  governor.turnDiscarded();
  governor.beforeTurn();
  governor.turnEnded();
  expect(governor.beforeStep({ ...call, id: "3" }).kind).toBe("refuse");
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test.each<["failed" | "discarded"]>([["failed"], ["discarded"]])(
  "calls of an answer that %s are not in the row, and do not break it [LostAnswerLeavesTheRow]",
  (how) => {
    const governor = prompted({ turns: "unlimited", repeats: 3 });
    turnsCalling(governor, "poll", 2);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      governor.beforeTurn();
      expect(callTool(governor, attempt === 1 ? "read" : "poll").kind).toBe("proceed");
      governor.turnEnded(how === "failed" ? "failed" : undefined);
      if (how === "discarded") governor.turnDiscarded();
    }
    expect(turnsCalling(governor, "poll", 2)).toEqual(["proceed", "refuse"]);
  },
);

test("calls of an answer that was aborted are in the row: it stays in the conversation [LostAnswerLeavesTheRow]", () => {
  const governor = prompted({ repeats: 2 });
  for (let turn = 0; turn < 2; turn += 1) {
    governor.beforeTurn();
    callTool(governor, "poll");
    governor.turnEnded("aborted");
  }
  expect(turnsCalling(governor, "poll", 1)).toEqual(["refuse"]);
});

test("what was refused in an answer that failed, the model was not told [LostAnswerLeavesTheRow]", () => {
  const governor = prompted({ repeats: 1, canAsk: true });
  turnsCalling(governor, "poll", 1);
  governor.beforeTurn();
  expect(callTool(governor, "poll").kind).toBe("refuse");
  governor.turnEnded("failed");
  expect(turnsCalling(governor, "poll", 1)).toEqual(["refuse"]);
  expect(governor.beforeTurn().kind).toBe("proceed");
});
