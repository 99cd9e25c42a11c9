import { expect, test } from "vitest";
import {
  type Ask,
  anyOf,
  type CustomLimit,
  createGovernor,
  type Failure,
  type Governor,
  type GovernorOptions,
  type StepCall,
  type Stop,
  type TurnEnd,
  type Usage,
} from "../../src/index.ts";
import {
  asking,
  callTool,
  prompted,
  promptedAtZero,
  takeTurns,
  turnsTaking,
  turnTaking,
  used,
  whyRefused,
} from "../helpers/runs.ts";

// What a governor is given is checked before anything changes; what it gives out changes nothing.

/** In the middle of a turn, with every limit partly used. */
function busy(): Governor {
  const governor = promptedAtZero({
    turns: 5,
    tokens: 100,
    cost: 5,
    time: 100,
    tools: { bash: 5 },
    repeats: 3,
  });
  turnTaking(governor, { input: 10, cost: 1 });
  governor.beforeTurn();
  callTool(governor, "bash");
  return governor;
}

const BAD_NUMBERS = [Number.NaN, -1, Number.POSITIVE_INFINITY, null, "5", true, {}, [], 1e300];

test.each(["input", "output", "cacheRead", "cacheWrite", "cost"] as const)(
  "usage whose %s is no number of 0 or more is refused by its name, and nothing is counted [BadUsageRefused]",
  (part) => {
    const governor = busy();
    const before = governor.state;
    const values = part === "input" || part === "output" ? [...BAD_NUMBERS, undefined] : BAD_NUMBERS;
    for (const value of values) {
      const usage = { input: 1, output: 1, [part]: value } as unknown as Usage;
      const acts: [string, () => void][] = [
        ["turnEnded.usage", () => governor.turnEnded({ usage })],
        ["turnEnded.usage", () => governor.turnEnded({ failure: "failed", usage })],
        ["usage", () => governor.spend("compaction", usage)],
        ["usage", () => governor.spend("nested", usage)],
      ];
      for (const [name, act] of acts)
        expect(whyRefused(act)).toMatchObject({ setting: `${name}.${part}`, value });
    }
    expect(governor.state).toEqual(before);
  },
);

test.each([undefined, null, 5, "5", [1, 2], new Map(), () => {}])(
  "usage of %s is refused, and nothing is counted [BadUsageRefused]",
  (usage) => {
    const governor = busy();
    const before = governor.state;
    expect(whyRefused(() => governor.spend("nested", usage as unknown as Usage))).toMatchObject({
      setting: "usage",
    });
    if (usage !== undefined)
      expect(whyRefused(() => governor.turnEnded({ usage } as unknown as TurnEnd))).toMatchObject({
        setting: "turnEnded.usage",
      });
    expect(governor.state).toEqual(before);
  },
);

test("a number too large to count with lifts no limit [BadUsageRefused]", () => {
  const governor = prompted({ tokens: 100 });
  governor.beforeTurn();
  expect(whyRefused(() => governor.turnEnded({ usage: { input: 1e300, output: 0 } }))).toMatchObject({
    value: 1e300,
  });
  governor.turnEnded({ usage: { input: 1e12, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("stop");
  governor.prompt();
  expect(turnsTaking(governor, { input: 50 })).toBe(2);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -Number.POSITIVE_INFINITY, null, undefined, "5", 1e300, {}])(
  "a time of %s is refused, and no time is counted [BadTimeRefused]",
  (now) => {
    const governor = busy();
    governor.timeIs(10);
    const before = governor.state;
    expect(whyRefused(() => governor.timeIs(now as number))).toMatchObject({ setting: "time", value: now });
    expect(governor.state).toEqual(before);
    governor.timeIs(30);
    expect(used(governor, "time")).toBe(30);
  },
);

test.each<[unknown, string]>([
  ["timeout", "turnEnded"],
  ["", "turnEnded"],
  [5, "turnEnded"],
  [null, "turnEnded"],
  [["failed"], "turnEnded"],
  [{ failure: "timeout" }, "turnEnded.failure"],
  [{ failure: null }, "turnEnded.failure"],
  [{ mishap: "failed" }, "turnEnded.mishap"],
  [{ usages: { input: 1, output: 1 } }, "turnEnded.usages"],
])("a turn that ended as %j did not end [BadUsageRefused]", (end, setting) => {
  const governor = busy();
  const before = governor.state;
  expect(whyRefused(() => governor.turnEnded(end as Failure))).toMatchObject({ setting });
  expect(governor.state).toEqual(before);
});

test.each<[string, (governor: Governor) => unknown, string]>([
  ["activity", (governor) => governor.spend("turn" as "nested", { input: 1, output: 1 }), "activity"],
  ["call", (governor) => governor.beforeStep(null as unknown as StepCall), "call"],
  ["call", (governor) => governor.beforeStep("bash" as StepCall), "call"],
  ["call", (governor) => governor.beforeStep(["bash"] as StepCall), "call"],
  ["tool", (governor) => governor.beforeStep({ tool: null as unknown as string }), "call.tool"],
  ["tool", (governor) => governor.beforeStep({ tool: 5 as unknown as string }), "call.tool"],
  [
    "id of a call",
    (governor) => governor.beforeStep({ tool: "bash", id: 5 as unknown as string }),
    "call.id",
  ],
  ["price", (governor) => governor.beforeTurn({ priced: "no" as unknown as boolean }), "beforeTurn.priced"],
  ["start of a turn", (governor) => governor.beforeTurn({ price: 5 } as object), "beforeTurn.price"],
  ["start of a turn", (governor) => governor.beforeTurn(null as unknown as object), "beforeTurn"],
  ["question", (governor) => governor.answer(true, null as unknown as Ask), "ask"],
  ["question", (governor) => governor.answer(true, {} as Ask), "ask.id"],
  ["waiting", (governor) => governor.waiting("yes" as unknown as boolean), "waiting"],
])("a wrong %s is refused by its name, and nothing changes", (_what, act, setting) => {
  const governor = busy();
  const before = governor.state;
  expect(whyRefused(() => act(governor))).toMatchObject({ setting });
  expect(governor.state).toEqual(before);
});

test.each<[unknown, string]>([
  [{ tools: new Map([["bash", 5]]) }, "tools"],
  [{ turns: [5] }, "turns"],
  [{ limits: {} }, "limits"],
  [{ limits: new Set() }, "limits"],
  [{ maxTurns: 5 }, "maxTurns"],
  [{ token: 5 }, "token"],
  [{ ask: () => true }, "ask"],
  [{ turns: { max: 5, headles: "stop" } }, "turns.headles"],
  [{ cost: { max: 5, reserved: 1 } }, "cost.reserved"],
  [{ time: { max: 5, cacheReads: true } }, "time.cacheReads"],
  [{ tools: { bash: { max: 5, reserve: 1 } } }, "tools.bash.reserve"],
  [null, "settings"],
  [[], "settings"],
  [new Map([["turns", 5]]), "settings"],
  ["turns", "settings"],
])(
  "a governor made of %j is refused by the name of what is wrong [BadSettingsRefused]",
  (options, setting) => {
    expect(whyRefused(() => createGovernor(options as GovernorOptions))).toMatchObject({ setting });
  },
);

test("settings, limits and calls that are changed after they were given change nothing", () => {
  const answers = { name: "answers", max: 2, used: ({ turns }: { turns: number }) => turns };
  const turns = { max: 3, grace: 0 };
  const bash = { max: 1 };
  const members: CustomLimit[] = [{ ...answers, name: "replies" }];
  const limits = [answers, anyOf(members)];
  const options = { turns, tools: { bash }, limits, canAsk: true };
  const governor = prompted(options);
  const before = governor.view.standings;
  Object.assign(turns, { max: 99, grace: 1 });
  Object.assign(bash, { max: 99 });
  Object.assign(answers, { max: 99, used: () => 0 });
  members.length = limits.length = 0;
  Object.assign(options, { turns: 99, canAsk: false });
  expect(governor.view.standings).toEqual(before);
  expect(takeTurns(governor)).toBe(2);
  expect(governor.view.status).toBe("asking");
});

test("a call that is changed after it was asked about is the call that was asked about", () => {
  const governor = prompted({ repeats: 1 });
  governor.beforeTurn();
  const call = { id: "1", tool: "poll", args: { page: 1 } };
  const result = { pages: 3 };
  governor.beforeStep(call);
  Object.assign(call, { tool: "read" });
  Object.assign(call.args, { page: 2 });
  governor.stepEnded({ id: "1", result });
  result.pages = 4;
  expect(governor.beforeStep({ tool: "poll", args: { page: 1 } })).toMatchObject({ limit: "repeats" });
});

/** Changes everything in an object that can be changed. */
function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    vandalise(part);
    try {
      (value as Record<string, unknown>)[key] = typeof part === "number" ? -1_000 : "vandalised";
      delete (value as Record<string, unknown>)[key];
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
  }
}

test.each([
  ["in the middle of a turn", busy],
  ["at a question", asking],
  [
    "while it ends",
    () => {
      const governor = asking();
      governor.answer(false);
      return governor;
    },
  ],
])("what a governor shows, %s, changes nothing when it is changed", (_when, scene) => {
  const governor = scene();
  const before = governor.state;
  const seen = JSON.stringify(governor.view);
  for (const value of Object.values(governor.view)) vandalise(value);
  vandalise(governor.view);
  vandalise(governor.state);
  expect(governor.state).toEqual(before);
  expect(JSON.stringify(governor.view)).toBe(seen);
  expect(createGovernor().view.settings).toMatchObject({
    turns: { max: 25, wrapUp: {} },
    tools: {},
    limits: [],
  });
});

test("a decision that is changed decides nothing else", () => {
  const steps = { max: 1, onExhausted: "synthesize" } as const;
  const asked = asking();
  const last = prompted({ steps });
  last.beforeTurn();
  const decisions: [Governor, () => unknown][] = [
    [asked, () => asked.beforeTurn()],
    [asked, () => asked.answer(false)],
    [asked, () => asked.beforeTurn()],
    [last, () => last.beforeStep()],
    [last, () => last.beforeStep()],
    [last, () => last.beforeTurn()],
    [last, () => last.beforeTurn()],
    [last, () => last.beforeTurn()],
  ];
  for (const [governor, decide] of decisions) {
    const decision = decide();
    const before = governor.state;
    vandalise(decision);
    expect(governor.state).toEqual(before);
  }
  expect(asked.settled()).toMatchObject({ kind: "declined", limit: "turns" });
  expect(last.view.stop).toMatchObject({ kind: "stop", outcome: "stopped" } satisfies Partial<Stop>);
});

test("what a limit of one's own reads cannot be changed by it", () => {
  const governor = prompted({
    limits: [
      {
        name: "cheat",
        max: 2,
        used(totals) {
          for (const change of [
            () => Object.assign(totals, { turns: 0 }),
            () => Object.assign(totals.calls, { bash: 0 }),
          ])
            expect(change).toThrow(TypeError);
          return totals.turns;
        },
      },
    ],
  });
  expect(takeTurns(governor)).toBe(2);
});
