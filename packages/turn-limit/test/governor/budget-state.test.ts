import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Ask,
  allOf,
  type CustomLimit,
  createGovernor,
  type Governor,
  type GovernorOptions,
} from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { callTool, callTools, change, prompted, saved, turnsTaking, turnTaking } from "../helpers/runs.ts";

const answers: CustomLimit = { name: "answers", max: 6, used: ({ turns }) => turns };
const replies: CustomLimit = { name: "replies", max: 5, used: ({ turns }) => turns };
const LIMITS = [answers, allOf([replies, { ...answers, name: "turns of mine" }])];

const OPTIONS: GovernorOptions = {
  turns: 9,
  tokens: { max: 40, reserve: 10, cacheReads: true },
  cost: { max: 0.8, unpriced: "tokens" },
  time: 4_000,
  tools: { bash: 3, constructor: 1 },
  repeats: 2,
  limits: LIMITS,
};

const TEN = { input: 10, cost: 0.1 };

const SCENES: Record<string, (governor: Governor) => void> = {
  "with everything partly used": (governor) => {
    turnTaking(governor, { ...TEN, cacheRead: 5 });
    callTools(governor, "bash", "constructor");
    governor.timeIs(1_500);
  },
  "with a question about tokens open": (governor) => {
    turnsTaking(governor, TEN, 3);
    turnTaking(governor, TEN);
    governor.beforeTurn();
  },
  "after a yes": (governor) => {
    SCENES["with a question about tokens open"]?.(governor);
    governor.answer(true);
  },
  "with something granted": (governor) => {
    SCENES["with a question about tokens open"]?.(governor);
    governor.answer({ more: 60 });
  },
  "with a limit lifted": (governor) => {
    SCENES["with a question about tokens open"]?.(governor);
    governor.answer("unlimited");
  },
  "in a turn that is to wrap up": (governor) => {
    SCENES["with a question about tokens open"]?.(governor);
    governor.answer("wrap-up");
  },
  "after the time was up in the middle of a turn": (governor) => {
    change(governor, { time: { max: 500, onExhausted: "stop" } });
    governor.beforeTurn();
    governor.timeIs(1_000);
    governor.overdue();
  },
  "while a person is waited for": (governor) => {
    governor.beforeTurn();
    governor.waiting(true);
  },
  "with a refused call of a tool": (governor) => {
    governor.beforeTurn();
    callTools(governor, "bash", "bash", "bash", "bash");
  },
  "between a call and its result": (governor) => {
    governor.beforeTurn();
    callTool(governor, "poll");
    governor.beforeStep({ id: "1", tool: "poll", args: {} });
    governor.beforeStep({ id: "2", tool: "poll", args: {} });
    governor.stepEnded({ id: "2", result: "done" });
  },
  "with a model that was just told that results will not change": (governor) => {
    governor.beforeTurn();
    callTools(governor, "poll", "poll", "poll");
  },
  "with a model that was told so before": (governor) => {
    governor.beforeTurn();
    callTools(governor, "poll", "poll", "poll");
    governor.turnEnded();
    governor.beforeTurn();
  },
  "with a loop that goes on": (governor) => {
    governor.beforeTurn();
    callTools(governor, "poll", "poll", "poll");
    governor.turnEnded();
    governor.beforeTurn();
    callTools(governor, "poll");
  },
  "with two calls that alternate": (governor) => {
    governor.beforeTurn();
    callTools(governor, "poll", "read", "poll");
  },
  "without a price": (governor) => {
    governor.beforeTurn({ priced: false });
  },
  "with other budgets than at first": (governor) => {
    turnTaking(governor, TEN);
    change(governor, { tokens: "unlimited", cost: { max: 0.3, onExhausted: "synthesize" } });
    change(governor, { tokens: 20, tools: { read: 1 } });
  },
  "after the answer without tools was made due": (governor) => {
    change(governor, { time: { max: 500, onExhausted: "synthesize" } });
    governor.beforeTurn();
    governor.timeIs(1_000);
    governor.overdue();
  },
  "after a no": (governor) => {
    SCENES["with a question about tokens open"]?.(governor);
    governor.answer(false);
  },
  "between two runs": (governor) => {
    turnTaking(governor, TEN);
    governor.settled();
  },
  "between the admission of a request and its sending": (governor) => {
    governor.beforeTurn();
    governor.requestSent();
    governor.turnEnded("failed");
    governor.beforeTurn();
    governor.beforeStep({ tool: "bash" });
  },
};

const SCENES_AND_PEOPLE = [true, false].flatMap((canAsk) =>
  Object.entries(SCENES).map(([name, scene]) => ({
    name,
    scene,
    canAsk,
    who: canAsk ? "someone" : "nobody",
  })),
);

test.each(SCENES_AND_PEOPLE)(
  "a governor saved $name, with $who to ask, goes on as if it had never been saved",
  ({ scene, canAsk }) => {
    const governor = started({ ...OPTIONS, canAsk });
    scene(governor);
    const restored = saved(governor, { canAsk, limits: LIMITS });

    expect(restored.state).toEqual(governor.state);
    expect(whatFollows(restored)).toEqual(whatFollows(governor));
    expect(restored.state).toEqual(governor.state);
  },
);

test.each(SCENES_AND_PEOPLE)(
  "what was saved $name, with $who to ask, is not changed by what happens afterwards",
  ({ scene, canAsk }) => {
    const governor = started({ ...OPTIONS, canAsk });
    scene(governor);
    const { state } = governor;
    const copy = structuredClone(state);
    whatFollows(governor);
    whatFollows(createGovernor({ canAsk, limits: LIMITS, state }));
    expect(state).toEqual(copy);
  },
);

test("a governor that is saved, and given its settings again, after every event does the same as one that never is [SameSettingsChangeNothing]", () => {
  const anything = fc.property(
    fc.array(fc.nat(EVENTS.length - 1), { maxLength: 40, size: "max" }),
    (indices) => {
      const steady = started({ ...OPTIONS, canAsk: true });
      let restless = saved(steady, { canAsk: true, limits: LIMITS });
      for (const index of indices) {
        const event = EVENTS[index];
        expect(event?.(restless)).toEqual(event?.(steady));
        restless.configure(restless.view.settings);
        expect(restless.state).toEqual(steady.state);
        // What is asked in the middle of a turn is not saved.
        const { status, question } = restless.view;
        if (status === "asking" || !question) restless = saved(restless, { canAsk: true, limits: LIMITS });
      }
    },
  );
  fc.assert(anything, { numRuns: 60 });
});

test("what a person was asked in the middle of a turn is not saved, because whoever asked is gone: it is asked again", () => {
  const governor = askedMidTurn();
  const asked = governor.view.question?.id;
  const restored = saved(governor, { canAsk: true });
  expect(restored.view).toMatchObject({ status: "running", question: null, timeLeft: 0 });

  const ask = restored.overdue() as Ask;
  expect(ask).toMatchObject({ kind: "ask", midTurn: true, ...named("time"), used: 4_000, max: 4_000 });
  expect(ask.id).not.toBe(asked);
  expect(restored.answer(false, { ...ask, id: asked as number })).toEqual({ kind: "proceed" });
  expect(restored.view.question?.id).toBe(ask.id);

  expect(restored.answer(true, ask)).toEqual({ kind: "proceed" });
  expect(restored.view).toMatchObject({ question: null, timeLeft: 4_000 });
});

test("where the next turn comes before it is asked again, that turn is held", () => {
  const restored = saved(askedMidTurn(), { canAsk: true });
  restored.turnEnded();
  const ask = restored.beforeTurn();
  expect(ask).toMatchObject({ kind: "ask", limit: "time" });
  expect(ask).not.toHaveProperty("midTurn");
  expect(restored.answer(false).kind).toBe("stop");
});

test("saved budgets win over those a governor is made with", () => {
  const { state } = prompted({ tokens: 5, tools: { bash: 1 } });
  const governor = createGovernor({ tokens: 99, cost: 99, tools: { read: 9 }, state });
  const { tokens, cost, tools } = governor.view.settings;
  expect([tokens.max, cost.max, Object.keys(tools), tools.bash?.max]).toEqual([5, "unlimited", ["bash"], 1]);
});

test("limits of one's own are not saved, only what is used of them: they have to be given again", () => {
  const governor = prompted({ limits: [{ ...answers, max: 3 }], canAsk: true });
  turnsTaking(governor, TEN, 3);
  governor.beforeTurn();
  governor.answer(true);
  governor.turnEnded();
  expect(() => saved(governor)).toThrow(
    'limits must be given again: the saved state knows it, not "answers"',
  );
  expect(saved(governor, { limits: [{ ...answers, max: 3 }] }).view.standings.at(-1)).toEqual({
    ...named("answers"),
    used: 1,
    max: 3,
  });
});

test("a saved question that is taken up where nobody can be asked is a stop", () => {
  const governor = prompted({ tokens: 10, canAsk: true });
  turnsTaking(governor, TEN);
  expect(saved(governor).beforeTurn()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("tokens"),
  });
});

test("time goes on over a save: it is the host who says what time it is", () => {
  const governor = started({ time: 5_000 });
  governor.timeIs(1_000);
  const restored = saved(governor);
  restored.timeIs(3_000);
  expect(restored.view.totals.time).toBe(3_000);
});

function askedMidTurn(): Governor {
  const governor = started({ time: 4_000, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(4_000);
  governor.overdue();
  governor.timeIs(9_000);
  return governor;
}

function started(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.timeIs(0);
  governor.prompt();
  return governor;
}

const EVENTS: ((governor: Governor) => unknown)[] = [
  (governor) => governor.beforeTurn(),
  (governor) => governor.beforeTurn(),
  (governor) => governor.turnEnded({ usage: { input: 7, output: 3, cacheRead: 1, cost: 0.1 } }),
  (governor) => governor.turnEnded({ failure: "failed", usage: { input: 3, output: 0 } }),
  (governor) => governor.turnDiscarded(),
  (governor) => callTool(governor, "poll"),
  (governor) => callTool(governor, "bash"),
  (governor) => governor.beforeStep({ id: "late", tool: "poll", args: {} }),
  (governor) => governor.stepEnded({ id: "late", result: "done" }),
  (governor) => governor.answer(true),
  (governor) => governor.answer({ more: 3 }),
  (governor) => governor.answer("wrap-up"),
  (governor) => governor.answer("unlimited"),
  (governor) => governor.answer(false),
  (governor) => governor.timeIs((governor.state.meter.now ?? 0) + 700),
  (governor) => governor.overdue(),
  (governor) => governor.spend("nested", { input: 5, output: 5, cost: 0.3 }),
  (governor) => governor.requestSent(),
  (governor) => governor.stepExecuted(),
  (governor) => governor.requestWrapUp(),
  (governor) => governor.takeWrapUp(),
  (governor) => change(governor, { tokens: 30 }),
  (governor) => governor.settled(),
  (governor) => governor.prompt(),
];

/** Everything a host gets to see from here on, until the run has settled and another one has been lived through. */
function whatFollows(governor: Governor): unknown[] {
  const seen: unknown[] = [
    governor.view.standings,
    governor.view.unpriced,
    governor.view.timeLeft,
    governor.view.question,
  ];
  governor.stepEnded({ id: "1", result: "done" });
  for (let turn = 1; turn < 12; turn += 1) {
    const now = (governor.state.meter.now ?? 0) + 400;
    seen.push(callTool(governor, "poll"), callTool(governor, "bash"), callTool(governor, "constructor"));
    governor.timeIs(now);
    seen.push(governor.overdue(), governor.requestSent(), governor.stepExecuted());
    governor.turnEnded({ usage: { input: 8, output: 2, cost: 0.1 } });
    seen.push(governor.takeWrapUp(), governor.beforeTurn(), governor.view.standings);
    seen.push(turn % 3 ? governor.answer(true) : governor.answer({ more: turn }));
  }
  seen.push(governor.settled(), governor.view.exhausted);
  governor.prompt();
  seen.push(turnsTaking(governor, TEN), governor.view.standings, governor.settled());
  return seen;
}
