import { expect, test } from "vitest";
import { valueAt } from "./settings.ts";
import { type Configuration, resolve, sourceText } from "./sources.ts";

const unset = { value: undefined, source: "" };

interface Given {
  flags?: Record<string, string>;
  env?: Record<string, string>;
  project?: Record<string, unknown>;
  user?: Record<string, unknown>;
  projectMayRaise?: boolean;
}

function configuration({
  flags = {},
  env = {},
  project = {},
  user = {},
  projectMayRaise = false,
}: Given): Configuration {
  return {
    flag: (name) => flags[name],
    env: (name) => env[name],
    project: { path: "project.json", values: project, problems: [] },
    user: { path: "user.json", values: user, problems: [] },
    projectMayRaise,
    isListed: true,
    notify: { isSet: false, places: unset, on: unset },
  };
}

function inForce(given: Given, key: string) {
  const path = key.split(".");
  const { sources } = resolve(configuration(given));
  const first = sources.find(({ settings }) => valueAt(settings, path) !== undefined);
  return { value: first && valueAt(first.settings, path), source: first && sourceText(first) };
}

test("without any source the defaults are in force: 25 turns, no grace, no step limit", () => {
  expect(inForce({}, "turns.max")).toEqual({ value: 25, source: "default" });
  expect(inForce({}, "turns.grace")).toEqual({ value: 0, source: "default" });
  expect(inForce({}, "steps.max")).toEqual({ value: "unlimited", source: "default" });
  expect(inForce({}, "turns.headless")).toEqual({ value: "stop", source: "default" });
});

test("flag wins over environment over project over user", () => {
  const user: Given = { user: { turns: 4 } };
  const project: Given = { ...user, project: { turns: 3 } };
  const env: Given = { ...project, env: { PI_MAX_TURNS: "2" } };
  const flag: Given = { ...env, flags: { "max-turns": "1" } };

  expect(inForce(flag, "turns.max")).toEqual({ value: 1, source: "--max-turns" });
  expect(inForce(env, "turns.max")).toEqual({ value: 2, source: "PI_MAX_TURNS" });
  expect(inForce(project, "turns.max")).toEqual({ value: 3, source: "project settings, project.json" });
  expect(inForce(user, "turns.max")).toEqual({ value: 4, source: "your settings, user.json" });
});

test("a source that says only one thing leaves the others to the next", () => {
  const given: Given = { flags: { "max-turns": "50" }, user: { turns: { max: 20, grace: 3 }, steps: 40 } };
  expect(inForce(given, "turns.max").value).toBe(50);
  expect(inForce(given, "turns.grace")).toEqual({ value: 3, source: "your settings, user.json" });
  expect(inForce(given, "steps.max").value).toBe(40);
});

test("the grace can be said with the limit or by itself", () => {
  expect(inForce({ flags: { "max-turns": "25 grace 3" } }, "turns.grace").value).toBe(3);
  expect(inForce({ flags: { "turn-grace": "4" } }, "turns.grace")).toEqual({
    value: 4,
    source: "--turn-grace",
  });
  expect(inForce({ env: { PI_TURN_GRACE: "5" } }, "turns.grace").value).toBe(5);
});

test("a step limit that says no policy leaves it to the next source, like every other limit", () => {
  const given: Given = {
    flags: { "max-steps": "10" },
    user: { steps: { max: 40, onExhausted: "synthesize" } },
  };
  expect(inForce(given, "steps.max")).toEqual({ value: 10, source: "--max-steps" });
  expect(inForce(given, "steps.onExhausted").value).toBe("synthesize");
});

test("a bad value is refused with its source, the value and what is allowed, and the next source is used", () => {
  const given: Given = {
    flags: { "max-turns": "abc" },
    env: { PI_MAX_TURNS: "-1", PI_MAX_STEPS: "0" },
    user: { turns: 9 },
  };
  expect(inForce(given, "turns.max").value).toBe(9);
  expect(resolve(configuration(given)).problems).toEqual([
    'Invalid turn limit from --max-turns. Use a whole number, or unlimited, not "abc".',
    'Invalid turn limit from PI_MAX_TURNS. "-1" is below 0. Use 0 or more, or unlimited.',
    'Invalid step limit from PI_MAX_STEPS. "0" is below 1. Use 1 or more, or unlimited.',
  ]);
});

test("when every value is bad the default is in force, never unlimited", () => {
  const given: Given = {
    flags: { "max-turns": "" },
    env: { PI_MAX_TURNS: "Infinity" },
    project: { turns: -1 },
    user: { turns: null },
  };
  expect(inForce(given, "turns.max").value).toBe(25);
  expect(resolve(configuration(given)).problems).toHaveLength(4);
});

test("a project may lower the person's limits", () => {
  expect(inForce({ project: { turns: 5 }, user: { turns: 10 } }, "turns.max").value).toBe(5);
  expect(inForce({ project: { turns: 5 }, user: { turns: "unlimited" } }, "turns.max").value).toBe(5);
  expect(inForce({ project: { steps: 5 } }, "steps.max").value).toBe(5);
});

test("a project may neither raise nor remove them, and is told how it could be allowed to", () => {
  const given: Given = { project: { turns: 100, steps: 50 }, user: { turns: 10, steps: 40 } };
  expect(inForce(given, "turns.max").value).toBe(10);
  expect(inForce(given, "steps.max").value).toBe(40);
  expect(resolve(configuration(given)).problems).toEqual([
    [
      "project.json:",
      "  The turn limit 100 is ignored: a project may lower your limit of 10, not raise it.",
      "  The step limit 50 is ignored: a project may lower your limit of 40, not raise it.",
      '  To allow it, set "projectMayRaise": true in user.json.',
    ].join("\n"),
  ]);
  expect(inForce({ project: { turns: "unlimited" } }, "turns.max").value).toBe(25);
  expect(inForce({ project: { turns: 26 } }, "turns.max").value).toBe(25);
  expect(inForce({ project: { steps: "unlimited" }, user: { steps: 3 } }, "steps.max").value).toBe(3);
});

test("a project may raise them when the person's own settings allow it", () => {
  const given: Given = { project: { turns: 100 }, user: { turns: 10 }, projectMayRaise: true };
  expect(inForce(given, "turns.max").value).toBe(100);
  expect(resolve(configuration(given)).problems).toEqual([]);
});

test("a project may not add a request of its own, nor words to the model", () => {
  const synthesizing: Given = {
    project: {
      turns: { headless: "synthesize", message: "Obey." },
      steps: { max: 2, onExhausted: "synthesize" },
    },
    user: { steps: 2 },
  };
  expect(inForce(synthesizing, "turns.headless").value).toBe("stop");
  expect(inForce(synthesizing, "turns.message").value).toBe("");
  expect(inForce(synthesizing, "steps.onExhausted").value).toBe("raise");
  expect(resolve(configuration(synthesizing)).problems[0]?.match(/ is ignored: /g)).toHaveLength(3);
  expect(resolve(configuration({ ...synthesizing, projectMayRaise: true })).problems).toEqual([]);
});

test("the flag that is about the grace alone wins over the grace said with the limit", () => {
  const given: Given = { flags: { "max-turns": "25 grace 3", "turn-grace": "5" } };
  expect(inForce(given, "turns.max").value).toBe(25);
  expect(inForce(given, "turns.grace").value).toBe(5);
});

test("without any source no budget is limited", () => {
  for (const key of ["tokens.max", "cost.max", "time.max", "repeats.max"] as const) {
    expect(inForce({}, key)).toEqual({ value: "unlimited", source: "default" });
  }
  expect(inForce({}, "tokens.onExhausted").value).toBe("ask");
  expect(inForce({}, "cost.unpriced").value).toBe("warn");
  expect(inForce({}, "boundary").value).toBe("confirm");
  expect(inForce({}, "tools.bash.max").value).toBeUndefined();
});

test("a flag that says only how much leaves the policy and the reserve to the settings file", () => {
  const given: Given = {
    flags: { "max-tokens": "200k" },
    env: { PI_MAX_COST: "$5 stop" },
    user: {
      tokens: { max: "50k", onExhausted: "stop", reserve: "10k" },
      cost: { onExhausted: "synthesize", reserve: 1 },
    },
  };
  expect(inForce(given, "tokens.max")).toEqual({ value: 200_000, source: "--max-tokens" });
  expect(inForce(given, "tokens.onExhausted")).toEqual({ value: "stop", source: "your settings, user.json" });
  expect(inForce(given, "tokens.reserve").value).toBe(10_000);
  expect(inForce(given, "cost.onExhausted")).toEqual({ value: "stop", source: "PI_MAX_COST" });
  expect(inForce(given, "cost.reserve").value).toBe(1);
});

test("a bad budget is refused, and the next source is used", () => {
  const given: Given = {
    flags: { "max-time": "600", "max-tokens": "unlimited stop" },
    env: { PI_MAX_COST: "$" },
    project: { tokens: "25" },
    user: { time: "10m", tokens: "200k", cost: 5 },
  };
  expect(inForce(given, "time.max").value).toBe(600_000);
  expect(inForce(given, "tokens.max").value).toBe(200_000);
  expect(inForce(given, "cost.max").value).toBe(5);
  expect(resolve(configuration(given)).problems).toEqual([
    "Invalid token limit from --max-tokens. Nothing can follow unlimited, except a period.",
    'Invalid time limit from --max-time. "600" needs a unit: 600s, 600m or 600h.',
    'Invalid cost limit from PI_MAX_COST. Use a number of US dollars such as $5, or unlimited, not "$".',
    expect.stringMatching(/^project\.json: "tokens": Invalid token limit\./),
  ]);
});

test("a project may lower the person's budgets, and raise them only when the person allows it", () => {
  const given: Given = {
    project: { tokens: "1m", cost: 1, tools: { bash: 50, read: 3 }, boundary: "menu" },
    user: { tokens: "200k", cost: 5, tools: { bash: { max: 10, onExhausted: "stop" } } },
  };
  expect(inForce(given, "tokens.max").value).toBe(200_000);
  expect(inForce(given, "cost.max").value).toBe(1);
  expect(inForce(given, "tools.bash.max")).toEqual({ value: 10, source: "your settings, user.json" });
  expect(inForce(given, "tools.read.max").value).toBe(3);
  expect(inForce(given, "boundary").value).toBe("confirm");
  const { problems } = resolve(configuration(given));
  expect(problems).toHaveLength(1);
  expect(problems[0]?.split("\n").slice(0, 2)).toEqual([
    "project.json:",
    "  The token limit 1m is ignored: a project may lower your limit of 200k, not raise it.",
  ]);

  const allowed: Given = { ...given, projectMayRaise: true };
  expect(inForce(allowed, "tokens.max").value).toBe(1_000_000);
  expect(inForce(allowed, "tools.bash.max").value).toBe(50);
  expect(inForce(allowed, "tools.bash.onExhausted").value).toBe("stop");
  expect(inForce(allowed, "boundary").value).toBe("menu");
  expect(resolve(configuration(allowed)).problems).toEqual([]);
});

test("a limit that no source says in a way that can be used is refused by its strongest source", () => {
  const refusedBy = (given: Given) => resolve(configuration(given)).refused.map(({ source }) => source);
  const bad: Given = { env: { PI_MAX_COST: "5USD" }, user: { cost: "lots", tools: { bash: -1 } } };
  expect(refusedBy(bad)).toEqual(["PI_MAX_COST", '"tools.bash" in user.json']);
  expect(refusedBy({ ...bad, flags: { "max-cost": "unlimited" }, user: {} })).toEqual([]);
  expect(refusedBy({ user: { tools: 5 } })).toEqual(['"tools" in user.json']);
  const commands = resolve(configuration(bad)).refused.map(({ command }) => command);
  expect(commands, "how to set it right in the session").toEqual(["/cost-limit $5", "/tool-limit bash 30"]);
});

test.for(["unlimited", 1_000_000, 1])(
  "a project's cost of %j does not stand in for the person's bad one, unless the person lets it raise",
  (cost) => {
    for (const [source, person] of [
      ['"cost" in user.json', { user: { cost: "abc" } }],
      ["PI_MAX_COST", { env: { PI_MAX_COST: "abc" } }],
      ["--max-cost", { flags: { "max-cost": "abc" } }],
    ] as const) {
      const given: Given = { ...person, project: { cost } };
      expect(resolve(configuration(given)).refused).toEqual([
        { source, command: "/cost-limit $5", limits: [expect.objectContaining({ key: "cost" })] },
      ]);
      expect(inForce(given, "cost.max").value).toBe(cost);
      expect(resolve(configuration({ ...given, projectMayRaise: true })).refused).toEqual([]);
    }
  },
);

test("the person's own limit stands in for a project's bad one", () => {
  const given: Given = { project: { cost: "abc" }, user: { cost: 5 } };
  expect(resolve(configuration(given)).refused).toEqual([]);
});

test("turns have a default, and what is not a maximum leaves the maximum as it is", () => {
  const given: Given = {
    env: { PI_MAX_TURNS: "many", PI_TURN_GRACE: "few" },
    user: { cost: { reserve: "x" }, time: { max: "5m", onExhausted: "explode" } },
  };
  expect(resolve(configuration(given)).refused).toEqual([]);
});

test("a file that cannot be read may set any limit", () => {
  const user = { path: "user.json", values: {}, problems: ["This is not valid JSON."], isBroken: true };
  const { refused, problems } = resolve({ ...configuration({ flags: { "max-cost": "$5" } }), user });
  expect(refused).toEqual([{ source: "user.json", limits: [] }]);
  expect(problems).toEqual(["user.json: This is not valid JSON."]);
});

test("everything that is wrong in a file is one message, which names the file once", () => {
  const given: Given = { user: { turns: -1, cost: { max: 5, reserv: 1 } } };
  const lines = resolve(configuration(given)).problems.flatMap((problem) => problem.split("\n"));
  expect(lines).toEqual([
    "user.json:",
    expect.stringMatching(
      /^ {2}"turns": Invalid turn limit\. Use a whole number of 0 or more, .*, not -1\.$/,
    ),
    '  "cost.reserv" is not a setting. Did you mean "cost.reserve"? Use max, per, onExhausted, headless, extend, extendBy, reserve, unpriced.',
  ]);
});
