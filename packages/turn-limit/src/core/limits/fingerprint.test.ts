import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";

const LONG = "x".repeat(1_000);

test("the same value has the same fingerprint, whatever the order of its keys", () => {
  const one = { path: "a", range: { from: 1, to: 2 }, list: [{ a: 1, b: 2 }] };
  const other = { list: [{ b: 2, a: 1 }], range: { to: 2, from: 1 }, path: "a" };
  expect(fingerprint(one)).toBe(fingerprint(other));
});

test("two errors that say the same have the same fingerprint", () => {
  expect(fingerprint(new Error("no"))).toBe(fingerprint(new Error("no")));
});

test("a long value has a short fingerprint", () => {
  expect(fingerprint(LONG)?.length).toBeLessThan(32);
  expect(fingerprint({ a: LONG, b: 1 })).toBe(fingerprint({ b: 1, a: LONG }));
});

test.each<[unknown, unknown]>([
  [1, 2],
  [1, "1"],
  [null, "null"],
  [undefined, "undefined"],
  [true, "true"],
  [[], {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: {} }, { a: { b: 1 } }],
  ["", " "],
  [LONG, `${LONG}x`],
  [`${LONG}a${LONG}`, `${LONG}b${LONG}`],
  [`a${LONG}b`, `b${LONG}a`],
  [JSON.parse('{"__proto__":1}'), {}],
  [new Date(0), new Date(1)],
  [new Error("one"), new Error("other")],
  [new Error("one"), new TypeError("one")],
  [new Uint8Array([1]), new Uint8Array([2])],
])("%j and %j have different fingerprints", (one, other) => {
  expect(fingerprint(one)).not.toBe(fingerprint(other));
});

test("what cannot be compared has none", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const hostile = {
    get trap() {
      throw new Error("no");
    },
  };
  const sealed = [new Map([["a", 1]]), new Set([1]), new ArrayBuffer(1), /x/];
  for (const value of [circle, 1n, { n: 1n }, hostile, ...sealed]) expect(fingerprint(value)).toBeUndefined();
});

test("no two texts have the same fingerprint", () => {
  const texts = fc.uniqueArray(fc.string({ maxLength: 300, size: "max" }), { maxLength: 200, size: "max" });
  const different = fc.property(texts, (values) => {
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
  });
  fc.assert(different, { numRuns: 50 });
});

test("values that survive JSON have the same fingerprint if and only if they are the same", () => {
  const anything = fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
    const [copy, otherCopy] = JSON.parse(JSON.stringify([one, other]));
    expect(fingerprint(copy)).toBe(fingerprint(one));
    expect(fingerprint(one) === fingerprint(other)).toBe(isDeepStrictEqual(copy, otherCopy));
  });
  fc.assert(anything, { numRuns: 500 });
});
