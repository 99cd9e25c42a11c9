import { expect, test } from "vitest";
import {
  allOf,
  anyOf,
  createGovernor,
  DEFAULT_WRAP_UP_MESSAGE,
  type Governor,
  type GovernorOptions,
  type Limit,
  type ToldLimit,
} from "../../src/index.ts";
import {
  callTools,
  change,
  prompted,
  promptedAtZero,
  saved,
  takeTurns,
  turnTaking,
  whyRefused,
} from "../helpers/runs.ts";

/** Names, what is used, and of how much. */
const message = (limits: readonly ToldLimit[]) =>
  limits.map(({ limit, used, max }) => `${limit} ${used}/${max}`).join(", ");

function telling(at: readonly number[] | "every turn", options: GovernorOptions = {}): Governor {
  return prompted({ tell: { at, message }, ...options });
}

/** What the model is told in each of the next turns, all of them answered; `-`: nothing. */
function told(governor: Governor, turns: number): string[] {
  return Array.from({ length: turns }, () => {
    const line = toldIn(governor) ?? "-";
    governor.turnEnded();
    return line;
  });
}

/** What the model is told in the next turn. */
function toldIn(governor: Governor): string | undefined {
  const decision = governor.beforeTurn();
  return decision.kind === "proceed" || decision.kind === "wrap-up" ? decision.told : undefined;
}

test("the model is told at shares of a limit, with the turn that reaches them, once for each [WhatIsLeftIsTold]", () => {
  const governor = telling([50, 80, 90], { turns: 10 });
  expect(told(governor, 10)).toEqual([
    ...["-", "-", "-", "-", "turns 5/10", "-", "-", "turns 8/10", "turns 9/10", "-"],
  ]);
});

test("the shares are 80, 90 and 95 % by default, and the words say what is used, what is left and what happens then", () => {
  const governor = prompted({ turns: { max: 20, onExhausted: "stop" }, tell: true });
  const lines = told(governor, 20).flatMap((line, turn) => (line === "-" ? [] : [`${turn + 1}: ${line}`]));
  expect(lines).toEqual([
    "16: For information: turn limit 16/20 used, 4 left, then the run is stopped.",
    "18: For information: turn limit 18/20 used, 2 left, then the run is stopped.",
    "19: For information: turn limit 19/20 used, 1 left, then the run is stopped.",
  ]);
});

test("nothing is told unless that is wanted, and without a maximum", () => {
  expect(told(prompted({ turns: 4 }), 4)).toEqual(["-", "-", "-", "-"]);
  expect(told(prompted({ turns: 4, tell: false }), 4)).toEqual(["-", "-", "-", "-"]);
  expect(told(telling("every turn", { turns: "unlimited" }), 3)).toEqual(["-", "-", "-"]);
});

test("of shares that are reached at once the model is told one thing: where the limit stands", () => {
  const governor = telling([10, 20, 30, 50], { turns: 2 });
  expect(told(governor, 2)).toEqual(["turns 1/2", "-"]);
  expect(told(telling([50, 100], { turns: 1 }), 1)).toEqual(["turns 1/1"]);
});

test("in every turn it is told of every limit with a maximum", () => {
  const governor = telling("every turn", {
    turns: 9,
    steps: 9,
    tools: { bash: 4, read: "unlimited" },
    cost: 5,
  });
  expect(told(governor, 1)).toEqual(["steps 0/9, turns 1/9, cost 0/5, tools.bash 0/4"]);
  callTools(governor, "bash", "read");
  expect(told(governor, 1)).toEqual(["steps 2/9, turns 2/9, cost 0/5, tools.bash 1/4"]);
});

test("every limit with a maximum is told of: requests, tokens, cost, time, steps, calls of a tool and one's own", () => {
  const own: Limit = { name: "output tokens", max: 10, used: ({ output }) => output };
  const governor = promptedAtZero({
    tell: { at: [80], message },
    turns: "unlimited",
    requests: 5,
    tokens: 50,
    cost: 1,
    time: 1_000,
    steps: 5,
    tools: { bash: 5 },
    limits: [own],
  });
  takeTurns(governor, 2);
  governor.beforeTurn();
  callTools(governor, "bash", "bash", "bash", "bash");
  governor.timeIs(800);
  governor.turnEnded({ usage: { input: 32, output: 8, cost: 0.8 } });
  expect(told(governor, 1)).toEqual([
    "steps 4/5, requests 4/5, tokens 40/50, cost 0.8/1, time 800/1000, tools.bash 4/5, output tokens 8/10",
  ]);
});

test("several limits are told in one line, those of which a share was just reached", () => {
  const governor = telling([50], { turns: 4, tokens: 20, cost: 100 });
  turnTaking(governor, { input: 10, output: 0, cost: 1 });
  expect(told(governor, 2)).toEqual(["turns 2/4, tokens 10/20", "-"]);
});

test("a pattern in the calls is nothing of which something is left, and neither is a limit of 0", () => {
  const governor = telling("every turn", { turns: 3, repeats: 2, tools: { bash: 0 } });
  expect(told(governor, 1)).toEqual(["turns 1/3"]);
});

test("of a group the limit that decides is told: any of them is the fullest, all of them the emptiest", () => {
  const part = (name: string, max: number): Limit => ({ name, max, used: ({ turns }) => turns });
  const any = telling([50], { turns: "unlimited", limits: [anyOf([part("a", 8), part("b", 4)])] });
  expect(told(any, 2)).toEqual(["-", "b 2/4"]);
  const all = telling([50], { turns: "unlimited", limits: [allOf([part("a", 8), part("b", 4)])] });
  expect(told(all, 4)).toEqual(["-", "-", "-", "a 4/8"]);
});

test("a yes, a prompt and a reset begin a round in which it is told again", () => {
  const governor = telling([100], { turns: 2, canAsk: true });
  expect(told(governor, 2)).toEqual(["-", "turns 2/2"]);
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(told(governor, 1)).toEqual(["turns 2/2"]);
  governor.prompt();
  expect(told(governor, 2)).toEqual(["-", "turns 2/2"]);
  governor.reset();
  expect(told(governor, 2)).toEqual(["-", "turns 2/2"]);
});

test("the turn that a person lets begin is told of the round that it begins", () => {
  const governor = telling([50], { turns: 1, canAsk: true });
  told(governor, 1);
  governor.beforeTurn();
  expect(governor.answer({ more: 2 })).toEqual({ kind: "proceed", told: "turns 1/2" });
});

test("a wrap-up and what is left are told apart, in one turn", () => {
  const governor = telling([75], { turns: { max: 4, grace: 2 } });
  expect(told(governor, 2)).toEqual(["-", "-"]);
  expect(governor.beforeTurn()).toEqual({
    kind: "wrap-up",
    message: DEFAULT_WRAP_UP_MESSAGE,
    told: "turns 3/4",
  });
});

test("the turn without tools says it in its own words", () => {
  const governor = telling("every turn", { turns: { max: 1, onExhausted: "synthesize" } });
  told(governor, 1);
  expect(governor.beforeTurn()).not.toHaveProperty("told");
});

test("what the model is told is no intervention", () => {
  const governor = telling("every turn", { turns: 4 });
  told(governor, 3);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test.each(["failed", "aborted"] as const)(
  "a request that %s was not read: it is told again [UnreadIsToldAgain]",
  (failure) => {
    const governor = telling([50], { turns: 4 });
    told(governor, 1);
    expect(toldIn(governor)).toBe("turns 2/4");
    governor.turnEnded(failure);
    expect(toldIn(governor)).toBe(failure === "failed" ? "turns 2/4" : "turns 3/4");
    governor.turnEnded();
    expect(told(governor, 1)).toEqual(["-"]);
  },
);

test("so it is of a turn that was never sent [UnreadIsToldAgain]", () => {
  const governor = telling([50], { turns: 4 });
  told(governor, 1);
  expect(toldIn(governor)).toBe("turns 2/4");
  governor.turnAbandoned();
  expect(toldIn(governor)).toBe("turns 2/4");
});

test("and of one that is made again while it is under way [UnreadIsToldAgain]", () => {
  const governor = telling([50], { turns: 4 });
  told(governor, 1);
  expect(toldIn(governor)).toBe("turns 2/4");
  expect(governor.beforeTurn({ as: "retry" })).toEqual({ kind: "proceed", told: "turns 2/4" });
  governor.turnEnded();
  expect(told(governor, 1)).toEqual(["-"]);
});

test("what an earlier round told is not taken back into the one after it", () => {
  const governor = telling([50], { turns: 4 });
  told(governor, 1);
  expect(toldIn(governor)).toBe("turns 2/4");
  governor.reset();
  governor.turnEnded("failed");
  expect(told(governor, 3)).toEqual(["-", "-", "turns 2/4"]);
});

test("nor is it when only the time began a new round, and of that time the model is told again", () => {
  const governor = promptedAtZero({
    ...{ tell: { at: [50], message }, turns: 4, canAsk: true },
    time: { max: 10, onExhausted: "ask" },
  });
  told(governor, 1);
  governor.timeIs(6);
  expect(toldIn(governor)).toBe("turns 2/4, time 6/10");
  governor.timeIs(10);
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  governor.turnEnded("failed");
  governor.turnEnded("failed");
  governor.timeIs(16);
  expect(toldIn(governor)).toBe("time 6/10");
});

test("a limit that admits more is told of again, and one that admits less at once [MoreIsToldOf]", () => {
  const governor = telling([50, 80], { turns: 5 });
  expect(told(governor, 4)).toEqual(["-", "-", "turns 3/5", "turns 4/5"]);
  change(governor, { turns: 20 });
  expect(told(governor, 6)).toEqual(["-", "-", "-", "-", "-", "turns 10/20"]);
  change(governor, { turns: 12 });
  expect(told(governor, 2)).toEqual(["turns 11/12", "-"]);
});

test("when it is told can be changed during a run; the same setting again changes nothing [TellChanged]", () => {
  const governor = telling([50], { turns: 4 });
  expect(told(governor, 2)).toEqual(["-", "turns 2/4"]);
  const before = governor.state;
  governor.configure(governor.view.settings);
  expect(governor.state).toEqual(before);
  change(governor, { tell: { at: [60], message } });
  expect(told(governor, 1)).toEqual(["turns 3/4"]);
  change(governor, { tell: false });
  expect(told(governor, 1)).toEqual(["-"]);
});

test("what was told is saved; the words have to be given again", () => {
  const governor = telling([50, 75], { turns: 4 });
  told(governor, 2);
  const again = saved(governor, { tell: { at: [50, 75], message } });
  expect(again.state).toEqual(governor.state);
  expect(told(again, 1)).toEqual(["turns 3/4"]);
  expect(told(saved(governor, {}), 1)).toEqual(["-"]);
});

test("a request besides the turns tells nothing, nor does one that the model cannot read it in; a later one does", () => {
  const governor = telling([50], { turns: 4, requests: 100 });
  told(governor, 1);
  expect(governor.beforeTurn({ as: "aside" })).toEqual({ kind: "proceed" });
  expect(governor.beforeTurn({ hears: false })).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(toldIn(governor)).toBe("turns 3/4");
  const gateway = telling([50], { turns: "unlimited", requests: 2 });
  expect(gateway.beforeTurn({ as: "aside", hears: true })).toEqual({ kind: "proceed", told: "requests 1/2" });
});

test("a text for a limit replaces the words", () => {
  const tell = { at: [50], message: "{used} of {max} by the {limit}: {share}. {left} left, then {end}." };
  const governor = prompted({ turns: 4, cost: 2, tell });
  turnTaking(governor, { input: 0, output: 0, cost: 1.2 });
  expect(told(governor, 1)).toEqual([
    "2 of 4 by the turn limit: 50 %. 2 left, then the run is stopped. " +
      "$1.20 of $2.00 by the cost limit: 60 %. $0.80 left, then the run is stopped.",
  ]);
});

test.each([
  ["ask", "a person is asked"],
  ["raise", "the run is stopped"],
  ["synthesize", "one last answer without tools follows"],
  ["refuse", "further calls are refused"],
] as const)("a limit that would %s says what happens at its end", (onExhausted, end) => {
  const governor = prompted({
    canAsk: true,
    turns: "unlimited",
    tell: { at: [50], message: "{end}" },
    tools: { bash: { max: 2, onExhausted } },
  });
  governor.beforeTurn();
  callTools(governor, "bash");
  governor.turnEnded();
  expect(told(governor, 1)).toEqual([end]);
});

test("a limit that may be extended says so, and is told again in the round that this brings", () => {
  const governor = prompted({ turns: { max: 2, extend: 1, onExhausted: "stop" }, tell: [50] });
  const line = "For information: turn limit 1/2 used, 1 left, then";
  expect(told(governor, 2)).toEqual([
    `${line} another round if there was progress, else the run is stopped.`,
    "-",
  ]);
  expect(governor.beforeTurn().kind).toBe("check-progress");
  expect(governor.answer(true)).toEqual({ kind: "proceed", told: `${line} the run is stopped.` });
});

test("a cost that is not known as a whole is at least what is known", () => {
  const governor = prompted({ turns: "unlimited", cost: 1, tell: [50] });
  turnTaking(governor, { input: 1, output: 1 });
  turnTaking(governor, { input: 1, output: 1, cost: 0.5 });
  expect(told(governor, 1)).toEqual([
    "For information: cost limit at least $0.50/$1.00 used, at most $0.50 left, then the run is stopped.",
  ]);
});

test("words that cannot be made are an error, and the turn has not begun", () => {
  const fails = () => {
    throw new Error("no words");
  };
  const governor = prompted({ turns: 2, tell: { at: "every turn", message: fails } });
  expect(() => governor.beforeTurn()).toThrow("no words");
  expect(governor.view.totals.turns).toBe(0);
  change(governor, { tell: { at: "every turn", message: () => "" } });
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
});

test.each<[unknown, string]>([
  ["yes", 'true, false, "every turn"'],
  [80, 'true, false, "every turn"'],
  [[], "shares in percent"],
  [[0], "above 0, up to 100"],
  [[80, 101], "above 0, up to 100"],
  [["80"], "above 0, up to 100"],
  [{ at: "always" }, "shares in percent"],
  [{ message: "Hurry up." }, "{limit}"],
  [{ message: "{limit} {rest}" }, "{limit}"],
  [{ when: [80] }, "at"],
])("tell: %j is refused with what is allowed", (tell, allowed) => {
  expect(whyRefused(() => createGovernor({ tell } as GovernorOptions)).message).toContain(allowed);
});
