import { expect, test } from "vitest";
import { Run } from "../../src/run/run.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { rest } from "../helpers/person.ts";

/** A run whose turn is answered, and of which nobody knows whether it waits for a person now. */
async function undecided() {
  const clock = new ManualClock();
  const run = new Run({ time: 5_000, clock });
  run.begin();
  const turn = await run.nextTurn();
  clock.pass(1_000);
  if (turn.kind === "turn") turn.answered();
  run.waiting("maybe");
  return { run, clock };
}

test("time of which nobody knows whether the run waits counts once it is known that it worked", async () => {
  const { run, clock } = await undecided();
  clock.pass(2_000);
  expect(run.view.totals.time).toBe(1_000);
  run.waiting(false);
  expect(run.view.totals.time).toBe(3_000);
});

test("and does not count once it is known that it waited", async () => {
  const { run, clock } = await undecided();
  clock.pass(2_000);
  run.waiting(true);
  run.waiting(false);
  clock.pass(500);
  expect(run.view.totals.time).toBe(1_500);
});

test("a run whose time was up meanwhile is cut off when it is known that it worked, and not before", async () => {
  const { run, clock } = await undecided();
  const { signal } = run.turn;
  clock.pass(9_000);
  await rest();
  expect(signal.aborted).toBe(false);
  run.waiting(false);
  await rest();
  expect([signal.aborted, run.end()]).toMatchObject([true, { kind: "stopped", limit: "time" }]);
});

test("a run that waited meanwhile is watched again, for the time that it has left", async () => {
  const { run, clock } = await undecided();
  clock.pass(9_000);
  run.waiting(true);
  run.waiting(false);
  clock.pass(3_999);
  await rest();
  expect(run.turn.signal.aborted).toBe(false);
  clock.pass(1);
  await rest();
  expect(run.turn.signal.aborted).toBe(true);
});

test("a run that ends before it is known takes no more time, and the next one does", async () => {
  const { run, clock } = await undecided();
  clock.pass(2_000);
  expect(run.end()?.time).toBe(1_000);
  run.begin();
  await run.nextTurn();
  clock.pass(700);
  expect(run.view.totals.time).toBe(700);
});
