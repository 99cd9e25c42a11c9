import { expect, test } from "vitest";
import { readFileClaims } from "./file-claims.ts";

function read(values: Record<string, unknown>) {
  return readFileClaims({ path: "turn-limit.json", values, problems: [] });
}

test.each([
  [{}, {}],
  [{ turns: 0 }, { turns: 0 }],
  [{ turns: 1e3 }, { turns: 1000 }],
  [{ turns: "unlimited" }, { turns: "unlimited" }],
  [{ turns: "UNLIMITED" }, { turns: "unlimited" }],
  [{ turns: { max: 25 } }, { turns: 25 }],
  [{ turns: { grace: 3 } }, { grace: 3 }],
  [
    { turns: { max: 25, grace: 3, headless: "synthesize", message: "Finish." } },
    { turns: 25, grace: 3, headless: "synthesize", wrapUpMessage: "Finish." },
  ],
  [{ steps: 40 }, { steps: { max: 40, onExhausted: "raise" } }],
  [{ steps: "unlimited" }, { steps: "unlimited" }],
  [{ steps: { max: 40, onExhausted: "synthesize" } }, { steps: { max: 40, onExhausted: "synthesize" } }],
])("a settings file with %j says %j", (values, claims) => {
  expect(read(values)).toEqual({ claims, problems: [] });
});

test.each([-1, 1.5, 1e20, null, true, [], [25], {}, "25", " 7 ", "abc", "", "Infinity", { max: -1 }])(
  "a settings file with the turn limit %j is told what is allowed",
  (turns) => {
    const { claims, problems } = read({ turns });
    expect(claims).toEqual({});
    expect(problems).toEqual([
      expect.stringMatching(
        /^Invalid turn limit .* from "turns(\.max)?" of turn-limit\.json\. Allowed: a whole number/,
      ),
    ]);
  },
);

test.each([0, -1, 1.5, "40", null, {}, { max: 0 }, { max: 40, onExhausted: "explode" }])(
  "a settings file with the step limit %j is told what is allowed",
  (steps) => {
    const { claims, problems } = read({ steps });
    expect(claims).toEqual({});
    expect(problems).toEqual([
      expect.stringMatching(
        /^Invalid step limit .* from "steps" of turn-limit\.json\. Allowed: a whole number/,
      ),
    ]);
  },
);

test("one bad part of the turn limit does not take the good parts with it", () => {
  const { claims, problems } = read({ turns: { max: 30, grace: -1, headless: "shout", message: 5 } });
  expect(claims).toEqual({ turns: 30 });
  expect(problems.map((problem) => problem.split(".")[0] ?? "")).toEqual([
    'Invalid turn grace -1 from "turns',
    'Invalid headless policy "shout" from "turns',
    'Invalid wrap-up message 5 from "turns',
  ]);
});

test("a misspelt part is named, and the rest counts", () => {
  const { claims, problems } = read({ turns: { max: 2, graec: 1 }, steps: { max: 3, policy: "raise" } });
  expect(claims).toEqual({ turns: 2, steps: { max: 3, onExhausted: "raise" } });
  expect(problems).toEqual([
    'Unknown setting "turns.graec" in turn-limit.json. Known settings: max, grace, headless, message.',
    'Unknown setting "steps.policy" in turn-limit.json. Known settings: max, onExhausted.',
  ]);
});
