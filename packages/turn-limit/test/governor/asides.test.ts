import { describe, expect, test } from "vitest";
import type { Governor, GovernorOptions, RequestKind } from "../../src/index.ts";
import { change, prompted, promptedAtZero, used, whyRefused } from "../helpers/runs.ts";

/** Begins a request, which is answered if it may be sent. What was decided. */
function take(governor: Governor, as?: RequestKind, usage = { input: 1, output: 0, cost: 1 }): string {
  const { kind } = governor.beforeTurn({ as });
  if (kind !== "ask" && kind !== "stop") governor.turnEnded({ usage });
  return kind;
}

describe("requests", () => {
  test("are turns, those that are made again, those besides the turns and the last answer, and no compactions", () => {
    const governor = prompted({ turns: 2, requests: { max: 4, onExhausted: "synthesize" } });
    take(governor);
    governor.spend("compaction", { input: 1, output: 0 });
    for (const as of ["retry", "aside", "turn"] as const) expect(take(governor, as)).toBe("proceed");
    expect([used(governor, "turns"), used(governor, "requests")]).toEqual([2, 4]);
    change(governor, { turns: "unlimited" });
    expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "requests", used: 4, max: 4 });
    expect([used(governor, "turns"), used(governor, "requests")]).toEqual([3, 5]);
  });

  test.each(["turn", "retry", "aside"] as const)("are 3 and no more, if each is a %s", (as) => {
    const governor = prompted({ turns: "unlimited", requests: 3 });
    const decided = Array.from({ length: 5 }, () => take(governor, as));
    expect(decided).toEqual(["proceed", "proceed", "proceed", "stop", "stop"]);
    expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "requests" });
  });
});

describe("a request besides the turns", () => {
  test("is not held by a turn limit that is used up", () => {
    const governor = prompted({ turns: 1, canAsk: true });
    take(governor);
    expect([take(governor, "aside"), take(governor, "aside"), take(governor)]).toEqual([
      "proceed",
      "proceed",
      "ask",
    ]);
    expect(used(governor, "turns")).toBe(1);
  });

  test.each<[string, GovernorOptions]>([
    ["requests", { requests: 1 }],
    ["tokens", { tokens: 1 }],
    ["cost", { cost: 1 }],
    ["time", { time: 1_000 }],
  ])("is held by a limit of %s that is used up", (limit, options) => {
    const governor = promptedAtZero({ ...options, canAsk: true });
    governor.beforeTurn();
    governor.timeIs(1_000);
    governor.turnEnded({ usage: { input: 1, output: 0, cost: 1 } });
    const ask = governor.beforeTurn({ as: "aside" });
    expect(ask).toMatchObject({ kind: "ask", limit });
    expect(governor.answer(true, undefined, { as: "aside" })).toEqual({ kind: "proceed" });
    expect(used(governor, "turns")).toBe(1);
  });

  test("does not take the place of a turn that failed, and its own failure is no reason to make one again", () => {
    const governor = prompted({ turns: 5 });
    governor.beforeTurn();
    governor.turnEnded("failed");
    take(governor, "aside");
    expect(take(governor)).toBe("proceed");
    expect(used(governor, "turns")).toBe(1);
    governor.beforeTurn({ as: "aside" });
    governor.turnEnded("failed");
    take(governor);
    expect(used(governor, "turns")).toBe(2);
    expect(governor.settled()?.kind).toBe("completed");
  });

  test("can end while a turn is under way, and that turn can still fail", () => {
    const governor = prompted({ turns: 5 });
    governor.beforeTurn();
    governor.beforeTurn({ as: "aside" });
    governor.turnEnded({ as: "turn", failure: "failed" });
    governor.turnEnded({ as: "aside" });
    expect(governor.view.outcome?.kind).toBe("failed");
    expect(take(governor)).toBe("proceed");
    expect(used(governor, "turns")).toBe(1);
  });

  test("leaves a question alone that a turn waits for", () => {
    const governor = prompted({ turns: 1, canAsk: true });
    take(governor);
    const ask = governor.beforeTurn();
    expect(take(governor, "aside")).toBe("proceed");
    expect(governor.view.question).toMatchObject({ limit: "turns" });
    expect(governor.answer(true, ask.kind === "ask" ? ask : undefined)).toEqual({ kind: "proceed" });
    expect(used(governor, "turns")).toBe(1);
  });

  test.each<[string, GovernorOptions]>([
    ["not begun where the last answer is due", {}],
    ["nor after somebody was asked about it in vain", { canAsk: true }],
  ])("is %s, and the next turn still gets that answer", (_, options) => {
    const limit = { max: 1, headless: "synthesize" } as const;
    const governor = prompted({ requests: limit, ...options });
    take(governor);
    const decision = governor.beforeTurn({ as: "aside" });
    if (decision.kind === "ask")
      expect(governor.answer("unanswered", decision, { as: "aside" }).kind).toBe("stop");
    else expect(decision).toMatchObject({ kind: "stop", limit: "requests" });
    expect(used(governor, "requests")).toBe(1);
    expect(take(governor)).toBe("synthesize");
    expect(take(governor, "aside")).toBe("stop");
    expect(used(governor, "requests")).toBe(2);
    expect(governor.settled()?.kind).toBe("salvaged");
  });
});

test("a new turn is one also after a request that failed, if the host says so", () => {
  const governor = prompted({ turns: 2 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(take(governor, "turn")).toBe("proceed");
  expect([used(governor, "turns"), take(governor, "turn")]).toEqual([2, "stop"]);
});

test("a request that is made again begins where the turn limit is used up, if the host says so", () => {
  const governor = prompted({ turns: 1 });
  take(governor);
  expect([take(governor, "retry"), used(governor, "turns"), take(governor)]).toEqual(["proceed", 1, "stop"]);
});

test("what a request is, is checked", () => {
  const governor = prompted({});
  expect(whyRefused(() => governor.beforeTurn({ as: "title" as RequestKind }))).toMatchObject({
    setting: "as",
    value: "title",
    allowed: '"turn", "retry" or "aside"',
  });
  expect(whyRefused(() => governor.turnEnded({ as: "title" as RequestKind })).setting).toBe("turnEnded.as");
});
