import { expect, test } from "vitest";
import { whyRefused } from "../../test/helpers/runs.ts";
import {
  amount,
  anyFunction,
  count,
  deepFreeze,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  text,
} from "./checks.ts";

const person = object({ name: text, age: optional(count(), 0) });

test("an object is copied, with what is left out filled in", () => {
  const given = { name: "Ada" };
  const checked = person(given, "person");
  expect(checked).toEqual({ name: "Ada", age: 0 });
  checked.name = "Eve";
  expect(given.name).toBe("Ada");
});

test("a field is refused by its path, and an unknown one by its name", () => {
  expect(whyRefused(() => person({ name: 5 }, "person"))).toMatchObject({ setting: "person.name", value: 5 });
  expect(whyRefused(() => person({ name: "Ada", aged: 36 }, "person"))).toMatchObject({
    setting: "person.aged",
    value: 36,
    allowed: "one of name, age",
  });
  expect(whyRefused(() => person({ aged: 36 }, ""))).toMatchObject({ setting: "aged" });
});

test.each([null, undefined, 5, "x", true, [], new Map(), new Date(), () => {}])(
  "%s is no object with fields",
  (value) => {
    expect(whyRefused(() => person(value, "person"))).toMatchObject({
      setting: "person",
      allowed: "an object with name, age",
    });
    expect(whyRefused(() => record(text)(value, "names"))).toMatchObject({ setting: "names" });
  },
);

test("a record may have any names, also those that objects come with", () => {
  const given = JSON.parse('{ "__proto__": 1, "constructor": 2, "a": 3 }');
  const checked = record(count())(given, "calls");
  expect(Object.keys(checked).sort()).toEqual(["__proto__", "a", "constructor"]);
  expect(checked.toString).toBeUndefined();
  expect(whyRefused(() => record(count())({ a: -1 }, "calls"))).toMatchObject({ setting: "calls.a" });
});

test("a list is copied, and its items refused by their place", () => {
  const given = [1, 2];
  const checked = list(count())(given, "numbers");
  given.push(3);
  expect(checked).toEqual([1, 2]);
  expect(whyRefused(() => list(count())([1, "2"], "numbers"))).toMatchObject({ setting: "numbers[1]" });
  expect(whyRefused(() => list(count())({ 0: 1, length: 1 }, "numbers"))).toMatchObject({
    setting: "numbers",
  });
});

test("numbers, flags, words and functions are what they say", () => {
  expect([amount(0.5, "x"), count(1)(1, "x"), flag(false, "x"), oneOf("a", "b")("b", "x")]).toEqual([
    0.5,
    1,
    false,
    "b",
  ]);
  expect(whyRefused(() => oneOf("a", "b", "c")("d", "x")).allowed).toBe('"a", "b" or "c"');
  expect(whyRefused(() => oneOf("a")("d", "x")).allowed).toBe('"a"');
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, "1", null, undefined, 1n])
    expect(whyRefused(() => amount(value, "x")).allowed).toBe("a number of 0 or more");
  expect(whyRefused(() => flag(1, "x")).allowed).toBe("true or false");
  expect(whyRefused(() => anyFunction("x", "x")).allowed).toBe("a function");
});

test("a whole number says how small it may be", () => {
  for (const value of [0, 1.5, 2 ** 53, "1"])
    expect(whyRefused(() => count(1)(value, "x")).allowed).toBe("a whole number of 1 or more");
  expect(whyRefused(() => count()(-1, "x")).allowed).toBe("a whole number of 0 or more");
});

test("what may be left out may not be nothing", () => {
  const age = optional(count(), "unknown");
  expect([age(undefined, "age"), age(3, "age")]).toEqual(["unknown", 3]);
  expect(whyRefused(() => age(null, "age"))).toMatchObject({ setting: "age", value: null });
});

test("what is frozen is so in all its parts", () => {
  const frozen = deepFreeze({ a: { b: [{ c: 1 }] } });
  for (const change of [
    () => Object.assign(frozen, { a: 1 }),
    () => Object.assign(frozen.a, { b: 1 }),
    () => frozen.a.b.pop(),
    () => Object.assign(frozen.a.b[0] as object, { c: 2 }),
  ])
    expect(change).toThrow(TypeError);
});

test("a function is nothing to freeze: it belongs to who gave it", () => {
  const message = () => "Finish!";
  expect(deepFreeze({ message }).message).toBe(message);
  expect(Object.isFrozen(message)).toBe(false);
});
