import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";

function runOf(...ends: Parameters<ReturnType<typeof createGovernor>["turnEnded"]>[0][]) {
  const governor = createGovernor();
  governor.prompt();
  for (const end of ends) {
    governor.beforeTurn();
    governor.turnEnded(end);
  }
  return governor;
}

test("what the answers of a run took is added up in its outcome", () => {
  const governor = runOf(
    { usage: { input: 100, output: 20, cost: 0.01 } },
    { usage: { input: 50, output: 10, cacheRead: 30, cost: 0.02 } },
  );
  expect(governor.settled()?.usage).toEqual({ input: 150, output: 30, cacheRead: 30, cost: 0.03 });
});

test("what nobody reported is not made up", () => {
  expect(runOf({}, undefined).settled()).not.toHaveProperty("usage");
  expect(runOf({ usage: { input: 1, output: 2 } }).settled()?.usage).toEqual({ input: 1, output: 2 });
});

test("a failed request that was paid for counts, and so does its retry", () => {
  const governor = runOf(
    { failure: "failed", usage: { input: 10, output: 0 } },
    { usage: { input: 10, output: 5 } },
  );
  expect(governor.settled()).toMatchObject({ turns: 1, usage: { input: 20, output: 5 } });
});

test("the usage of a turn in which the step limit ended the run counts too", () => {
  const governor = createGovernor({ steps: 1 });
  governor.prompt();
  governor.beforeTurn();
  governor.beforeStep();
  governor.beforeStep();
  governor.turnEnded({ usage: { input: 7, output: 3 } });
  expect(governor.settled()).toMatchObject({ kind: "stopped", usage: { input: 7, output: 3 } });
});

test("the next prompt starts from nothing, and a saved state from where it stood", () => {
  const governor = runOf({ usage: { input: 5, output: 5 } });
  const copy = createGovernor({ state: JSON.parse(JSON.stringify(governor.state)) });
  expect(copy.settled()?.usage).toEqual({ input: 5, output: 5 });
  governor.prompt();
  expect(governor.settled()).not.toHaveProperty("usage");
});
