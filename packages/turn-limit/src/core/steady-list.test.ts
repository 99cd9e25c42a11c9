import { expect, test } from "vitest";
import { SteadyList } from "./steady-list.ts";

test("keeps the order in which its items were added, whichever are taken", () => {
  const list = new SteadyList(["a", "b"]);
  list.add("c");
  expect([list.take(1), list.take(5), list.take(-1)]).toEqual(["b", undefined, undefined]);
  list.add("d");
  expect(list.toArray()).toEqual(["a", "c", "d"]);
  expect([list.length, list.at(0), list.at(2), list.at(3)]).toEqual([3, "a", "d", undefined]);
});

test("has nothing of what was in it before it was cleared", () => {
  const list = new SteadyList(["a", "b"]);
  list.clear();
  expect([list.length, list.at(0), list.take(0), list.toArray()]).toEqual([0, undefined, undefined, []]);
  list.add("c");
  expect(list.toArray()).toEqual(["c"]);
});
