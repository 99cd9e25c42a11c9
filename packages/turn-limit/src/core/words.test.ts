import { expect, test } from "vitest";
import { named } from "../../test/helpers/named.ts";
import { cutOff, limitTitle, notRun, notRunAgain, notRunAnymore, ranAgain } from "./words.ts";

test.each([
  ["turns", "turn limit"],
  ["steps", "step limit"],
  ["repeats", "repeat limit"],
  ["tools.bash", "limit for bash"],
  ["tools.a.b", "limit for a.b"],
  ["answers", "answers limit"],
  ["constructor", "constructor limit"],
])("the limit %s is called %s in a sentence", (limit, title) => {
  expect(limitTitle(named(limit))).toBe(title);
});

test.each([
  ["cost", { pool: "research" }, "cost limit of pool research"],
  ["cost", { per: "day" }, "cost limit per day"],
  ["cost", { pool: "research", per: "day" }, "cost limit of pool research"],
  ["tools.bash", { pool: "research" }, "limit for bash of pool research"],
])("the limit of %s in %o is the %s", (limit, whose, title) => {
  expect(limitTitle(named(limit, whose))).toBe(title);
});

test.each(["cost per minute", "time of pool position", "tools per call"])(
  "a limit of somebody's own that is called %s is no built-in one",
  (name) => {
    expect(limitTitle(named(name))).toBe(`${name} limit`);
    expect(notRun({ ...named(name), used: 2000, max: 1000 })).toContain("(2000/1000)");
  },
);

test("a call that is not run says which limit is reached, and where it stands", () => {
  expect(notRun({ ...named("tools.bash"), used: 3, max: 3 })).toBe(
    "Not run: the limit for bash is reached (3/3).",
  );
});

test.each([
  ["cost", 0.8, 0.5, "($0.80/$0.50)"],
  ["time", 61_000, 60_000, "(1m 1s/1m)"],
  ["tokens", 1_200, 1_000, "(1.2k/1k)"],
  ["answers", 1.5, 1, "(1.5/1)"],
  ["cost", 2, "unlimited", "($2.00/∞)"],
] as const)("what is used of %s is told in its unit: %d of %s", (limit, used, max, told) => {
  expect(notRun({ ...named(limit), used, max })).toContain(told);
});

test("where the run is over, the model also reads that no other call is possible", () => {
  const time = { ...named("time"), used: 5_000, max: 5_000 };
  expect(notRunAnymore(time)).toBe(
    "Not run: the time limit is reached (5s/5s). No more tool calls are possible in this run.",
  );
  expect(cutOff(time)).toBe(
    "Cut off before it had a result: the time limit is reached (5s/5s). No more tool calls are possible in this run.",
  );
});

test("a call that is made once more reads how often it had the same result, and in what cycle", () => {
  const again = (times: number, cycle = 1) => ({ kind: "call", times, cycle }) as const;
  expect(notRunAgain(again(1))).toMatch(/^Not run: this call was made already with the same result\./);
  expect(notRunAgain(again(3))).toMatch(
    /^Not run: this call was made 3 times in a row with the same result\./,
  );
  expect(notRunAgain(again(3, 2))).toMatch(
    /^Not run: these 2 calls in turn were made 3 times in a row with the same results\./,
  );
  expect(ranAgain(again(3))).toMatch(/^The last call was made 3 times in a row with the same result\./);
  expect(ranAgain(again(3, 2))).toMatch(/^The last 2 calls in turn were made 3 times in a row with the same/);
  expect(ranAgain({ kind: "error", times: 3, tool: "edit" })).toMatch(/^edit failed 3 times in a row/);
});
