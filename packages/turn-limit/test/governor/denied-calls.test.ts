import { expect, test } from "vitest";
import { createGovernor, type Governor, type GovernorSettings } from "../../src/index.ts";
import { takeTurns, used } from "../helpers/runs.ts";

const call = { id: "1", tool: "bash" };

function inTurn(settings: GovernorSettings) {
  const governor = createGovernor(settings);
  governor.prompt();
  governor.timeIs(0);
  governor.beforeTurn();
  return governor;
}

test("a call that is denied after it was admitted takes no step", () => {
  const governor = inTurn({ steps: 1, tools: { bash: 1 } });
  expect(governor.beforeStep(call).kind).toBe("proceed");
  governor.stepExecuted();
  governor.stepDenied(call);
  expect(governor.view.totals.steps).toBe(0);
  expect(governor.beforeStep({ ...call, id: "2" }).kind).toBe("proceed");
  expect(governor.stepExecuted()).toBeUndefined();
  expect(governor.beforeStep({ ...call, id: "3" }).kind).toBe("refuse");
  expect(governor.settled()).toMatchObject({ steps: 1 });
});

test("a call that was admitted before the run was saved can be denied after that", () => {
  const settings = { steps: { max: 1, onExhausted: "refuse" } } as const;
  const saved = inTurn(settings);
  saved.beforeStep(call);
  const governor = createGovernor({ ...settings, state: JSON.parse(JSON.stringify(saved.state)) });
  governor.stepDenied(call);
  expect(governor.view.totals.steps).toBe(0);
  expect(governor.beforeStep({ ...call, id: "2" }).kind).toBe("proceed");
});

test("what is executed besides is still one too many", () => {
  const governor = inTurn({ steps: 5 });
  governor.beforeStep(call);
  governor.stepDenied(call);
  expect(governor.stepExecuted()).toMatchObject({ outcome: "limit-overrun" });
});

test("a call that waits for approval holds its step", () => {
  const governor = inTurn({ steps: { max: 1, onExhausted: "refuse" } });
  governor.beforeStep(call);
  expect(governor.beforeStep({ ...call, id: "2" }).kind).toBe("refuse");
});

test("a call of an earlier round that is denied gives this one no step", () => {
  const governor = inTurn({ steps: 2 });
  governor.beforeStep(call);
  governor.reset();
  governor.stepDenied(call);
  expect(used(governor, "steps")).toBe(0);
  governor.beforeStep(call);
  governor.beforeStep(call);
  expect(governor.beforeStep(call).kind).toBe("refuse");
});

test.each<[string, (governor: Governor) => void]>([
  ["twice", (governor) => governor.stepDenied(call)],
  ["that was refused", (governor) => governor.beforeStep({ ...call, id: "2" })],
  ["that is not known", () => {}],
])("a call that is denied %s gives no step", (_, before) => {
  const governor = inTurn({ tools: { bash: { max: 2, onExhausted: "refuse" } } });
  governor.beforeStep({ id: "0", tool: "bash" });
  governor.beforeStep(call);
  before(governor);
  governor.stepDenied(call);
  governor.stepDenied({ id: "2" });
  governor.stepDenied({ id: "9" });
  expect(governor.view.totals.steps).toBe(1);
});

test("a call that has its result cannot be denied any more, nor can one of several by the same id", () => {
  const governor = inTurn({ steps: 5 });
  governor.beforeStep(call);
  governor.stepEnded({ id: "1", result: "done" });
  governor.stepDenied(call);
  governor.beforeStep({ ...call, id: "2" });
  governor.beforeStep({ ...call, id: "2" });
  governor.stepDenied({ id: "2" });
  expect(governor.view.totals.steps).toBe(3);
});

test("a call that is denied when the run is over changes nothing", () => {
  const governor = inTurn({ steps: 2 });
  governor.beforeStep(call);
  governor.settled();
  governor.stepDenied(call);
  takeTurns(governor, 1);
  expect(used(governor, "steps")).toBe(1);
});
