import { expect, test } from "vitest";
import { takeSteps, takeTurns, turnWithSteps, used, whyRefused } from "../../test/runs.ts";
import { anyOf } from "../limits/Limit.ts";
import { timeLimit } from "../limits/TimeLimit.ts";
import { createGovernor } from "./createGovernor.ts";
import type { Governor } from "./Governor.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "./Synthesis.ts";

test("a time limit that is used up stops the next request", () => {
  const { governor, turnsOf } = timed({ time: 3_000 });
  expect(turnsOf(1_000)).toBe(3);
  const stop = { kind: "stop", outcome: "stopped", limit: "time", used: 3_000, max: 3_000 };
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time", turns: 3, time: 3_000 });
});

test("a time limit that a millisecond is left of admits another request", () => {
  const { turnsOf } = timed({ time: 3_001 });
  expect(turnsOf(1_000)).toBe(4);
});

test("a time limit of 0 is the boundary before the first request, and an unlimited one never", () => {
  expect(timed({ time: 0 }).turnsOf(1)).toBe(0);
  expect(timed({ turns: 9, time: "unlimited" }).turnsOf(1e9)).toBe(9);
});

test("a clock that is set back takes no time away, and counts from there", () => {
  const governor = createGovernor({ time: 9_000 });
  governor.timeIs(1_000);
  governor.prompt();
  const spent = [5_000, 2_000, 4_000, 6_000].map((now) => {
    governor.timeIs(now);
    return governor.spent.time;
  });
  expect(spent).toEqual([4_000, 4_000, 6_000, 8_000]);
});

test("time counts from the prompt on, and not between two runs", () => {
  const { governor, pass, turnsOf } = timed({ time: 3_000 });
  turnsOf(1_000, 2);
  governor.settled();
  pass(60_000);
  expect(used(governor, "time")).toBe(2_000);
  expect(turnsOf(1_000)).toBe(1);
  governor.settled();
  governor.prompt();
  expect(used(governor, "time")).toBe(0);
  expect(turnsOf(1_000)).toBe(3);
});

test("the time in which a person is asked at the boundary does not count", () => {
  const { governor, pass, turnsOf } = timed({ turns: 1, time: 5_000, canAsk: true });
  turnsOf(1_000);
  pass(3_600_000);
  governor.answer(true);
  expect(used(governor, "time")).toBe(1_000);
  pass(500);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ time: 1_500 });
});

test("the time in which a person is asked in the middle of a turn does not count", () => {
  const { governor, pass } = timed({ time: 1_000, canAsk: true });
  governor.beforeTurn();
  pass(1_200);
  governor.overdue();
  pass(3_600_000);
  expect(used(governor, "time")).toBe(1_200);
});

test("the time in which the host waits for a person does not count", () => {
  const { governor, pass } = timed({ time: 1_000 });
  governor.beforeTurn();
  pass(100);
  governor.waiting = true;
  expect(governor.waiting).toBe(true);
  expect(governor.timeLeft).toBeUndefined();
  pass(3_600_000);
  governor.waiting = false;
  expect(governor.timeLeft).toBe(900);
  pass(100);
  expect(governor.spent.time).toBe(200);
});

test("nobody is waited for any more in the next run", () => {
  const { governor, pass } = timed({ time: 1_000 });
  governor.waiting = true;
  governor.settled();
  governor.prompt();
  pass(100);
  expect(governor.spent.time).toBe(100);
});

test("a time limit without the time is an error, and not no limit", () => {
  const alone = createGovernor({ time: 1_000 });
  const withOthers = createGovernor({
    limits: [anyOf([timeLimit(5), { name: "other", max: 1, used: () => 0 }])],
  });
  for (const governor of [alone, withOthers]) {
    governor.prompt();
    expect(() => governor.beforeTurn()).toThrow(/needs the time/);
    expect(() => governor.beforeTurn()).toThrow(/needs the time/);
    governor.timeIs(0);
    expect(governor.beforeTurn().kind).toBe("proceed");
  }
});

test("what is left of the time is said while it counts, and only then", () => {
  const { governor, pass } = timed({ turns: 1, time: 1_000, canAsk: true });
  expect(governor.timeLeft).toBe(1_000);
  governor.beforeTurn();
  pass(400);
  expect(governor.timeLeft).toBe(600);
  governor.turnEnded();
  governor.beforeTurn();
  expect([governor.status, governor.timeLeft]).toEqual(["asking", undefined]);
  governor.answer(true);
  expect(governor.timeLeft).toBe(600);
  pass(9_999);
  expect(governor.timeLeft).toBe(0);
  governor.settled();
  expect(governor.timeLeft).toBeUndefined();
  expect(timed({}).governor.timeLeft).toBeUndefined();
});

test("without a time limit a run is never overdue, nor while there is time left", () => {
  const endless = timed({});
  endless.pass(1e9);
  expect(endless.governor.overdue()).toBeUndefined();
  const { governor, pass } = timed({ time: 1_000 });
  governor.beforeTurn();
  pass(999);
  expect(governor.overdue()).toBeUndefined();
  pass(1);
  expect(governor.overdue()).toBeDefined();
});

test("a person who can be asked is asked in the middle of the turn, which goes on meanwhile", () => {
  const { governor } = overdue({ canAsk: true });
  expect(governor.overdue()).toEqual({ kind: "ask", limit: "time", used: 1_000, max: 1_000 });
  expect(governor.overdue()).toBeUndefined();
  expect(governor.timeLeft).toBeUndefined();
  expect(governor.status).toBe("running");
  expect(takeSteps(governor, 2)).toEqual(["proceed", "proceed"]);
});

test("a yes in the middle of a turn starts the time over, and no new round of turns", () => {
  const { governor, pass, turnsOf } = overdue({ turns: 9, canAsk: true });
  governor.overdue();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect([governor.timeLeft, governor.turnsUsed]).toEqual([1_000, 1]);
  pass(300);
  governor.turnEnded();
  expect(turnsOf(700)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "time", used: 1_000 });
  expect(governor.settled()).toMatchObject({ turns: 2, rounds: 1, time: 2_000 });
});

test("a no in the middle of a turn ends the run: nothing more begins in it", () => {
  const { governor } = overdue({ canAsk: true });
  governor.overdue();
  const stop = { kind: "stop", outcome: "declined", limit: "time", used: 1_000, max: 1_000 };
  expect(governor.answer(false)).toEqual(stop);
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "time" });
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.overdue()).toBeUndefined();
  expect(governor.settled()).toMatchObject({ kind: "declined", limit: "time" });
});

test("a turn that ends before the person replies leaves the next one held for the same question", () => {
  const { governor } = overdue({ canAsk: true });
  const question = governor.overdue();
  governor.turnEnded();
  expect(governor.beforeTurn()).toEqual(question);
  expect([governor.status, governor.turnsUsed]).toEqual(["asking", 1]);
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(2);
});

test("a person who replies between two turns to what was asked during the first lets the second begin", () => {
  const { governor } = overdue({ canAsk: true });
  governor.overdue();
  governor.turnEnded();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(1);
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(2);
});

test.each([
  ["nobody can be asked", {}],
  ["that is the policy", { time: { max: 1_000, onExhausted: "stop" }, canAsk: true }],
] as const)("where %s, a run that is overdue is stopped in the middle of its turn", (_where, options) => {
  const { governor } = overdue(options);
  const stop = { kind: "stop", outcome: "stopped", limit: "time", used: 1_000, max: 1_000 };
  expect(governor.overdue()).toEqual(stop);
  expect(governor.overdue()).toBeUndefined();
  expect(takeSteps(governor, 1)).toEqual(["refuse"]);
  expect(governor.beforeTurn()).toEqual(stop);
});

test.each([
  { time: { max: 1_000, onExhausted: "synthesize" }, canAsk: true },
  { time: { max: 1_000, headless: "synthesize" } },
] as const)("with %j, what is under way is cut off, and an answer without tools comes next", (options) => {
  const { governor, pass } = overdue(options);
  const reason = "Not run: the time limit is reached (1s/1s). No more tool calls are possible in this run.";
  expect(governor.overdue()).toEqual({ kind: "synthesize", limit: "time", used: 1_000, max: 1_000, reason });
  expect(governor.overdue()).toBeUndefined();
  expect(takeSteps(governor, 1)).toEqual(["refuse"]);
  governor.turnEnded("aborted");
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", message: DEFAULT_SYNTHESIS_MESSAGE });
  pass(999);
  expect([governor.timeLeft, governor.overdue()]).toEqual([1, undefined]);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", limit: "time", turns: 2 });
});

test("the answer without tools has as much time as a round, and is stopped if it takes longer [TimeForSynthesis]", () => {
  const { governor, pass } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  governor.overdue();
  governor.turnEnded("aborted");
  governor.beforeTurn();
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time", time: 2_000 });
});

test("a host that cannot go on after cutting off is told to stop instead", () => {
  const { governor } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  expect(governor.overdue(false)).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
});

test("a run that took no turn has nothing to answer from, and is stopped when its time is up", () => {
  const { governor, pass } = timed({ time: { max: 1_000, onExhausted: "synthesize" } });
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "stop", limit: "time" });
});

test("a call that hangs when another limit has made the answer without tools due is cut off for it [TimeUpHastensSynthesis]", () => {
  const steps = { max: 1, onExhausted: "synthesize" } as const;
  const { governor, pass } = timed({ steps, time: { max: 1_000, onExhausted: "stop" } });
  turnWithSteps(governor, 2);
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "synthesize", limit: "steps" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "steps" });
  expect(governor.timeLeft).toBe(1_000);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", limit: "steps" });
});

test("a host that does not get to the answer without tools ends the run [TimeUpGivesUpSynthesis]", () => {
  const { governor } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  governor.overdue();
  governor.turnEnded("aborted");
  expect(governor.overdue()).toBeUndefined();
  expect(governor.overdue(false)).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
  expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
});

test("a wrap-up that a person wants when the time is up has time again", () => {
  const { governor, turnsOf } = timed({ time: 1_000, canAsk: true });
  turnsOf(1_000);
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  expect(governor.timeLeft).toBe(1_000);
});

test("without any time a person is asked before every turn, and not in between", () => {
  const { governor } = timed({ time: 0, canAsk: true });
  governor.beforeTurn();
  expect(governor.answer(true).kind).toBe("proceed");
  expect([governor.timeLeft, governor.overdue()]).toEqual([undefined, undefined]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "time" });
});

test.each(["ask", "stop", "synthesize"] as const)(
  "an answer without tools that another limit made due is stopped when the time is up, if the policy is %s",
  (onExhausted) => {
    const steps = { max: 1, onExhausted: "synthesize" } as const;
    const { governor, pass } = timed({ steps, time: { max: 1_000, onExhausted }, canAsk: true });
    turnWithSteps(governor, 2);
    expect(governor.beforeTurn().kind).toBe("synthesize");
    pass(400);
    expect(governor.timeLeft).toBe(600);
    pass(600);
    expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
    expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time" });
  },
);

test("who has said no is not asked again when a program goes on until the time is up", () => {
  const { governor, pass } = timed({ turns: 1, time: 1_000, canAsk: true });
  takeTurns(governor);
  governor.answer(false);
  governor.settled();
  governor.beforeStep();
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "declined", limit: "time" });
});

test("a run that is over or held is not overdue", () => {
  const { governor, pass, turnsOf } = timed({ turns: 1, time: 1_000, canAsk: true });
  turnsOf(10);
  pass(5_000);
  expect([governor.status, governor.overdue()]).toEqual(["asking", undefined]);
  governor.settled();
  pass(5_000);
  expect(governor.overdue()).toBeUndefined();
});

test("a turn that is asked for again is held like any other when the time is up", () => {
  const { governor } = overdue({});
  governor.turnEnded("failed");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "time" });
});

test("how long a run took is in its outcome, if anybody said", () => {
  const { governor, pass } = timed({});
  pass(700);
  governor.beforeTurn();
  pass(300);
  expect(governor.settled()).toMatchObject({ time: 1_000 });
  const untimed = createGovernor();
  untimed.prompt();
  turnWithSteps(untimed, 1);
  expect(untimed.settled()).not.toHaveProperty("time");
});

test.each<[unknown, string]>([
  [-1, "time.max"],
  [Number.NaN, "time.max"],
  ["5m", "time.max"],
  [null, "time.max"],
  [{ max: 5, reserve: "1s" }, "time.reserve"],
  [{ max: 5, onExhausted: "raise" }, "time.onExhausted"],
  [{ max: 5, headless: "ask" }, "time.headless"],
])(
  "a time limit of %j is refused by the name of what is wrong with it, and changes nothing",
  (time, setting) => {
    const { governor } = timed({ time: 7 });
    const before = governor.state;
    expect(whyRefused(() => createGovernor({ time: time as number }))).toMatchObject({ setting });
    expect(whyRefused(() => governor.setBudgets({ cost: 1, time: time as number }))).toMatchObject({
      setting,
    });
    expect(governor.state).toEqual(before);
  },
);

/** A governor whose run a person has just prompted, and a clock for it. */
function timed(options: GovernorOptions) {
  const governor = createGovernor(options);
  let now = 1_700_000_000_000;
  const pass = (ms: number) => {
    now += ms;
    governor.timeIs(now);
  };
  pass(0);
  governor.prompt();
  return { governor, pass, turnsOf: turnsOf(governor, pass) };
}

/** One in whose first turn the time is up: 1 second of 1, unless the options say otherwise. */
function overdue(options: GovernorOptions) {
  const scene = timed({ time: 1_000, ...options });
  scene.governor.beforeTurn();
  scene.pass(1_000);
  return scene;
}

/** Takes turns of so many milliseconds, until one may not begin or `count` are done. Returns how many began. */
function turnsOf(governor: Governor, pass: (ms: number) => void) {
  return (ms: number, count = 1_000) => {
    for (let turn = 0; turn < count; turn += 1) {
      if (governor.beforeTurn().kind !== "proceed") return turn;
      pass(ms);
      governor.turnEnded();
    }
    return count;
  };
}
