import { expect, test } from "vitest";
import { createGovernor, type Governor, type GovernorOptions, type StepDecision } from "../../src/index.ts";
import { prompted } from "../helpers/runs.ts";

const NOT_FOUND = "Error: the text was not found in a.ts";
let ids = 0;

/** A turn in which the model calls tools at once. */
function turn(
  governor: Governor,
  ...calls: [tool: string, args: unknown, result: unknown][]
): StepDecision[] {
  governor.beforeTurn();
  const decided = calls.map(([tool, args, result]) => {
    ids += 1;
    const id = `call ${ids}`;
    return { id, result, decision: governor.beforeStep({ id, tool, args }) };
  });
  for (const { id, result, decision } of decided)
    if (decision.kind === "proceed") governor.stepEnded({ id, result });
  governor.turnEnded();
  return decided.map(({ decision }) => decision);
}

const kinds = (decisions: StepDecision[]) => decisions.map(({ kind }) => kind);
const started = (options: GovernorOptions) => prompted({ turns: "unlimited", ...options });

test("a tool that fails 3 times with the same error is refused, whatever its arguments are, and the model reads why", () => {
  const governor = started({ repeats: 3 });
  for (const text of ["a", "b", "c"])
    expect(kinds(turn(governor, ["edit", { text }, NOT_FOUND]))).toEqual(["proceed"]);
  expect(turn(governor, ["edit", { text: "d" }, NOT_FOUND])).toMatchObject([
    {
      ...{ kind: "refuse", limit: "repeats", used: 3, max: 3 },
      reason:
        "Not run: edit failed 3 times in a row with the same error, whatever its arguments were. Find out why, try something else, or answer.",
    },
  ]);
  expect(governor.view.status).toBe("running");
});

test("the model may try once more after it was told; with the same error again the limit is used up", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["edit", 1, NOT_FOUND]);
  turn(governor, ["edit", 2, NOT_FOUND]);
  expect(kinds(turn(governor, ["edit", 3, NOT_FOUND], ["edit", 4, NOT_FOUND]))).toEqual(["refuse", "refuse"]);
  expect(kinds(turn(governor, ["edit", 5, NOT_FOUND]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", 6, NOT_FOUND]))).toEqual(["refuse"]);
  expect(governor.view.stop).toMatchObject({ limit: "repeats", used: 3, max: 2 });
});

test("once it succeeds, or fails in another way, the row starts over", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["edit", 1, NOT_FOUND]);
  turn(governor, ["edit", 2, "done"]);
  turn(governor, ["edit", 3, NOT_FOUND]);
  turn(governor, ["edit", 4, "Error: it is there twice"]);
  turn(governor, ["edit", 5, NOT_FOUND]);
  expect(kinds(turn(governor, ["edit", 6, NOT_FOUND]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", 7, NOT_FOUND]))).toEqual(["refuse"]);
});

test("other tools in between do not start the row over, and have rows of their own", () => {
  const governor = started({ repeats: 2 });
  for (const page of [1, 2]) {
    turn(governor, ["edit", page, NOT_FOUND]);
    turn(governor, ["read", page, `page ${page}`]);
  }
  expect(kinds(turn(governor, ["edit", 3, NOT_FOUND], ["read", 3, "page 3"]))).toEqual(["refuse", "proceed"]);
});

test("calls of one answer that fail together count once: the model has read none of their errors", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["edit", 1, NOT_FOUND], ["edit", 2, NOT_FOUND], ["edit", 3, NOT_FOUND]);
  expect(kinds(turn(governor, ["edit", 4, NOT_FOUND]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", 5, NOT_FOUND]))).toEqual(["refuse"]);
});

test("one error is no loop, also with a limit of 1", () => {
  const governor = started({ repeats: 1 });
  turn(governor, ["edit", 1, NOT_FOUND]);
  expect(kinds(turn(governor, ["edit", 2, NOT_FOUND]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", 3, NOT_FOUND]))).toEqual(["refuse"]);
});

test("an error that differs in its moment, or in how long it took, is the same", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["test", 1, "Error: 2 failed in 1.31s at 2026-11-16 10:00:01"]);
  turn(governor, ["test", 2, "Error: 2 failed in 2.5s at 2026-11-16 10:00:09"]);
  expect(kinds(turn(governor, ["test", 3, "…"]))).toEqual(["refuse"]);
});

test.each<[string, unknown]>([
  ["a text that does not say so", "failed to be interesting"],
  ["nothing but an exit code", "(no output)\n\nCommand exited with code 1"],
  ["an empty error", { isError: true, content: [] }],
])("%s is no error that tells a loop", (_what, result) => {
  const governor = started({ repeats: 2 });
  for (let call = 0; call < 6; call += 1)
    expect(kinds(turn(governor, ["bash", { command: `grep ${call}` }, result]))).toEqual(["proceed"]);
});

test.each<[string, unknown]>([
  ["an Error", new TypeError("no such file")],
  ["a text that begins as one", "TypeError: no such file"],
  ["Pi's", { isError: true, content: [{ type: "text", text: "no such file" }] }],
  ["Claude's", { is_error: true, content: "no such file" }],
  ["a list of parts", [{ type: "text", text: "Error: no such file" }]],
  ["a status", { status: "error", content: "no such file" }],
  ["an exit code with output", "no such file\nCommand exited with code 2"],
  ["an exit code in a field", { exitCode: 2, output: "no such file" }],
])("%s is an error", (_what, result) => {
  const governor = started({ repeats: 2 });
  for (const call of [1, 2])
    expect(kinds(turn(governor, ["bash", { command: `cat ${call}` }, result]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["bash", { command: "cat 3" }, result]))).toEqual(["refuse"]);
});

test("the errors of an answer that is thrown away are not counted, and what was refused in it was not told", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["edit", 1, NOT_FOUND]);
  turn(governor, ["edit", 2, NOT_FOUND]);
  governor.turnDiscarded();
  expect(kinds(turn(governor, ["edit", 3, NOT_FOUND]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", 4, NOT_FOUND]))).toEqual(["refuse"]);
  governor.turnDiscarded();
  expect(kinds(turn(governor, ["edit", 5, NOT_FOUND]))).toEqual(["refuse"]);
  expect(governor.view.status).toBe("running");
});

test("a governor that was saved goes on with the row", () => {
  const governor = started({ repeats: 2 });
  turn(governor, ["edit", 1, NOT_FOUND]);
  const restored = createGovernor({ state: governor.state });
  turn(restored, ["edit", 2, NOT_FOUND]);
  const again = createGovernor({ state: restored.state });
  expect(kinds(turn(again, ["edit", 3, NOT_FOUND]))).toEqual(["refuse"]);
  const told = createGovernor({ state: again.state });
  expect(kinds(turn(told, ["edit", 4, NOT_FOUND]))).toEqual(["proceed"]);
});

test("a model that was told of a call that fails again and again may make it with other arguments", () => {
  const governor = started({ repeats: 2 });
  for (const kind of ["proceed", "proceed", "refuse"])
    expect(kinds(turn(governor, ["edit", { text: "a" }, NOT_FOUND]))).toEqual([kind]);
  expect(kinds(turn(governor, ["edit", { text: "b" }, "done"]))).toEqual(["proceed"]);
  expect(kinds(turn(governor, ["edit", { text: "c" }, NOT_FOUND]))).toEqual(["proceed"]);
});

test("a yes starts the row over", () => {
  const governor = started({ repeats: 2, canAsk: true });
  for (let call = 0; call < 5; call += 1) turn(governor, ["edit", call, NOT_FOUND]);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "repeats" });
  governor.answer(true);
  expect(governor.beforeStep({ tool: "edit", args: 9 }).kind).toBe("proceed");
});

test("a result is an error if the host says so, whatever it looks like", () => {
  const governor = started({ repeats: 2 });
  const read = (path: string) => {
    governor.beforeTurn();
    const decision = governor.beforeStep({ id: path, tool: "read", args: { path } });
    if (decision.kind === "proceed") governor.stepEnded({ id: path, result: "no such file", failed: true });
    governor.turnEnded();
    return decision.kind;
  };
  expect(["a", "b", "c"].map(read)).toEqual(["proceed", "proceed", "refuse"]);
});
