import { expect, test } from "vitest";
import { createGovernor, type Governor, type GovernorOptions } from "../../src/index.ts";
import { asking, saved, takeSteps, takeTurns, turnWithSteps, used } from "../helpers/runs.ts";

const OPTIONS: GovernorOptions = {
  turns: { max: 3, grace: 1, headless: "synthesize" },
  steps: { max: 4, onExhausted: "synthesize" },
};

const SCENES: Record<string, (governor: Governor) => void> = {
  "before the first prompt": () => {},
  "with a turn under way": (governor) => {
    governor.prompt();
    governor.beforeTurn();
  },
  "between a failure and its retry": (governor) => {
    governor.prompt();
    governor.beforeTurn();
    governor.turnEnded("failed");
  },
  "between two steps": (governor) => {
    governor.prompt();
    governor.beforeTurn();
    takeSteps(governor, 2);
  },
  "with a wrap-up asked for": (governor) => {
    governor.prompt();
    governor.requestWrapUp();
  },
  "with a wrap-up taken": (governor) => {
    governor.prompt();
    takeTurns(governor, 2);
    governor.takeWrapUp();
  },
  "with the tools-free turn due": (governor) => {
    governor.prompt();
    turnWithSteps(governor, 5);
  },
  "with the tools-free turn under way": (governor) => {
    governor.prompt();
    turnWithSteps(governor, 5);
    governor.beforeTurn();
  },
  "between the tools-free turn's failure and its retry": (governor) => {
    governor.prompt();
    turnWithSteps(governor, 5);
    governor.beforeTurn();
    governor.turnEnded("failed");
  },
  "at the turn limit": (governor) => {
    governor.prompt();
    for (let turn = 0; turn < 4; turn += 1) turnWithSteps(governor, 0);
  },
  "while being stopped": (governor) => {
    governor.prompt();
    for (let turn = 0; turn < 5; turn += 1) turnWithSteps(governor, 0);
    governor.answer(false);
  },
  "between two runs": (governor) => {
    governor.prompt();
    turnWithSteps(governor, 1);
    governor.settled();
  },
  "out of steps between two runs": (governor) => {
    governor.prompt();
    turnWithSteps(governor, 5);
    governor.settled();
  },
};

const PEOPLE: [string, boolean][] = [
  ["someone", true],
  ["unanswered", false],
];

const SCENES_AND_PEOPLE = PEOPLE.flatMap(([who, canAsk]) =>
  Object.entries(SCENES).map(([name, scene]) => ({ name, scene, who, canAsk })),
);

test.each(SCENES_AND_PEOPLE)(
  "a governor saved $name, with $who to ask, goes on as if it had never been saved",
  ({ scene, canAsk }) => {
    const governor = createGovernor({ ...OPTIONS, canAsk });
    scene(governor);
    const restored = createGovernor({ canAsk, state: JSON.parse(JSON.stringify(governor.state)) });

    expect(restored.state).toEqual(governor.state);
    expect(whatFollows(restored)).toEqual(whatFollows(governor));
  },
);

test("the same events give the same decisions", () => {
  const life = () => {
    const governor = createGovernor({ ...OPTIONS, canAsk: true });
    return Object.values(SCENES).map((scene) => {
      scene(governor);
      return [whatFollows(governor), governor.state];
    });
  };
  expect(life()).toEqual(life());
});

test("what was saved is not changed by what happens afterwards", () => {
  for (const scene of Object.values(SCENES)) {
    const governor = createGovernor({ ...OPTIONS, canAsk: true });
    scene(governor);
    const saved = governor.state;
    const copy = structuredClone(saved);
    whatFollows(governor);
    whatFollows(createGovernor({ state: saved }));
    expect(saved).toEqual(copy);
  }
});

test("a question that is taken up where nobody can be asked is a stop [HeadlessNeverWaits]", () => {
  const headless = createGovernor({ state: asking().state });
  expect(headless.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped" });
});

test("a question that is taken up where nobody can be asked can be salvaged [HeadlessNeverWaits] [LimitSynthesizes]", () => {
  const headless = saved(asking({ headless: "synthesize" }));
  expect(headless.beforeTurn().kind).toBe("synthesize");
  expect(headless.view.status).toBe("running");
  headless.turnEnded();
  expect(headless.settled()?.kind).toBe("salvaged");
});

test("a saved limit wins over the one a governor is made with", () => {
  const governor = createGovernor({ turns: { max: 99, grace: 9 }, steps: 9, state: asking().state });
  const { turns, steps } = governor.view.settings;
  expect([turns.max, turns.grace, steps.max]).toEqual([2, 0, "unlimited"]);
});

test("how a wrap-up is worded is not saved, and comes from the options", () => {
  const { state } = createGovernor({ turns: { max: 2, grace: 1 } });
  const governor = createGovernor({ turns: { wrapUp: { message: "Finish!" } }, state });
  governor.prompt();
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBe("Finish!");
});

/** Everything a host gets to see from here on, until the run has settled and two more have been lived through. */
function whatFollows(governor: Governor): unknown[] {
  const seen: unknown[] = [governor.takeWrapUp(), governor.beforeTurn(), governor.answer(true)];
  seen.push(takeSteps(governor, 2), governor.view.totals.steps);
  governor.turnEnded();
  for (let turn = 0; turn < 4; turn += 1) {
    seen.push(governor.beforeTurn(), used(governor, "turns"));
    governor.turnEnded(turn === 1 ? "failed" : undefined);
  }
  seen.push(governor.answer(false), governor.settled());
  seen.push(governor.beforeTurn(), governor.beforeStep(), governor.view.exhausted, governor.settled());
  governor.prompt();
  seen.push(takeTurns(governor), governor.view.exhausted, governor.settled());
  return seen;
}
