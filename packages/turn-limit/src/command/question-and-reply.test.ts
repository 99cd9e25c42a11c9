import { expect, test } from "vitest";
import { readReply, replyHint } from "./question-and-reply.ts";

test("how much more of a window of a subscription is asked and read in per cent", () => {
  const window = { limit: "plan per 5h", identity: { kind: "plan", per: "5h" }, used: 80, max: 80 } as const;
  expect(replyHint(window)).toBe("[y]es, [n]o, [w]rap up, or how much more, such as 10%:");
  expect(readReply("10%", window)).toEqual({ more: 10 });
});
