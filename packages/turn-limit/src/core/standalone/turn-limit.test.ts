import { expect, test } from "vitest";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { DEFAULT_MAX_TURNS, type Max } from "../limits/boundary.ts";
import { TurnLimit } from "./turn-limit.ts";

function used(count: number, max: Max): TurnLimit {
  return TurnLimit.from({ max, used: count, completed: count });
}

test("nothing said means 25 turns", () => {
  expect(new TurnLimit().max).toBe(25);
  expect(DEFAULT_MAX_TURNS).toBe(25);
});

test("a limit of N lets exactly N turns begin", () => {
  const turns = new TurnLimit(5);
  let begun = 0;
  while (!turns.reached) {
    turns.begin();
    begun += 1;
  }
  expect(begun).toBe(5);
});

test("a limit of 0 is reached before the first turn", () => {
  expect(new TurnLimit(0).reached).toBe(true);
});

test("without a limit the turns are still counted", () => {
  const turns = new TurnLimit("unlimited");
  for (let turn = 0; turn < 100; turn += 1) turns.begin();
  expect(turns.reached).toBe(false);
  expect(turns.used).toBe(100);
});

test("a turn counts as completed when its answer arrived", () => {
  const turns = new TurnLimit(5);
  turns.begin();
  expect(turns.completed).toBe(0);
  turns.complete();
  expect(turns.completed).toBe(1);
});

test("no more turns are completed than began", () => {
  const turns = new TurnLimit(5);
  turns.begin();
  turns.complete();
  turns.complete();
  expect(turns.completed).toBe(1);
});

test("an answer to a turn from before the counter was zeroed belongs to no round", () => {
  const turns = new TurnLimit(5);
  turns.begin();
  turns.restart();
  turns.complete();
  expect(turns.completed).toBe(0);
});

test("from one number to another the counter keeps its value", () => {
  const turns = used(3, 5);
  turns.max = 10;
  expect(turns.used).toBe(3);
});

test("a limit lowered below the counter is reached at once", () => {
  const turns = used(4, 5);
  turns.max = 2;
  expect(turns.reached).toBe(true);
});

test("from a number to unlimited the counter keeps its value", () => {
  const turns = used(3, 5);
  turns.max = "unlimited";
  expect(turns.used).toBe(3);
});

test("from unlimited to a number the counter starts over", () => {
  const turns = used(30, "unlimited");
  turns.max = 5;
  expect(turns.toJSON()).toEqual({ max: 5, used: 0, completed: 0 });
});

test("unlimited again is no change", () => {
  const turns = used(30, "unlimited");
  turns.max = "unlimited";
  expect(turns.used).toBe(30);
});

test("a value that is no limit is refused and changes nothing", () => {
  const turns = used(3, "unlimited");
  expect(() => {
    turns.max = -1;
  }).toThrow(InvalidLimit);
  expect(turns.toJSON()).toEqual({ max: "unlimited", used: 3, completed: 3 });
  expect(() => new TurnLimit(1.5)).toThrow(InvalidLimit);
});

test("a limit goes on where its JSON left off", () => {
  const turns = used(4, 5);
  turns.begin();
  const again = TurnLimit.from(JSON.parse(JSON.stringify(turns)));
  expect(again.toJSON()).toEqual({ max: 5, used: 5, completed: 4 });
  expect(again.reached).toBe(true);
});

test("a damaged counter is refused rather than never reaching its limit", () => {
  expect(() => TurnLimit.from({ max: 5, used: Number.NaN, completed: 0 })).toThrow(InvalidLimit);
  expect(() => TurnLimit.from({ max: 5, used: 1, completed: -1 })).toThrow(InvalidLimit);
});

test.each([null, undefined, 5, "state", [5]])("a state of %j is refused by name", (state) => {
  expect(() => TurnLimit.from(state as never)).toThrow(/^turns must be an object with max, used/);
});

test("it says what it is", () => {
  expect(`${new TurnLimit(20)}`).toBe("TurnLimit(max=20)");
  expect(`${new TurnLimit("unlimited")}`).toBe("TurnLimit(max=unlimited)");
});

test("another number can be granted until the counter starts over, also over a save", () => {
  const turns = used(2, 2);
  turns.grant(4);
  expect([turns.max, turns.maxInForce, turns.reached]).toEqual([2, 4, false]);
  const again = TurnLimit.from(JSON.parse(JSON.stringify(turns)));
  expect(again.maxInForce).toBe(4);
  again.restart();
  expect(again.maxInForce).toBe(2);
  turns.max = 3;
  expect(turns.maxInForce).toBe(3);
});
