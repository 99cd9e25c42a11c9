import { expect, test } from "vitest";
import { allOf, anyOf, type CustomLimit, DEFAULT_WRAP_UP_MESSAGE, type Governor } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  asking,
  callTool,
  callTools,
  decisions,
  prompted,
  takeTurns,
  turnsTaking,
  turnTaking,
  used,
  whyRefused,
} from "../helpers/runs.ts";

const TEN = { input: 10 };

test("a person can grant another number of turns than the limit [ContinuationWithMore]", () => {
  const governor = asking();
  expect(governor.answer({ more: 5 })).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 1, max: 5 }]);
  expect(takeTurns(governor)).toBe(4);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 5, max: 5 });
  expect(governor.view.settings.turns.max).toBe(2);
});

test("turns are granted for one round: a yes after it is for as many as the limit says [ContinuationWithTheSame] [RoundIsNew]", () => {
  const governor = asking();
  governor.answer({ more: 5 });
  governor.turnEnded();
  takeTurns(governor);
  governor.beforeTurn();
  governor.answer(true);
  governor.turnEnded();
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 1, max: 2 }]);
  expect(takeTurns(governor)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 2, max: 2 });
});

test("after turns that were granted the question says how much a yes allows", () => {
  const governor = asking();
  governor.answer({ more: 5 });
  governor.turnEnded();
  takeTurns(governor);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", used: 5, max: 5, round: 2 });
  governor.answer(true);
  governor.turnEnded();
  takeTurns(governor);
  expect(governor.beforeTurn()).not.toHaveProperty("round");
});

test("a person can grant more tokens or dollars, for this round only", () => {
  const governor = prompted({ tokens: 20, cost: 50, canAsk: true });
  turnsTaking(governor, TEN);
  expect(governor.answer({ more: 50 })).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(turnsTaking(governor, TEN)).toBe(5);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 50, max: 50 });
  expect(governor.view.settings.tokens.max).toBe(20);
  governor.answer(true);
  governor.turnEnded();
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("less than the limit can be granted, too, and a fraction of a dollar", () => {
  const governor = prompted({ cost: 1, canAsk: true });
  turnTaking(governor, { input: 1, cost: 1 });
  governor.beforeTurn();
  governor.answer({ more: 0.2 });
  governor.turnEnded({ usage: { input: 1, output: 0, cost: 0.1 } });
  expect(turnsTaking(governor, { input: 1, cost: 0.1 })).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("cost"), used: 0.2, max: 0.2 });
});

test("a person can grant more calls of a tool, and more repeats", () => {
  const tools = prompted({ tools: { bash: 1 }, canAsk: true });
  tools.beforeTurn();
  callTools(tools, "bash", "bash");
  tools.beforeTurn();
  tools.answer({ more: 3 });
  expect(callTools(tools, "bash", "bash", "bash", "bash")).toEqual([
    "proceed",
    "proceed",
    "proceed",
    "refuse",
  ]);

  const repeats = askingAboutRepeats();
  repeats.answer({ more: 3 });
  expect(callTools(repeats, "poll", "poll", "poll", "poll")).toEqual([
    "proceed",
    "proceed",
    "proceed",
    "refuse",
  ]);
  expect(used(repeats, "repeats")).toBe(3);
});

test("more time can be granted in the middle of a turn", () => {
  const governor = overdue();
  expect(governor.answer({ more: 300 })).toEqual({ kind: "proceed" });
  expect(governor.view.timeLeft).toBe(300);
});

test.each([0, -1, 1.5, Number.NaN, "5", null, undefined])(
  "%j more turns are refused, and the question stays open [BadReplyRefused]",
  (more) => {
    const governor = asking();
    const before = governor.state;
    expect(whyRefused(() => governor.answer({ more: more as number }))).toMatchObject({
      setting: "reply.more",
      value: more,
      allowed: "a whole number of 1 or more",
    });
    expect(governor.state).toEqual(before);
    expect(governor.answer({ more: 1 }).kind).toBe("proceed");
  },
);

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "5", null])(
  "%j more tokens are refused, and the question stays open [BadReplyRefused]",
  (more) => {
    const governor = prompted({ tokens: 10, canAsk: true });
    turnsTaking(governor, TEN);
    const before = governor.state;
    expect(whyRefused(() => governor.answer({ more: more as number }))).toMatchObject({
      setting: "reply.more",
    });
    expect(governor.state).toEqual(before);
  },
);

test.each([0, 1.5])("%d more of what is counted in whole numbers is refused", (more) => {
  const tokens = prompted({ tokens: 10, canAsk: true });
  turnsTaking(tokens, TEN);
  const tools = prompted({ tools: { bash: 0 }, canAsk: true });
  tools.beforeTurn();
  callTool(tools, "bash");
  tools.beforeTurn();
  for (const governor of [tokens, tools, askingAboutRepeats()]) {
    expect(whyRefused(() => governor.answer({ more }))).toMatchObject({ setting: "reply.more", value: more });
    expect(governor.view.status).toBe("asking");
  }
});

test("more of a group starts it over: one number does not say how much of each", () => {
  const answers: CustomLimit = { name: "answers", max: 1, used: ({ turns }) => turns };
  const governor = prompted({ limits: [anyOf([answers])], canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer({ more: 5 });
  expect(governor.view.standings.at(-1)).toEqual({ ...named("answers"), used: 1, max: 1 });
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("answers"), used: 1, max: 1 });
});

test("a person can lift the turn limit until the next prompt", () => {
  const governor = asking();
  expect(governor.answer("unlimited")).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(takeTurns(governor, 100)).toBe(100);
  expect(governor.view.standings).toEqual([{ ...named("turns"), used: 101, max: "unlimited" }]);
  governor.settled();
  expect(takeTurns(governor, 100)).toBe(100);
  governor.settled();
  governor.prompt();
  expect(takeTurns(governor)).toBe(2);
});

test("a person can lift a budget until the next prompt, and the others stand", () => {
  const governor = prompted({ turns: 9, tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer("unlimited");
  governor.turnEnded({ usage: { input: 1e6, output: 0 } });
  expect(turnsTaking(governor, TEN)).toBe(6);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
  governor.prompt();
  expect(turnsTaking(governor, TEN)).toBe(2);
  expect(governor.view.status).toBe("asking");
});

test.each([anyOf, allOf])("a person can lift a group until the next prompt", (group) => {
  const answers: CustomLimit = { name: "answers", max: 1, used: ({ turns }) => turns };
  const governor = prompted({
    turns: 9,
    limits: [group([answers, { ...answers, name: "replies" }])],
    canAsk: true,
  });
  turnsTaking(governor, TEN);
  expect(governor.view.status).toBe("asking");
  governor.answer("unlimited");
  governor.turnEnded();
  expect(takeTurns(governor)).toBe(7);
  expect(governor.view.standings.at(-1)).toEqual({ ...named("replies"), used: 8, max: "unlimited" });
});

test("a person can lift the limit of a tool, of repeats and of time", () => {
  const tools = prompted({ tools: { bash: 0 }, canAsk: true });
  tools.beforeTurn();
  callTool(tools, "bash");
  tools.beforeTurn();
  tools.answer("unlimited");
  expect(new Set(callTools(tools, ...new Array(50).fill("bash")))).toEqual(new Set(["proceed"]));

  const repeats = askingAboutRepeats();
  repeats.answer("unlimited");
  expect(new Set(callTools(repeats, ...new Array(50).fill("poll")))).toEqual(new Set(["proceed"]));

  const time = overdue();
  time.answer("unlimited");
  time.timeIs(1e9);
  expect([time.view.timeLeft, time.overdue()]).toEqual([undefined, undefined]);
});

test("a yes at another limit takes back nothing that was granted", () => {
  const governor = prompted({ turns: 3, tokens: 10, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer("unlimited");
  governor.turnEnded();
  turnsTaking(governor, TEN);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
  governor.answer(true);
  governor.turnEnded();
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("wrapping up lets exactly the held turn begin, with the message, and the boundary stands again before the next", () => {
  const governor = asking();
  expect(governor.answer("wrap-up")).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
  expect(used(governor, "turns")).toBe(3);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 3, max: 2 });
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "wrapped-up", turns: 4, rounds: 1 });
});

test("wrapping up gives no budget anything more", () => {
  const governor = prompted({ tokens: 10, tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  governor.beforeTurn();
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  expect(callTool(governor, "bash").kind).toBe("refuse");
  expect(callTool(governor, "read").kind).toBe("proceed");
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 20, max: 10 });
});

test("a model that was told before the boundary is told again if a person wants that", () => {
  const governor = prompted({ turns: { max: 2, grace: 1 }, canAsk: true });
  expect(decisions(governor, 3)).toEqual(["proceed", "wrap-up", "ask"]);
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
});

test("a request that is made again, held at a budget, is the same turn also when it is to wrap up", () => {
  const governor = prompted({ turns: 5, tokens: 10, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded({ failure: "failed", usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  expect(used(governor, "turns")).toBe(1);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "wrapped-up", turns: 1 });
});

test("a request that is made again, held at a budget, is the same turn after a yes", () => {
  const governor = prompted({ turns: 5, tokens: 10, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded({ failure: "failed", usage: { input: 10, output: 0 } });
  governor.beforeTurn();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect([used(governor, "turns"), governor.view.totals.turns]).toEqual([1, 1]);
});

test("wrapping up in the middle of a turn is told before the next one, which there is time for", () => {
  const governor = overdue();
  expect(governor.answer("wrap-up")).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
  governor.turnEnded();
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
});

test.each([{ more: 5 }, "unlimited", "wrap-up"] as const)(
  "a reply of %j that comes too late changes nothing: no question is open any more [LateReplyDecidesNothing]",
  (reply) => {
    const governor = asking();
    governor.answer(true);
    const before = governor.state;
    expect(governor.answer(reply)).toMatchObject({ kind: "stop", outcome: "stopped", raises: false });
    expect(governor.view.status).toBe("running");
    expect(governor.state).toEqual(before);
    governor.settled();
    const settled = governor.state;
    expect(governor.answer(reply).kind).toBe("stop");
    expect(governor.state).toEqual(settled);
  },
);

/** A governor that asks about repeats, 1 of 1. */
function askingAboutRepeats(): Governor {
  const governor = prompted({ repeats: 1, canAsk: true });
  for (let turn = 0; turn < 3; turn += 1) {
    governor.beforeTurn();
    callTool(governor, "poll");
    governor.turnEnded();
  }
  governor.beforeTurn();
  return governor;
}

/** A governor that asks about time in the middle of a turn. */
function overdue(): Governor {
  const governor = prompted({ time: 1_000, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(1_000);
  governor.overdue();
  return governor;
}
