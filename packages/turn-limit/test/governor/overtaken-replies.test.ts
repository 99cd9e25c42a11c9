import { expect, test } from "vitest";
import { createGovernor, type GovernorSettings, type Reply } from "../../src/index.ts";

/** A turn is held for a question about turns, and meanwhile a sub-agent uses up another limit. */
function held(other: GovernorSettings) {
  const governor = createGovernor({ turns: 1, canAsk: true, ...other });
  governor.prompt();
  governor.beforeTurn();
  governor.turnEnded();
  const ask = governor.beforeTurn();
  if (ask.kind !== "ask") throw new Error("A person should be asked.");
  governor.spend("nested", { input: 1, output: 1, cost: 5 });
  return { governor, ask };
}

const replies: Reply[] = [true, { more: 5 }, "unlimited", "wrap-up"];

for (const reply of replies) {
  test(`the reply ${JSON.stringify(reply)} lets no turn begin past a limit that stops the run by then [ReplyOvertaken]`, () => {
    const { governor, ask } = held({ cost: { max: 1, onExhausted: "stop" } });
    expect(governor.answer(reply, ask)).toMatchObject({ kind: "stop", limit: "cost", outcome: "stopped" });
    expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "cost", turns: 1 });
  });

  test(`the reply ${JSON.stringify(reply)} leads to the last answer if that is what a limit wants by then [ReplyOvertaken]`, () => {
    const { governor, ask } = held({ cost: { max: 1, onExhausted: "synthesize" } });
    expect(governor.answer(reply, ask)).toMatchObject({ kind: "synthesize", limit: "cost" });
  });
}

test("a limit that raises by then raises, whatever the reply [ReplyOvertaken]", () => {
  const { governor, ask } = held({ cost: { max: 1, onExhausted: "raise" } });
  expect(governor.answer(true, ask)).toMatchObject({ kind: "stop", limit: "cost", raises: true });
});

test("a no is a no all the same", () => {
  const { governor, ask } = held({ cost: { max: 1, onExhausted: "stop" } });
  expect(governor.answer(false, ask)).toMatchObject({ kind: "stop", outcome: "declined", limit: "turns" });
});

test("a limit that asks, too, is started over by the yes, and the turn begins", () => {
  const { governor, ask } = held({ cost: 1 });
  expect(governor.answer(true, ask)).toEqual({ kind: "proceed" });
  expect(governor.view.standings.find(({ limit }) => limit === "cost")).toMatchObject({ used: 0 });
});
