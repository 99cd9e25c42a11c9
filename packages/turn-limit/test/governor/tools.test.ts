import { expect, test } from "vitest";
import { createGovernor, DEFAULT_SYNTHESIS_MESSAGE } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  callTool,
  callTools,
  change,
  prompted,
  takeTurns,
  turnWithSteps,
  used,
  whyRefused,
} from "../helpers/runs.ts";

test("a tool with a limit of 2 is called twice, other tools as often as the model likes", () => {
  const governor = prompted({ tools: { bash: 2 }, canAsk: true });
  governor.beforeTurn();
  expect(callTools(governor, "bash", "read", "bash", "read", "bash", "bash", "read", "read")).toEqual([
    "proceed",
    "proceed",
    "proceed",
    "proceed",
    "refuse",
    "refuse",
    "proceed",
    "proceed",
  ]);
  expect(governor.view.totals).toMatchObject({ steps: 6, calls: { bash: 2, read: 4 } });
});

test("calls of a tool are counted over all the turns of a run", () => {
  const governor = prompted({ tools: { bash: 3 } });
  const turns = [1, 2, 3].map(() => {
    governor.beforeTurn();
    return callTools(governor, "bash", "read");
  });
  expect(turns).toEqual([
    ["proceed", "proceed"],
    ["proceed", "proceed"],
    ["proceed", "proceed"],
  ]);
  governor.beforeTurn();
  expect(callTools(governor, "read", "bash")).toEqual(["proceed", "refuse"]);
});

test("a refused call of a tool gets a reason that the model can read, and others can still be called", () => {
  const governor = prompted({ tools: { bash: 1 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  expect(callTool(governor, "bash")).toEqual({
    kind: "refuse",
    ...named("tools.bash"),
    used: 1,
    max: 1,
    reason: "Not run: the limit for bash is reached (1/1).",
  });
});

test("a run that makes exactly as many calls of a tool as it may did not hit the limit", () => {
  const governor = prompted({ tools: { bash: 2 }, canAsk: true });
  governor.beforeTurn();
  callTools(governor, "bash", "bash");
  governor.turnEnded();
  expect(takeTurns(governor, 3)).toBe(3);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test("after a refused call a person is asked before the next turn, and a yes gives as many calls once more [CallRefused] [RoundIsNew]", () => {
  const governor = prompted({ tools: { bash: 2 }, canAsk: true });
  governor.beforeTurn();
  callTools(governor, "bash", "bash", "bash");
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tools.bash"), used: 2, max: 2 });
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "tools.bash")).toBe(0);
  expect(callTools(governor, "bash", "bash", "bash")).toEqual(["proceed", "proceed", "refuse"]);
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.view.totals.calls).toEqual({ bash: 4 });
});

test("no stops the run, and it was declined by the limit of the tool", () => {
  const governor = prompted({ tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.beforeTurn();
  governor.answer(false);
  expect(governor.settled()).toMatchObject({ kind: "declined", ...named("tools.bash"), steps: 0 });
});

test.each([
  ["nobody can be asked", { tools: { bash: { max: 1, headless: "stop" } } }],
  ["that is the policy", { tools: { bash: { max: 1, onExhausted: "stop" } }, canAsk: true }],
] as const)(
  "where %s, the call too many ends the run, and no other call runs after it",
  (_where, options) => {
    const governor = prompted(options);
    governor.beforeTurn();
    expect(callTools(governor, "bash", "bash", "read", "bash")).toEqual([
      "proceed",
      "refuse",
      "refuse",
      "refuse",
    ]);
    governor.turnEnded();
    const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("tools.bash"), used: 1, max: 1 };
    expect(governor.beforeTurn()).toEqual(stop);
    expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("tools.bash"), steps: 1 });
  },
);

test.each([
  { tools: { bash: { max: 1, headless: "synthesize" } } },
  { tools: { bash: { max: 1, onExhausted: "synthesize" } }, canAsk: true },
] as const)("with %j, the call too many makes the answer without tools due", (options) => {
  const governor = prompted(options);
  governor.beforeTurn();
  callTool(governor, "bash");
  expect(callTool(governor, "bash")).toEqual({
    kind: "synthesize",
    ...named("tools.bash"),
    used: 1,
    max: 1,
    reason: "Not run: the limit for bash is reached (1/1). No more tool calls are possible in this run.",
  });
  expect(callTools(governor, "read", "bash")).toEqual(["refuse", "refuse"]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toEqual({
    kind: "synthesize",
    ...named("tools.bash"),
    used: 1,
    max: 1,
    message: DEFAULT_SYNTHESIS_MESSAGE,
  });
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", limit: "tools.bash" });
});

test("where nobody can be asked, calls of a tool beyond its limit are refused by default, and the run goes on [CallOnlyRefused]", () => {
  const governor = prompted({ tools: { bash: 1 } });
  for (let turn = 0; turn < 5; turn += 1) {
    expect(governor.beforeTurn().kind).toBe("proceed");
    expect(callTools(governor, "bash", "read")).toEqual([turn === 0 ? "proceed" : "refuse", "proceed"]);
    governor.turnEnded();
  }
  expect(governor.view.exhausted).toBe(false);
  expect(governor.settled()).toMatchObject({ kind: "completed", steps: 6, intervened: true });
});

test("a tool with a limit of 0 is not called at all, and one without a limit always", () => {
  const governor = prompted({ tools: { bash: 0, read: "unlimited", write: {} }, canAsk: true });
  governor.beforeTurn();
  expect(callTools(governor, "bash", "read", "write")).toEqual(["refuse", "proceed", "proceed"]);
  expect(governor.view.standings.map(({ limit }) => limit)).toEqual(["turns", "tools.bash"]);
});

test("a call that runs counts for the steps and for its tool, nested or not; one that is refused for nothing [CallCounts]", () => {
  const governor = prompted({ steps: 5, tools: { bash: 2, read: 0 }, canAsk: true });
  governor.beforeTurn();
  governor.beforeStep({ id: "outer", tool: "batch" });
  expect(callTools(governor, "bash", "bash", "bash", "read")).toEqual([
    "proceed",
    "proceed",
    "refuse",
    "refuse",
  ]);
  expect(governor.view.totals).toMatchObject({ steps: 3, calls: { batch: 1, bash: 2 } });
  expect(governor.view.totals.calls).not.toHaveProperty("read");
  expect([used(governor, "steps"), used(governor, "tools.bash"), used(governor, "tools.read")]).toEqual([
    3, 2, 0,
  ]);
});

test("before any prompt, too, a limit that is just used up has refused nothing", () => {
  const governor = createGovernor({ tools: { bash: 1 }, canAsk: true });
  expect(governor.beforeTurn().kind).toBe("proceed");
  callTool(governor, "bash");
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("each tool has a limit of its own", () => {
  const governor = prompted({ tools: { bash: 1, read: 2 }, canAsk: true });
  governor.beforeTurn();
  expect(callTools(governor, "read", "bash", "bash", "read", "read")).toEqual([
    "proceed",
    "proceed",
    "refuse",
    "proceed",
    "refuse",
  ]);
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("a tool may be called %s", (tool) => {
  const governor = prompted({ tools: { [tool]: 2 }, canAsk: true });
  governor.beforeTurn();
  expect(callTools(governor, tool, tool, tool)).toEqual(["proceed", "proceed", "refuse"]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: `tools.${tool}`, used: 2 });
  governor.answer(true);
  expect(callTools(governor, tool, tool, tool)).toEqual(["proceed", "proceed", "refuse"]);
});

test("a call of which nobody says what tool it is is an error, and not unlimited", () => {
  const governor = prompted({ tools: { bash: 1 } });
  governor.beforeTurn();
  expect(() => governor.beforeStep()).toThrow("Limits of single tools and of repeats need the call");
  expect(governor.view.totals).toMatchObject({ steps: 0, calls: {} });
});

test("without limits that need it nobody has to say", () => {
  const governor = prompted({});
  turnWithSteps(governor, 3);
  expect(governor.view.totals).toMatchObject({ steps: 3, calls: {} });
});

test("a yes at another limit gives no new calls", () => {
  const governor = prompted({ turns: 1, tools: { bash: 2 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.turnEnded();
  governor.beforeTurn();
  governor.answer(true);
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "refuse"]);
});

test("a call that no step is left for is refused by the step limit, and counts for no tool", () => {
  const governor = prompted({ steps: 1, tools: { bash: 1 } });
  governor.beforeTurn();
  callTool(governor, "bash");
  expect(callTool(governor, "bash")).toMatchObject({ kind: "refuse", limit: "steps" });
  expect(governor.view.stop).toMatchObject({ limit: "steps" });
});

test("a person's prompt gives new calls, a program that goes on gets those that are left", () => {
  const governor = prompted({ tools: { bash: { max: 2, headless: "stop" } } });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.settled();
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "refuse"]);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  governor.prompt();
  expect(governor.view.exhausted).toBe(false);
  expect(callTools(governor, "bash", "bash", "bash")).toEqual(["proceed", "proceed", "refuse"]);
});

test("a limit raised after a refused call is a boundary again only when it refuses one", () => {
  const governor = prompted({ tools: { bash: 1 }, canAsk: true });
  governor.beforeTurn();
  callTools(governor, "bash", "bash");
  change(governor, { tools: { bash: 2 } });
  expect(callTool(governor, "bash").kind).toBe("proceed");
  expect(takeTurns(governor, 2)).toBe(2);
  expect(callTool(governor, "bash").kind).toBe("refuse");
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tools.bash"), used: 2, max: 2 });
});

test.each<[unknown, string]>([
  [{ bash: -1 }, "tools.bash.max"],
  [{ bash: 1.5 }, "tools.bash.max"],
  [{ bash: "2" }, "tools.bash.max"],
  [{ bash: null }, "tools.bash"],
  [{ read: 1, bash: { max: 1, onExhausted: "explode" } }, "tools.bash.onExhausted"],
  [{ bash: { max: 1, headless: "ask" } }, "tools.bash.headless"],
  [5, "tools"],
  ["unlimited", "tools"],
  [null, "tools"],
  [[5], "tools"],
  [new Map([["bash", 5]]), "tools"],
])(
  "limits for tools of %j are refused by the name of what is wrong with them, and change nothing",
  (tools, setting) => {
    const governor = prompted({ tools: { bash: 7 } });
    const before = governor.state;
    const given = { tools } as { tools: Record<string, number> };
    expect(whyRefused(() => createGovernor(given))).toMatchObject({ setting });
    expect(whyRefused(() => governor.configure({ cost: 1, ...given }))).toMatchObject({ setting });
    expect(governor.state).toEqual(before);
  },
);
