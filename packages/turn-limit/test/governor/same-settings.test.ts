import { expect, test } from "vitest";
import { anyOf, type CustomLimit, type Governor, type GovernorSettings } from "../../src/index.ts";
import {
  asking,
  callTools,
  change,
  promptedAtZero,
  takeTurns,
  turnsTaking,
  turnTaking,
} from "../helpers/runs.ts";

const TEN = { input: 10, cost: 1 };

/** Every kind of limit there is, as plain data. */
const PLAIN: GovernorSettings = {
  turns: { max: 6, grace: 2, headless: "synthesize" },
  steps: { max: 9, onExhausted: "ask" },
  tokens: { max: 40, reserve: 10, cacheReads: true },
  cost: { max: 8, unpriced: "tokens" },
  time: 4_000,
  tools: { bash: 3, constructor: { max: 1, headless: "stop" as const } },
  repeats: 2,
  synthesisMessage: "Answer!",
  canAsk: true,
};

/** The same with limits of one's own, made anew each time. */
function withFunctions(): GovernorSettings {
  const answers: CustomLimit = { name: "answers", max: 5, used: ({ turns }) => turns };
  const reads: CustomLimit = { name: "reads", max: 5, used: ({ calls }) => calls.read ?? 0, tool: "read" };
  return {
    ...PLAIN,
    turns: { max: 6, grace: 2, wrapUp: { message: () => "Finish!", grace: () => 2 } },
    limits: [answers, anyOf([reads, { ...answers, name: "replies" }], { onExhausted: "stop" })],
  };
}

const SCENES: Record<string, (governor: Governor) => void> = {
  "before the first prompt": (governor) => void governor.settled(),
  "in the middle of a turn": (governor) => {
    governor.beforeTurn();
    callTools(governor, "bash", "poll");
    governor.beforeStep({ id: "1", tool: "poll", args: {} });
  },
  "at a question": (governor) => {
    turnsTaking(governor, TEN, 4);
    turnTaking(governor, TEN);
    governor.beforeTurn();
  },
  "with something granted": (governor) => {
    SCENES["at a question"]?.(governor);
    governor.answer({ more: 70 });
    governor.turnEnded({ usage: { input: 50, output: 0 } });
  },
  "with a limit lifted": (governor) => {
    SCENES["at a question"]?.(governor);
    governor.answer("unlimited");
  },
  "after a no": (governor) => {
    SCENES["at a question"]?.(governor);
    governor.answer(false);
    governor.settled();
  },
  "asking in the middle of a turn": (governor) => {
    governor.beforeTurn();
    governor.timeIs(5_000);
    governor.overdue();
  },
  "with a refused call": (governor) => {
    governor.beforeTurn();
    callTools(governor, "bash", "bash", "bash", "bash", "poll", "poll", "poll");
  },
  "with a wrap-up sent": (governor) => {
    for (let turn = 0; turn < 5; turn += 1) turnTaking(governor, { input: 1 });
  },
  "with a retry due": (governor) => {
    governor.beforeTurn();
    governor.turnEnded("failed");
  },
};

const SAME: [string, (governor: Governor, settings: () => GovernorSettings) => GovernorSettings][] = [
  ["as they were given", (_, settings) => settings()],
  ["as they are shown", (governor) => governor.view.settings],
  ["in another order", (governor) => Object.fromEntries(Object.entries(governor.view.settings).reverse())],
];

test.each(Object.keys(SCENES).flatMap((scene) => SAME.map(([how, same]) => ({ scene, how, same }))))(
  "the same settings again $how, $scene, change nothing at all [SameSettingsChangeNothing]",
  ({ scene, same }) => {
    for (const settings of [() => PLAIN, withFunctions]) {
      const governor = promptedAtZero(settings());
      SCENES[scene]?.(governor);
      const before = governor.state;
      const { question, standings } = governor.view;
      for (let again = 0; again < 3; again += 1) governor.configure(same(governor, settings));
      expect(governor.state).toEqual(before);
      expect(governor.view.question).toEqual(question);
      expect(governor.view.standings).toEqual(standings);
    }
  },
);

test.each(Object.keys(SCENES))(
  "settings that went through JSON, %s, are the same [SameSettingsChangeNothing]",
  (scene) => {
    const governor = promptedAtZero(PLAIN);
    SCENES[scene]?.(governor);
    const before = governor.state;
    for (const settings of [PLAIN, governor.view.settings])
      governor.configure(JSON.parse(JSON.stringify(settings)));
    expect(governor.state).toEqual(before);
  },
);

test("a limit as a number and as an object with that maximum is the same [SameSettingsChangeNothing]", () => {
  const governor = asking();
  const before = governor.state;
  for (const turns of [
    2,
    { max: 2 },
    { max: 2, onExhausted: "ask", headless: "stop", grace: 0, wrapUp: {} },
  ] as const)
    governor.configure({ turns, canAsk: true });
  expect(governor.state).toEqual(before);
});

test("the same settings again leave a no a no, a grant a grant, and a question its id [SameSettingsChangeNothing]", () => {
  const governor = asking();
  change(governor, {});
  expect(governor.view.question?.id).toBe(1);
  governor.answer({ more: 3 });
  governor.turnEnded();
  change(governor, {});
  expect(takeTurns(governor)).toBe(2);
  governor.answer(false);
  governor.settled();
  change(governor, {});
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
});
