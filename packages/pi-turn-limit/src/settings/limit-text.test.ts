import fc from "fast-check";
import { expect, test } from "vitest";
import { limitCalled } from "../../test/helpers/named.ts";
import { allowedText, describeLimit, formatLimit } from "./format-limit.ts";
import { parseLimit, parseWholeLimit, refusalInSession, textInputs } from "./limit-text.ts";
import { completed, limitsIn, type Settings } from "./settings.ts";

function parse(key: string, text: string): unknown {
  return parseLimit(limitCalled(key), text)?.[key];
}

test.each([
  ["turns", "0", { max: 0 }],
  ["turns", "25", { max: 25 }],
  ["turns", "007", { max: 7 }],
  ["turns", " 7 ", { max: 7 }],
  ["turns", "\t7\n", { max: 7 }],
  ["turns", "9007199254740991", { max: 9007199254740991 }],
  ["turns", "unlimited", { max: "unlimited" }],
  ["turns", " Unlimited ", { max: "unlimited" }],
  ["turns", "25 grace 3", { max: 25, grace: 3 }],
  ["turns", "25  GRACE  0", { max: 25, grace: 0 }],
  ["turns", "25 stop", { max: 25, onExhausted: "stop" }],
  ["turns", "25 synthesize grace 3", { max: 25, onExhausted: "synthesize", grace: 3 }],
  ["turns", "25 grace 3 synthesize", { max: 25, onExhausted: "synthesize", grace: 3 }],
  ["steps", "1", { max: 1 }],
  ["steps", " 40 ", { max: 40 }],
  ["steps", "40 raise", { max: 40, onExhausted: "raise" }],
  ["steps", "40 Synthesize", { max: 40, onExhausted: "synthesize" }],
  ["steps", "40 refuse", { max: 40, onExhausted: "refuse" }],
  ["steps", "40 stop", { max: 40, onExhausted: "stop" }],
  ["steps", "UNLIMITED", { max: "unlimited" }],
  ["tokens", "0", { max: 0 }],
  ["tokens", " 200K ", { max: 200_000 }],
  ["tokens", "UNLIMITED", { max: "unlimited" }],
  ["tokens", "200k Ask", { max: 200_000, onExhausted: "ask" }],
  ["tokens", "200k synthesize", { max: 200_000, onExhausted: "synthesize" }],
  ["tokens", "200k raise", { max: 200_000, onExhausted: "raise" }],
  ["tokens", "200k reserve 10k", { max: 200_000, reserve: 10_000 }],
  [
    "tokens",
    "200k extend 3 by 50k reserve 10k",
    { max: 200_000, extend: 3, extendBy: 50_000, reserve: 10_000 },
  ],
  ["turns", "25 extend 3", { max: 25, extend: 3 }],
  [
    "turns",
    "25 grace 2 EXTEND 3 BY 10 stop",
    { max: 25, grace: 2, extend: 3, extendBy: 10, onExhausted: "stop" },
  ],
  ["cost", "$5 extend 1 by $0.50", { max: 5, extend: 1, extendBy: 0.5 }],
  ["turns", "25 extend 0", { max: 25, extend: 0 }],
  ["turns", "25 extend 3 by 0", { max: 25, extend: 3, extendBy: 0 }],
  ["time", "10m extend 2", { max: 600_000, extend: 2 }],
  ["tokens", "1.5m\tSTOP  reserve 0", { max: 1_500_000, onExhausted: "stop", reserve: 0 }],
  ["cost", "5", { max: 5 }],
  ["cost", "$0.50", { max: 0.5 }],
  ["cost", "unlimited", { max: "unlimited" }],
  ["cost", "$5 stop reserve $0.25", { max: 5, onExhausted: "stop", reserve: 0.25 }],
  ["time", "0s", { max: 0 }],
  ["time", "1H30M", { max: 5_400_000 }],
  ["time", "unlimited", { max: "unlimited" }],
  ["time", "10m synthesize", { max: 600_000, onExhausted: "synthesize" }],
  ["repeats", "3 refuse", { max: 3, onExhausted: "refuse" }],
])("the limit of %s %j means %j", (key, text, settings) => {
  expect(parse(key, text)).toEqual(settings);
});

const NO_LIMIT = [
  "",
  " ",
  "abc",
  "-1",
  "+5",
  "Infinity",
  "NaN",
  "∞",
  "none",
  "stop",
  "1e3",
  "0x10",
  "٣",
  "7 8",
];
const AFTER_UNLIMITED = ["unlimited 5", "unlimited stop", "unlimited raise", "unlimited reserve 1"];
const REFUSED = {
  turns: [
    ...[
      "1.5",
      "1_000",
      "７",
      "99999999999999999999",
      "25 grace",
      "25 grace x",
      "25 grace -1",
      "25 grace 3 4",
    ],
    ...["grace 3", "25 grase 3", "25 grace 3 grace 4", "25 refuse"],
  ],
  steps: ["0", "1.5", "99999999999999999999", "40 explode", "40 raise now", "synthesize", "40 reserve 1"],
  tokens: [
    ...["200k refuse", "200k 10k", "200k stop stop", "200k reserve", "200k reserve -1", "200k keep 10k"],
    ...["200k reserve unlimited", "200k reserve 10k stop stop", "200k reserve 10k 10k", "$5"],
  ],
  cost: ["$", "5k", "$5 explode", "$5 reserve", "$5 reserve 10%"],
  time: ["600", "30m1h", "10m10m", "10m reserve 1m", "10m stop reserve 1m", "1h 30m"],
  repeats: ["0", "1.5", "3 explode"],
};

test.each(
  Object.entries(REFUSED).flatMap(([key, texts]) =>
    [...texts, ...NO_LIMIT, ...AFTER_UNLIMITED].map((text) => [key, text]),
  ),
)("the limit of %s %j is refused, and never means unlimited", (key = "", text = "") => {
  expect(parse(key, text)).toBeUndefined();
});

test.each([
  ["turns", "25 extend", "extend needs how often, a whole number of 0 or more."],
  ["turns", "25 extend often", 'extend needs how often, a whole number of 0 or more, not "often".'],
  ["turns", "25 extend 3 by", "by needs a whole number."],
  ["turns", "25 by 10", "by follows extend and how often, as in extend 3 by 10."],
  ["turns", "25 by 10 extend 3", "by follows extend and how often, as in extend 3 by 10."],
  ["cost", "$5 stop by $2", "by follows extend and how often, as in extend 3 by $2."],
  ["turns", "25 extend 0 by 10", 'After 25 extend 0, use ask, stop, raise, synthesize or grace, not "by".'],
  ["turns", "25 per day extend 3", "A limit per day has no extend."],
  ["steps", "40 extend 3", 'After 40, use ask, stop, raise, synthesize, refuse or per, not "extend".'],
])("the limit of %s %j is not extended: %s", (key, text, why) => {
  expect(refusalInSession(limitCalled(key), text)).toContain(why);
});

test("each flag takes the text of its limit, and the grace has one of its own", () => {
  const inputs = textInputs();
  expect(inputs.map(({ flag, env }) => [flag, env])).toEqual([
    ["turn-grace", "PI_TURN_GRACE"],
    ["max-turns", "PI_MAX_TURNS"],
    ["max-steps", "PI_MAX_STEPS"],
    ["max-tokens", "PI_MAX_TOKENS"],
    ["max-cost", "PI_MAX_COST"],
    ["max-time", "PI_MAX_TIME"],
    ["max-plan", "PI_MAX_PLAN"],
    ["tell", "PI_TELL"],
  ]);
  const [grace, limit] = inputs;
  expect(grace?.read(" 3 ").settings).toEqual({ turns: { grace: 3 } });
  expect(grace?.read("0").settings).toEqual({ turns: { grace: 0 } });
  expect(limit?.read("25 grace 3").settings).toEqual({ turns: { max: 25, grace: 3 } });
  for (const text of ["", "-1", "1.5", "abc", "unlimited", "3 4"])
    expect(grace?.read(text)).toMatchObject({ settings: {}, refused: [{ text }] });
});

test("what is allowed names the amount, the policies and what else may follow", () => {
  expect(allowedText(limitCalled("turns"))).toBe(
    "a whole number of 0 or more, or unlimited; a policy (ask, stop, raise or synthesize) and an extension (extend 3 by 10) and a grace may follow the number (25 stop grace 3); for a period, add per session, day, week or month; several with commas (25, 100 per session)",
  );
  expect(allowedText(limitCalled("tools.bash"))).toBe(
    "a whole number of 0 or more, or unlimited; a policy (ask, stop, raise, synthesize or refuse) may follow the number (30 stop)",
  );
  expect(allowedText(limitCalled("time"))).toContain("a time such as 90s, 10m or 1h30m, or unlimited");
});

test.each(limitsIn({ tools: { bash: {} } }))(
  "what $key offers and gives as an example is accepted",
  (limit) => {
    for (const text of [limit.example.join(" "), ...(limit.suggestions ?? [])])
      expect(parseLimit(limit, text)).toBeDefined();
  },
);

test("a limit is written as it would be said, without what is the default", () => {
  const written = (key: string, settings: Settings) => formatLimit(limitCalled(key), { [key]: settings });
  expect(formatLimit(limitCalled("turns"), completed({}))).toBe("25");
  expect(written("turns", { max: 25, grace: 3, onExhausted: "stop" })).toBe("25 stop grace 3");
  expect(written("turns", { max: 25, extend: 3, extendBy: 10 })).toBe("25 extend 3 by 10");
  expect(written("turns", { max: 25, extendBy: 10 })).toBe("25");
  expect(written("turns", { max: "unlimited", grace: 3 })).toBe("unlimited");
  expect(written("steps", { max: 40, onExhausted: "raise" })).toBe("40");
  expect(written("steps", { max: 40, onExhausted: "ask" })).toBe("40 ask");
  expect(written("tokens", { max: 182_345 })).toBe("182345");
  expect(written("tokens", { max: 200_000, onExhausted: "stop", reserve: 10_000 })).toBe(
    "200k stop reserve 10k",
  );
  expect(written("cost", { max: 0.5, reserve: 0.25 })).toBe("$0.50 reserve $0.25");
  expect(written("time", { max: 90_000, onExhausted: "ask" })).toBe("1m30s");
  expect(formatLimit(limitCalled("tools.bash"), { tools: { bash: { max: 5, headless: "stop" } } })).toBe("5");
});

test("what is written says the same again", () => {
  const policy = fc.constantFrom("stop", "raise", "synthesize");
  fc.assert(
    fc.property(fc.maxSafeNat(), policy, fc.integer({ min: 1 }), (max, onExhausted, reserve) => {
      const settings = { tokens: { max, onExhausted, reserve } };
      const limit = limitCalled("tokens");
      expect(parseLimit(limit, formatLimit(limit, settings))).toEqual(settings);
    }),
  );
});

test("a text that stands for the whole limit sets back what it leaves out, and only that", () => {
  expect(parseWholeLimit(limitCalled("tokens"), "200k")).toEqual({
    tokens: { max: 200_000, onExhausted: "ask", extend: 0, extendBy: 0, reserve: 0 },
  });
  expect(parseWholeLimit(limitCalled("steps"), "unlimited")).toEqual({
    steps: { max: "unlimited", onExhausted: "raise" },
  });
  expect(parseWholeLimit(limitCalled("tools.bash"), "many")).toBeUndefined();
});

test("a limit is described with where it comes from, part by part if that differs", () => {
  const limit = limitCalled("tokens");
  const values = { tokens: { max: 200_000, onExhausted: "stop" } };
  expect(describeLimit(limit, values, () => "--max-tokens")).toBe("200k stop (--max-tokens)");
  const sourceOf = (path: readonly string[]) => (path.at(-1) === "max" ? "--max-tokens" : "your settings");
  const reserved = { tokens: { ...values.tokens, reserve: 10_000 } };
  expect(describeLimit(limit, reserved, sourceOf)).toBe(
    "200k (--max-tokens), stop (your settings), reserve 10k (your settings)",
  );
  expect(describeLimit(limit, completed({}), () => "default")).toBe("unlimited (default)");
});
