import { expect, test } from "vitest";
import { anyOf, type CustomLimit, createGovernor, timeLimit, toolLimit } from "../../src/index.ts";
import {
  callTools,
  change,
  prompted,
  promptedAtZero,
  saved,
  takeTurns,
  turnTaking,
  used,
  whyRefused,
} from "../helpers/runs.ts";

const answers: CustomLimit = { name: "answers", max: 3, used: ({ turns }) => turns };

test.each<[unknown, string]>([
  [{ ...answers, before: "call" }, "answers.before"],
  [{ ...answers, tool: null }, "answers.tool"],
  [{ ...answers, name: "turns" }, "limits[0].name"],
  [{ ...answers, name: "tools.bash" }, "limits[0].name"],
  [{ ...answers, limit: 5 }, "answers.limit"],
  [{ ...answers, max: undefined }, "answers.max"],
  [{ anyOf: [{ ...answers, name: "cost" }] }, "limits[0].anyOf[0].name"],
])(
  "a limit of one's own that is %j is refused by the name of what is wrong [BadSettingsRefused]",
  (limit, setting) => {
    const governor = createGovernor();
    const settings = { limits: [limit as CustomLimit] };
    expect(whyRefused(() => createGovernor(settings))).toMatchObject({ setting });
    expect(whyRefused(() => governor.configure(settings))).toMatchObject({ setting });
  },
);

test.each<[string, CustomLimit[]]>([
  ["alone", [{ name: "minutes", max: 5, used: ({ time }) => time / 60_000 }]],
  ["before calls", [{ name: "minutes", max: 5, used: ({ time }) => time, before: "step" }]],
])(
  "a limit on time of one's own, %s, needs the time: without it, it is an error and not no limit",
  (_how, limits) => {
    const governor = prompted({ limits });
    for (const act of [() => governor.beforeTurn(), () => governor.beforeStep()])
      expect(act).toThrow("A time limit needs the time: call timeIs(Date.now()) before each other event.");
    expect(governor.view.totals).toMatchObject({ turns: 0, steps: 0 });
    governor.timeIs(0);
    expect(governor.beforeTurn().kind).toBe("proceed");
  },
);

test("a limit that reads the time only later needs it then", () => {
  const late: CustomLimit = { name: "late", max: 5, used: (totals) => (totals.turns > 1 ? totals.time : 0) };
  const governor = prompted({ limits: [late] });
  expect(() => takeTurns(governor)).toThrow("needs the time");
});

test("a limit that is changed to read the time needs it from then on", () => {
  const governor = prompted({ limits: [answers] });
  governor.beforeTurn();
  governor.configure({ limits: [{ ...answers, used: ({ time }) => time }] });
  expect(() => governor.beforeTurn()).toThrow("needs the time");
});

test("a limit on time in a group needs the time as well", () => {
  const governor = prompted({ limits: [anyOf([timeLimit(5), answers])] });
  expect(() => governor.beforeTurn()).toThrow("needs the time");
});

test.each<[string, CustomLimit]>([
  ["reads calls by tool", { name: "reads", max: 5, used: ({ calls }) => calls.read ?? 0 }],
  ["adds up all of them", { name: "calls", max: 5, used: ({ calls }) => Object.values(calls).length }],
  ["is of one tool", { name: "reads", max: 5, used: ({ steps }) => steps, tool: "read" }],
])("a limit that %s needs the call: without it, it is an error and not no limit", (_what, limit) => {
  const governor = prompted({ limits: [limit] });
  governor.beforeTurn();
  for (const call of [undefined, {}, { id: "1" }])
    expect(() => governor.beforeStep(call)).toThrow(/need the call: beforeStep\(\{ id, tool, args \}\)/);
  expect(governor.view.totals.steps).toBe(0);
  expect(governor.beforeStep({ tool: "read" }).kind).toBe("proceed");
});

test("in an any-of of tools a later call that is admitted does not forgive an earlier one that was refused", () => {
  const governor = prompted({ limits: [anyOf([toolLimit("read", 1), toolLimit("write", 5)])], canAsk: true });
  governor.beforeTurn();
  expect(callTools(governor, "read", "read", "write", "write")).toEqual([
    "proceed",
    "refuse",
    "proceed",
    "proceed",
  ]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "tools.read", used: 1, max: 1 });
});

test("limits of one's own start over as a whole, and alone where only they are used up", () => {
  const words: CustomLimit = { name: "words", max: 10, used: ({ output }) => output };
  const governor = prompted({ limits: [answers, words], canAsk: true });
  turnTaking(governor, { output: 10 });
  governor.beforeTurn();
  governor.answer(true);
  expect([used(governor, "answers"), used(governor, "words")]).toEqual([2, 0]);
});

test("all that is measured can be read by a limit of one's own", () => {
  let read = {};
  const everything: CustomLimit = {
    name: "everything",
    max: 1e9,
    used: ({ turns, steps, time, input, output, cacheRead, cacheWrite, cost, calls }) => {
      read = { turns, steps, time, input, output, cacheRead, cacheWrite, cost, calls: { ...calls } };
      return 0;
    },
  };
  const governor = promptedAtZero({ limits: [everything] });
  governor.beforeTurn();
  callTools(governor, "bash", "read", "bash");
  governor.timeIs(7);
  governor.turnEnded({ usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 } });
  governor.beforeTurn();
  expect(read).toEqual({
    turns: 1,
    steps: 3,
    time: 7,
    input: 1,
    output: 2,
    cacheRead: 3,
    cacheWrite: 4,
    cost: 0.5,
    calls: { bash: 2, read: 1 },
  });
});

test("a limit of one's own that is left out of new settings is gone, and given again starts over [LimitRemoved] [LimitReEnabled]", () => {
  const governor = prompted({ limits: [answers] });
  takeTurns(governor, 2);
  change(governor, { limits: [] });
  expect(used(governor, "answers")).toBeUndefined();
  change(governor, { limits: [answers] });
  expect(used(governor, "answers")).toBe(0);
});

test("a saved state is taken up with the limits of one's own that it knows, and with no others", () => {
  const governor = prompted({ limits: [answers] });
  takeTurns(governor, 2);
  expect(used(saved(governor, { limits: [answers] }), "answers")).toBe(2);
  expect(whyRefused(() => saved(governor))).toMatchObject({ setting: "limits", value: "answers" });
  const more = [answers, { ...answers, name: "more" }];
  expect(whyRefused(() => saved(governor, { limits: more }))).toMatchObject({
    setting: "limits",
    value: "more",
  });
});
