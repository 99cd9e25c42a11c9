import { expect, test } from "vitest";
import { readReply, replyHint } from "./question-and-reply.ts";

test("how much more of a window of a subscription is asked and read in per cent", () => {
  const window = { limit: "plan per 5h", identity: { kind: "plan", per: "5h" }, used: 80, max: 80 } as const;
  expect(replyHint(window)).toBe("[y]es, [n]o, [w]rap up, or how much more, such as 10%:");
  expect(readReply("10%", window)).toEqual({ more: 10 });
});

test("on a terminal it is said what a yes allows where the question does not say it", () => {
  const asked = { limit: "turns", identity: { kind: "turns" }, used: 1, max: 1 } as const;
  expect(replyHint(asked)).toBe("[y]es, [n]o, [w]rap up, or how much more, such as 10:");
  expect(replyHint({ ...asked, round: 25 })).toBe(
    "[y]es (another 25 turns), [n]o, [w]rap up, or how much more, such as 10:",
  );
});
