import { expect, test } from "vitest";
import {
  DEFAULT_WRAP_UP_MESSAGE,
  type Governor,
  type GovernorOptions,
  type TurnDecision,
} from "../../src/index.ts";
import { callTool, decisions, prompted, turnTaking } from "../helpers/runs.ts";

const TEN = { input: 10 };

test.each<[string, GovernorOptions]>([
  ["a person would be asked", { tokens: { max: 50, reserve: 20 }, canAsk: true }],
  ["the run would be stopped", { tokens: { max: 50, reserve: 20, onExhausted: "stop" }, canAsk: true }],
  ["nobody can be asked", { tokens: { max: 50, reserve: 20 } }],
])(
  "where %s, the model is told to wrap up once only the reserve is left, and once only",
  (_where, options) => {
    const governor = prompted(options);
    expect(turns(governor, 5)).toEqual(["proceed", "proceed", "proceed", "wrap-up", "proceed"]);
    expect(governor.beforeTurn()).toMatchObject({ limit: "tokens", used: 50, max: 50 });
  },
);

test("the wrap-up of a budget is the same message, and the run has wrapped up if it ends after it", () => {
  const governor = prompted({ tokens: { max: 20, reserve: 10 } });
  turnTaking(governor, TEN);
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "wrapped-up", intervened: true });
});

test("a host that delivers messages by itself takes the wrap-up before the turn", () => {
  const governor = prompted({ tokens: { max: 20, reserve: 10 } });
  expect(governor.takeWrapUp()).toBeUndefined();
  turnTaking(governor, TEN);
  expect(governor.takeWrapUp()).toBe(DEFAULT_WRAP_UP_MESSAGE);
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
});

test("at the boundary of a budget there is no wrap-up: no turn is going to follow", () => {
  const governor = prompted({ tokens: { max: 20, reserve: 10 }, canAsk: true });
  turnTaking(governor, { input: 20 });
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(governor.beforeTurn().kind).toBe("ask");
});

test.each<GovernorOptions>([
  { tokens: { max: 50, reserve: 20, onExhausted: "synthesize" }, canAsk: true },
  { tokens: { max: 50, reserve: 20, headless: "synthesize" } },
])("with %j, the answer without tools is made once only the reserve is left", (options) => {
  const governor = prompted(options);
  expect(turns(governor, 3)).toEqual(["proceed", "proceed", "proceed"]);
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens", used: 30, max: 50 });
});

test("without a reserve the answer without tools comes at the limit itself", () => {
  const governor = prompted({ tokens: { max: 50, onExhausted: "synthesize" } });
  expect(turns(governor, 6)).toEqual([...new Array(5).fill("proceed"), "synthesize"]);
});

test.each([50, 51, 1_000])("of a limit of 50 a reserve of %i is none", (reserve) => {
  const told = prompted({ tokens: { max: 50, reserve } });
  expect(turns(told, 6)).toEqual([...new Array(5).fill("proceed"), "stop"]);
  const salvaged = prompted({ tokens: { max: 50, reserve, onExhausted: "synthesize" } });
  expect(turns(salvaged, 6)).toEqual([...new Array(5).fill("proceed"), "synthesize"]);
});

test("a reserve of an unlimited budget is none", () => {
  const governor = prompted({ tokens: { max: "unlimited", reserve: 5 } });
  expect(turns(governor, 3)).toEqual(["proceed", "proceed", "proceed"]);
});

test("dollars can be kept back, without noise", () => {
  const governor = prompted({ cost: { max: 0.8, reserve: 0.1 } });
  const kinds = Array.from({ length: 9 }, () => turnTaking(governor, { input: 1, cost: 0.1 }));
  expect(kinds).toEqual([...new Array(7).fill("proceed"), "wrap-up", "stop"]);
});

test("time can be kept back, and the middle of a turn is not too early for it", () => {
  const governor = prompted({ time: { max: 1_000, reserve: 400 } });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(600);
  expect([governor.view.timeLeft, governor.overdue()]).toEqual([400, undefined]);
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("wrap-up");
});

test("a limit of one's own can keep something back", () => {
  const answers = {
    name: "answers",
    max: 3,
    reserve: 1,
    used: ({ turns: taken }: { turns: number }) => taken,
  };
  expect(decisions(prompted({ limits: [answers] }), 4)).toEqual(["proceed", "proceed", "wrap-up", "stop"]);
});

test("after a yes the model is told again, at its time", () => {
  const governor = prompted({ tokens: { max: 30, reserve: 10 }, canAsk: true });
  expect(turns(governor, 4)).toEqual(["proceed", "proceed", "wrap-up", "ask"]);
  expect(governor.answer(true).kind).toBe("proceed");
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  expect(turns(governor, 3)).toEqual(["proceed", "wrap-up", "ask"]);
});

test("what a person grants has the same reserve, if it has room for it", () => {
  const governor = prompted({ tokens: { max: 30, reserve: 10 }, canAsk: true });
  turns(governor, 4);
  governor.answer({ more: 20 });
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  expect(turns(governor, 2)).toEqual(["wrap-up", "ask"]);
  expect(governor.answer({ more: 10 }).kind).toBe("proceed");
  governor.turnEnded({ usage: { input: 5, output: 0 } });
  expect(turns(governor, 2)).toEqual(["proceed", "ask"]);
});

test("a budget that ends in an answer without tools does not have the model wrap up before it", () => {
  const tokens = { max: 20, reserve: 10, onExhausted: "synthesize" } as const;
  const governor = prompted({ turns: 1, tokens, canAsk: true });
  turnTaking(governor, {});
  governor.beforeTurn();
  governor.spend("compaction", { input: 10, output: 0 });
  expect(governor.answer(true).kind).toBe("synthesize");
  expect(governor.view.wrapUpSent).toBe(false);
});

test("two budgets that are short tell the model once", () => {
  const governor = prompted({ turns: { max: 5, grace: 3 }, tokens: { max: 50, reserve: 20 } });
  expect(turns(governor, 6)).toEqual(["proceed", "proceed", "wrap-up", "proceed", "proceed", "stop"]);
});

test("tool calls go on while only the reserve is left", () => {
  const governor = prompted({ tokens: { max: 20, reserve: 10 } });
  turnTaking(governor, TEN);
  governor.beforeTurn();
  expect(callTool(governor, "bash").kind).toBe("proceed");
});

/** Turns of 10 tokens each. */
function turns(governor: Governor, count: number): TurnDecision["kind"][] {
  return Array.from({ length: count }, () => turnTaking(governor, TEN));
}
