import { expect, test } from "vitest";
import { newHiddenField } from "./hidden-field.ts";

const objects = {
  "an object": () => ({}),
  "a list": () => [],
  "a frozen list": () => Object.freeze([]),
  "a proxy": () => new Proxy({}, {}),
};

for (const [what, made] of Object.entries(objects)) {
  test(`${what} can have a hidden field, which can be changed and is not to be seen`, () => {
    const field = newHiddenField<number>();
    const other = newHiddenField<number>();
    const object = made();
    expect(field.get(object)).toBeUndefined();
    field.set(object, 1);
    field.set(object, 2);
    expect(field.get(object)).toBe(2);
    expect(other.get(object)).toBeUndefined();
    expect(Reflect.ownKeys(object)).toEqual(Reflect.ownKeys(made()));
    expect(field.get(structuredClone({ ...object }))).toBeUndefined();
  });
}

test("a field that an object had before it was frozen can be read and changed", () => {
  const field = newHiddenField<number>();
  const object = {};
  field.set(object, 1);
  Object.freeze(object);
  expect(field.get(object)).toBe(1);
  field.set(object, 2);
  expect(field.get(object)).toBe(2);
});
