import { expect, test } from "vitest";
import { limitsPerPrompt, periodLimitsIn } from "../../src/settings/governor-settings.ts";
import { entrySettings } from "../../src/settings/set-by-commands.ts";
import { completed, merged } from "../../src/settings/settings.ts";
import { isSettled, resolve } from "../../src/settings/sources.ts";

const unset = { value: undefined, source: "" };

interface Given {
  flag?: string;
  env?: string;
  project?: unknown;
  user?: unknown;
  projectMayRaise?: boolean;
}

/** What holds when these sources say this about the cost. */
function costs({ flag, env, project, user, projectMayRaise = false }: Given) {
  const { sources, problems, refused } = resolve({
    flag: (name) => (name === "max-cost" ? flag : undefined),
    env: (name) => (name === "PI_MAX_COST" ? env : undefined),
    project: { path: "project.json", values: project === undefined ? {} : { cost: project }, problems: [] },
    user: { path: "user.json", values: user === undefined ? {} : { cost: user }, problems: [] },
    projectMayRaise,
    isListed: true,
    notify: { isSet: false, places: unset, on: unset },
  });
  const values = completed(merged(...sources.toReversed().map(({ settings }) => settings)));
  const perPeriod = periodLimitsIn(values).map(({ per, max }) => `${max} per ${per}`);
  return { values, held: [limitsPerPrompt(values).cost.max, ...perPeriod], problems, refused };
}

const perDay = (max: number | string) => ({ max, per: "day" });

test("for each period the flag wins over the variable, the project and the person's own file", () => {
  const user = [9, perDay(90), { max: 900, per: "week" }];
  expect(costs({ user }).held).toEqual([9, "90 per day", "900 per week"]);
  expect(costs({ user, project: perDay(80) }).held).toEqual([9, "80 per day", "900 per week"]);
  expect(costs({ user, project: perDay(80), env: "$70 per day" }).held).toEqual([
    9,
    "70 per day",
    "900 per week",
  ]);
  expect(costs({ user, env: "$70 per day", flag: "$6, $60 per day" }).held).toEqual([
    6,
    "60 per day",
    "900 per week",
  ]);
});

test("unlimited takes the limit of one period away", () => {
  const user = [9, perDay(90), { max: 900, per: "week" }];
  expect(costs({ user, flag: "unlimited per day" }).held).toEqual([9, "900 per week"]);
});

test("what a source leaves out about a period is said by the next one", () => {
  const { values } = costs({ flag: "$5 per day", user: { ...perDay(20), onExhausted: "stop" } });
  expect(periodLimitsIn(values)).toEqual([
    {
      name: "cost per day",
      kind: "cost",
      max: 5,
      per: "day",
      options: { onExhausted: "stop", headless: "stop", unpriced: "warn" },
    },
  ]);
});

test("a project may set a limit for a period, and lower the person's, but not raise it or take it away", () => {
  expect(costs({ project: perDay(80) }).held).toEqual(["unlimited", "80 per day"]);
  expect(costs({ project: perDay(5), user: perDay(9) }).held).toEqual(["unlimited", "5 per day"]);
  for (const max of [20, "unlimited"] as const) {
    const given = { project: perDay(max), user: perDay(9) };
    expect(costs(given)).toMatchObject({ held: ["unlimited", "9 per day"] });
    expect(costs(given).problems[0]).toContain(
      `The cost limit per day ${max === 20 ? "$20.00" : max} is ignored: a project may lower your limit of $9.00, not raise it.`,
    );
  }
  expect(costs({ project: perDay(20), user: perDay(9), projectMayRaise: true }).held[1]).toBe("20 per day");
  expect(costs({ project: { ...perDay(5), headless: "synthesize" } }).problems[0]).toContain(
    'The cost headless policy per day "synthesize" is ignored',
  );
});

test("a bad limit of a period is named with its source, and no limit of another period stands in for it", () => {
  const { held, problems, refused } = costs({ flag: "$2, lots per day", user: 5 });
  expect(held).toEqual([2]);
  expect(problems).toEqual([
    'Invalid cost limit per day from --max-cost. Use a number of US dollars such as $5, or unlimited, not "lots".',
  ]);
  expect(refused).toEqual([
    {
      source: "--max-cost (per day)",
      command: "/cost-limit $5 per day",
      limits: [expect.objectContaining({ key: "cost per day" })],
    },
  ]);
  expect(costs({ user: [5, perDay(-1)] }).refused).toEqual([
    {
      command: "/cost-limit $5 per day",
      source: '"cost per day" in user.json',
      limits: [expect.objectContaining({ key: "cost per day" })],
    },
  ]);
});

test("the next source that says the limit of that period holds", () => {
  expect(costs({ flag: "lots per day", user: perDay(5) })).toMatchObject({
    held: ["unlimited", "5 per day"],
    refused: [],
  });
});

test.for<[Given, string]>([
  [{ flag: "$20 per fortnight" }, "--max-cost"],
  [{ env: "$2, 20 a day" }, "PI_MAX_COST"],
  [{ env: "1,000 per day" }, "PI_MAX_COST"],
  [{ user: [2, { max: 20, per: "fortnight" }] }, '"cost" in user.json'],
  [{ user: { max: 20, Per: "day" } }, '"cost" in user.json'],
])("%j holds the run whatever else is set, until a command sets a limit of that kind", ([given, source]) => {
  const { refused } = costs({ user: [5, perDay(50)], ...given });
  expect(refused).toMatchObject([{ source }]);
  const [one = { source: "", limits: [] }] = refused;
  expect(one.limits.length).toBeGreaterThan(1);
  expect(isSettled(one, { "cost per week": { max: 5 } })).toBe(true);
  expect(isSettled(one, { cost: { max: 5 } })).toBe(true);
  expect(isSettled(one, { tokens: { max: 5 } })).toBe(false);
});

test("two limits for the same period are none", () => {
  const { held, refused } = costs({ flag: "$2 per day, $3 per day, $1" });
  expect(held).toEqual([1]);
  expect(refused).toEqual([
    {
      source: "--max-cost (per day)",
      command: "/cost-limit $5 per day",
      limits: [expect.objectContaining({ key: "cost per day" })],
    },
  ]);
});

test("what a command has set for a period is kept in the session, and what is none is not", () => {
  const settings = { cost: { max: 2 }, "cost per day": { max: 20, onExhausted: "stop" } };
  expect(entrySettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
  for (const data of [
    { "cost per year": { max: 5 } },
    { "cost per day": { max: -1 } },
    { "cost per day": { reserve: 1 } },
    { "repeats per day": { max: 5 } },
    { "tools per day": { bash: { max: 5 } } },
  ])
    expect(entrySettings(data)).toEqual({});
});

test("the limits for a prompt have no others among them", () => {
  const values = completed({ "cost per day": { max: 20 } });
  expect(limitsPerPrompt(values)).toEqual(completed({}));
});
