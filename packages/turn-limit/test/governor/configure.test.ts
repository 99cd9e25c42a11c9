import { expect, test } from "vitest";
import {
  allOf,
  anyOf,
  type CustomLimit,
  createGovernor,
  type Governor,
  type GovernorSettings,
  tokenLimit,
  toolLimit,
} from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  asking,
  callTool,
  callTools,
  change,
  prompted,
  promptedAtZero,
  takeTurns,
  turnsTaking,
  turnTaking,
  used,
  whyRefused,
} from "../helpers/runs.ts";

const TEN = { input: 10, cost: 1 };

test("what is left out has its default, and no limit that has none [SettingsCompared] [LimitRemoved]", () => {
  const governor = promptedAtZero({
    turns: 5,
    tokens: 100,
    time: 50,
    tools: { bash: 5, read: 5 },
    repeats: 2,
  });
  governor.beforeTurn();
  callTools(governor, "bash", "read");
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  governor.configure({ tokens: 50, tools: { read: 5 } });
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 1, max: 25 },
    { ...named("tokens"), used: 10, max: 50 },
    { ...named("tools.read"), used: 1, max: 5 },
  ]);
});

test("a new limit of a tool starts at 0 [BudgetOpens]", () => {
  const governor = prompted({ tools: { read: 5 } });
  governor.beforeTurn();
  callTools(governor, "read", "write");
  governor.configure({ tools: { read: 5, write: 5 } });
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 1, max: 25 },
    { ...named("tools.read"), used: 1, max: 5 },
    { ...named("tools.write"), used: 0, max: 5 },
  ]);
});

/** Each kind of limit with two maximums, and a turn that uses up the first of them. */
const CHANGES: [string, (max: number | "unlimited") => GovernorSettings][] = [
  ["turns", (max) => ({ turns: max })],
  ["steps", (max) => ({ steps: { max, onExhausted: "ask" } })],
  ["tokens", (max) => ({ tokens: max })],
  ["cost", (max) => ({ cost: max })],
  ["time", (max) => ({ time: max })],
  ["tools.bash", (max) => ({ tools: { bash: max } })],
  ["answers", (max) => ({ limits: [{ name: "answers", max, used: ({ turns }) => turns }] })],
];

/** A governor of whose limit of 1 all is used. */
function allUsed(settings: GovernorSettings): Governor {
  const governor = promptedAtZero({ turns: 9, ...settings, canAsk: true });
  governor.beforeTurn();
  for (let call = 0; call < 2; call += 1) governor.beforeStep({ tool: "bash" });
  governor.timeIs(1);
  governor.turnEnded({ usage: { input: 1, output: 0, cost: 1 } });
  return governor;
}

test.each(CHANGES)(
  "%s: from number to number the counter keeps its value, and the grant is gone [LimitChanged]",
  (limit, of) => {
    const governor = allUsed(of(1));
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit });
    governor.answer({ more: 9 });
    const before = used(governor, limit);
    governor.configure({ turns: 9, ...of(7), canAsk: true });
    expect(governor.view.standings).toContainEqual({ ...named(limit), used: before, max: 7 });
  },
);

test.each(CHANGES)("%s: from unlimited to a number the counter starts over [LimitReEnabled]", (limit, of) => {
  const governor = allUsed(of("unlimited"));
  governor.configure({ turns: 9, ...of(1), canAsk: true });
  expect(governor.view.standings).toContainEqual({ ...named(limit), used: 0, max: 1 });
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
});

test.each(CHANGES)(
  "%s: a limit that is removed and set again starts over [LimitRemoved] [LimitReEnabled]",
  (limit, of) => {
    const governor = allUsed(of(1));
    governor.configure({ turns: 9, ...of("unlimited"), canAsk: true });
    expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
    governor.configure({ turns: 9, ...of(5), canAsk: true });
    expect(governor.view.standings).toContainEqual({ ...named(limit), used: 0, max: 5 });
  },
);

test.each(CHANGES)(
  "%s: a raised limit answers the question, and the turn that waited begins [QuestionOvertaken]",
  (limit, of) => {
    const governor = allUsed(of(1));
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit });
    governor.configure({ turns: 9, ...of(5), canAsk: true });
    expect(governor.view).toMatchObject({ question: null, status: "running" });
    expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
  },
);

test.each(CHANGES)("%s: a changed limit takes back a no [ChangeTakesBackANo]", (limit, of) => {
  const governor = allUsed(of(1));
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined", limit });
  governor.settled();
  governor.configure({ turns: 9, ...of(1), repeats: 99, canAsk: true });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit });
});

test("repeats keep their row from number to number, and start over from unlimited [LimitChanged] [LimitReEnabled]", () => {
  const governor = prompted({ repeats: 5 });
  governor.beforeTurn();
  callTools(governor, "poll", "poll");
  change(governor, { repeats: 2 });
  expect(callTool(governor, "poll").kind).toBe("refuse");
  change(governor, { repeats: "unlimited" });
  change(governor, { repeats: 2 });
  expect(callTools(governor, "poll", "poll", "poll")).toEqual(["proceed", "proceed", "refuse"]);
});

test.each<[string, GovernorSettings]>([
  ["policy", { tokens: { max: 10, onExhausted: "stop" } }],
  ["headless", { tokens: { max: 10, headless: "synthesize" } }],
  ["reserve", { tokens: { max: 10, reserve: 1 } }],
  ["what counts", { tokens: { max: 10, cacheReads: true } }],
])(
  "where only the %s changes, counter and grant stay, and a no is taken back [PolicyChanged]",
  (_what, settings) => {
    const granted = prompted({ tokens: 10, canAsk: true });
    turnsTaking(granted, TEN);
    granted.answer({ more: 30 });
    granted.turnEnded({ usage: { input: 20, output: 0 } });
    granted.configure({ ...settings, canAsk: true });
    expect(granted.view.standings).toContainEqual({ ...named("tokens"), used: 20, max: 30 });

    const declined = prompted({ tokens: 10, canAsk: true });
    turnsTaking(declined, TEN);
    declined.answer(false);
    declined.settled();
    declined.configure({ ...settings, canAsk: true });
    expect(declined.beforeTurn()).not.toMatchObject({ outcome: "declined" });
  },
);

test("another grace, or another wording, is no other limit: a no stands [GraceChanged]", () => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  change(governor, { turns: { grace: 1, wrapUp: { message: "Now." } }, synthesisMessage: "Answer!" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
  expect(governor.view.settings).toMatchObject({ turns: { grace: 1 }, synthesisMessage: "Answer!" });
});

test.each([
  ["stop", "stop"],
  ["synthesize", "synthesize"],
] as const)(
  "when the person goes while the question is open, it is dropped, and %s decides [CanAskChanged]",
  (headless, kind) => {
    const governor = asking({ headless });
    change(governor, { canAsk: false });
    expect(governor.view).toMatchObject({ question: null, status: "running" });
    expect(governor.beforeTurn()).toMatchObject({ kind, limit: "turns" });
  },
);

test("when a person comes, what would have been a stop is a question [CanAskChanged]", () => {
  const governor = prompted({ turns: 1 });
  takeTurns(governor, 1);
  change(governor, { canAsk: true });
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("a person who comes and goes takes back no no [CanAskChanged] [DeclineStands]", () => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  change(governor, { canAsk: false });
  change(governor, { canAsk: true });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
});

test("a time limit lowered or set in the middle of a turn is noticed in that turn [ChangedTimeHoldsAtOnce]", () => {
  const governor = promptedAtZero({ time: 100 });
  governor.beforeTurn();
  governor.timeIs(60);
  change(governor, { time: 70 });
  expect(governor.view.timeLeft).toBe(10);
  change(governor, { time: 50 });
  expect(governor.view.timeLeft).toBe(0);
  expect(governor.overdue()).toMatchObject({ kind: "stop", ...named("time"), used: 60, max: 50 });

  const unlimited = promptedAtZero({});
  unlimited.beforeTurn();
  unlimited.timeIs(60);
  change(unlimited, { time: 50 });
  expect(unlimited.view.timeLeft).toBe(50);
});

test("a limit of one's own is compared by its data; a function made anew is no change", () => {
  const answers = (max: number, factor = 1): CustomLimit => ({
    name: "answers",
    max,
    used: ({ turns }) => turns * factor,
  });
  const governor = prompted({ limits: [answers(2)], canAsk: true });
  takeTurns(governor);
  governor.answer(false);
  governor.settled();
  governor.configure({ limits: [answers(2)], canAsk: true });
  expect(governor.view.exhausted).toBe(true);
  governor.configure({ limits: [answers(3)], canAsk: true });
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
  governor.configure({ limits: [answers(9, 3)], canAsk: true });
  expect(used(governor, "answers")).toBe(9);
});

test("a group is compared by its members, and with any of them changed its grant is gone", () => {
  const group = (max: number) => anyOf([toolLimit("bash", 9), tokenLimit(max)]);
  const governor = prompted({ limits: [group(10)], canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer("unlimited");
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  governor.configure({ limits: [group(10)], canAsk: true });
  expect(turnTaking(governor, TEN)).toBe("proceed");
  governor.configure({ limits: [group(20)], canAsk: true });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 20, max: 20 });
});

test.each<[string, unknown]>([
  ["turns.max", { turns: -1 }],
  ["turns", { turns: [5] }],
  ["tools", { tools: new Map([["bash", 5]]) }],
  ["limits", { limits: {} }],
  ["limits[0]", { limits: [5] }],
  ["turn", { turn: 5 }],
  ["turns.maximum", { turns: { maximum: 5 } }],
  ["tools.bash.limit", { tools: { bash: { limit: 5 } } }],
  ["canAsk", { canAsk: "yes" }],
  ["synthesisMessage", { synthesisMessage: 5 }],
  ["turns.wrapUp.message", { turns: { wrapUp: { message: 5 } } }],
  ["turns.wrapUp.text", { turns: { wrapUp: { text: "Now." } } }],
  ["turns.wrapUp.grace", { turns: { wrapUp: { grace: 2 } } }],
  ["state", { state: undefined }],
  ["broken.used", { limits: [{ name: "broken", max: 5, used: () => Number.NaN }] }],
  ["answers.used", { limits: [{ name: "answers", max: 5, used: () => "5" }] }],
  ["settings", null],
  ["settings", []],
  ["settings", new Map([["turns", 5]])],
  ["settings", "turns=5"],
])("%s that is wrong is refused by name, and nothing changes [BadSettingsRefused]", (setting, wrong) => {
  const answers: CustomLimit = { name: "answers", max: 9, used: ({ turns }) => turns };
  const governor = prompted({ turns: 2, tokens: 50, tools: { bash: 1 }, limits: [answers], canAsk: true });
  takeTurns(governor);
  const before = governor.state;
  const { settings } = governor.view;
  const given =
    typeof wrong === "object" && wrong && Object.getPrototypeOf(wrong) === Object.prototype
      ? { tokens: 5, tools: { bash: 9 }, ...wrong }
      : wrong;
  expect(whyRefused(() => governor.configure(given as GovernorSettings))).toMatchObject({ setting });
  if (setting !== "state")
    expect(whyRefused(() => createGovernor(given as GovernorSettings))).toMatchObject({ setting });
  expect(governor.state).toEqual(before);
  expect(governor.view.settings).toBe(settings);
});

test("a used function that throws keeps the new settings out, too [BadSettingsRefused]", () => {
  const governor = prompted({ turns: 2, tokens: 50 });
  const before = governor.state;
  const used = () => {
    throw new Error("no idea");
  };
  expect(() =>
    governor.configure({ turns: 9, tokens: 5, limits: [{ name: "broken", max: 5, used }] }),
  ).toThrow("no idea");
  expect(governor.state).toEqual(before);
});

test("a group that was never reached, because of what is unlimited in it, starts over when it can be [LimitReEnabled]", () => {
  const words: CustomLimit = { name: "words", max: 5, used: ({ output }) => output };
  for (const group of [
    (max: number | "unlimited") => anyOf([tokenLimit(max)]),
    (max: number | "unlimited") => allOf([words, tokenLimit(max)]),
  ]) {
    const governor = prompted({ limits: [group("unlimited")] });
    turnTaking(governor, { output: 50 });
    expect(used(governor, "tokens")).toBeUndefined();
    governor.configure({ limits: [group(20)] });
    expect(used(governor, "tokens")).toBe(0);
  }
});
