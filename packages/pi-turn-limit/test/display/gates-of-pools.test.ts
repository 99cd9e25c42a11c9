import { expect, test } from "vitest";
import { reachedText, remedyText } from "../../src/display/limit-words.ts";
import { questionAbout } from "../../src/display/question/question.ts";
import { summary } from "../../src/display/summary-line.ts";
import { limitOf } from "../../src/limits/limit-of.ts";

const pool = "every session per day";
const store = {
  limit: `store of pool ${pool}`,
  identity: { kind: "store", pool },
  used: 0,
  max: 0,
  why: "It was deleted.",
} as const;
const freeze = {
  limit: `freeze of pool ${pool}`,
  identity: { kind: "freeze", pool },
  used: 0,
  max: 0,
  why: `The pool is frozen: too hot`,
} as const;

test("what holds a run though nothing is used up is not in the widget", () => {
  for (const gate of [store, freeze]) expect(limitOf(gate).hidden).toBe("always");
});

test("without its store, a person is asked to go on with the limits of the session by itself", () => {
  expect(questionAbout(store, "menu")).toMatchObject({
    title: "Shared budget",
    message: "It was deleted. Go on, with these limits for this session by itself?",
  });
  expect(remedyText(store)).toContain("Without it, the limits that hold over several sessions");
});

test("of a pool that is frozen, a person hears how to let it go on, and not that a store is missing", () => {
  expect(questionAbout(freeze, "confirm")).toMatchObject({
    title: "Shared budget",
    message: "The pool is frozen: too hot. Go on all the same?",
  });
  expect(`${reachedText(freeze)} ${remedyText(freeze)}`).toBe(
    'The pool is frozen: too hot. To let its agents go on, use npx turn-limit pools unfreeze "every session per day".',
  );
});

test.for([
  [store, "Stopped by you: the store of your shared budgets could not be used"],
  [freeze, "Stopped by you: a shared budget is frozen"],
] as const)("the line about a run that ended at the %o: %s", ([{ limit, identity }, line]) => {
  const ended = { outcome: "declined", turns: 2, steps: 1, limit, identity } as const;
  expect(summary(ended as Parameters<typeof summary>[0])).toBe(`${line} · 2 turns · 1 step`);
});
