import { expect, test } from "vitest";
import type { Ask, Governor } from "../../src/index.ts";
import { prompted, promptedAtZero, takeTurns, used } from "../helpers/runs.ts";

function asked(governor: Governor): Ask {
  const decision = governor.beforeTurn();
  if (decision.kind !== "ask") throw new Error("Nobody was asked.");
  return decision;
}

test.each([
  ["stop", { kind: "stop", raises: false }, "stopped"],
  ["raise", { kind: "stop", raises: true }, "stopped"],
  ["synthesize", { kind: "synthesize" }, "salvaged"],
] as const)("where nobody replies to a limit that is then to %s, that is done", (headless, done, outcome) => {
  const governor = prompted({ turns: { max: 1, headless }, canAsk: true });
  takeTurns(governor, 1);
  expect(governor.answer("unanswered", asked(governor))).toMatchObject({ ...done, limit: "turns" });
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: outcome, limit: "turns" });
});

test("of several limits that are used up, the strictest says what is done", () => {
  const options = { turns: { max: 1, headless: "synthesize" }, requests: 1, canAsk: true } as const;
  const governor = prompted(options);
  takeTurns(governor, 1);
  expect(governor.answer("unanswered", asked(governor))).toMatchObject({ kind: "stop", limit: "requests" });
});

test("where calls are then only refused, the turn begins", () => {
  const governor = prompted({ tools: { bash: 1 }, canAsk: true });
  governor.beforeTurn();
  for (const id of ["1", "2"]) governor.beforeStep({ id, tool: "bash" });
  governor.turnEnded();
  expect(governor.answer("unanswered", asked(governor))).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(2);
});

test.each([
  ["stop", "stop", "stopped"],
  ["synthesize", "synthesize", "salvaged"],
] as const)("in the middle of a turn it is the same: %s", (headless, next, outcome) => {
  const governor = promptedAtZero({ time: { max: 1_000, headless }, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(1_000);
  const decision = governor.overdue();
  if (decision?.kind !== "ask") throw new Error("Nobody was asked.");
  expect(governor.answer("unanswered", decision)).toMatchObject({
    kind: headless,
    limit: "time",
    max: 1_000,
  });
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe(next);
  governor.turnEnded();
  expect(governor.settled()?.kind).toBe(outcome);
});

test("no reply allows nothing", () => {
  const governor = prompted({ turns: 1 });
  expect(() => governor.allow("turns", "unanswered" as never)).toThrow('true, { more: … } or "unlimited"');
});
