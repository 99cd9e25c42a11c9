import { expect, test } from "vitest";
import { Fingerprint } from "./fingerprint.ts";

const circular: unknown[] = [];
circular.push(circular);

test.each([
  [
    "bytes that are equal",
    Fingerprint.ofBytes(Buffer.from("ab")),
    Fingerprint.ofBytes(Buffer.from("ab")),
    true,
  ],
  ["as many bytes", Fingerprint.ofBytes(Buffer.from("ab")), Fingerprint.ofBytes(Buffer.from("ac")), false],
  ["more bytes", Fingerprint.ofBytes(Buffer.from("ab")), Fingerprint.ofBytes(Buffer.from("abc")), false],
  ["values that are equal", Fingerprint.ofJson([{ a: 1 }]), Fingerprint.ofJson([{ a: 1 }]), true],
  ["as many items", Fingerprint.ofJson([{ a: 1 }]), Fingerprint.ofJson([{ a: 2 }]), false],
  ["more items", Fingerprint.ofJson([1]), Fingerprint.ofJson([1, 1]), false],
  ["other objects", Fingerprint.ofJson({ a: 1 }), Fingerprint.ofJson({ a: 2 }), false],
  ["nothing", Fingerprint.ofJson(undefined), Fingerprint.ofJson(undefined), true],
  ["what cannot be serialised", Fingerprint.ofJson(circular), Fingerprint.ofJson(circular), false],
])("a request is compared with one of %s", (_what, one, other, isEqual) => {
  expect(one.equals(other)).toBe(isEqual);
  expect(other.equals(one)).toBe(isEqual);
  expect(one.equals(one)).toBe(true);
});

test("a request that was read in the meantime is still equal", async () => {
  const [one, other] = [Fingerprint.ofJson(["a"]), Fingerprint.ofJson(["a"])];
  one.readSoon();
  await new Promise(setImmediate);
  expect(one.equals(other)).toBe(true);
});
