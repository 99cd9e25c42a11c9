import { expect, test } from "vitest";
import { withMethod } from "./with-method.ts";

class Tool {
  readonly #secret = "secret";
  name = "work";
  get description() {
    return `has a ${this.#secret}`;
  }
  needsApproval(): boolean {
    return this.#secret.length > 0;
  }
  execute(): string {
    return this.#secret;
  }
}

const governed = (tool = new Tool()) => withMethod(tool, "execute", () => "governed");

test("one method is another, and the tool stays as it is", () => {
  const tool = new Tool();
  const wrapped = governed(tool);
  expect(wrapped.execute()).toBe("governed");
  expect(tool.execute()).toBe("secret");
});

test("what the prototype has, getters and private members work", () => {
  const wrapped = governed();
  expect(wrapped.needsApproval()).toBe(true);
  expect(wrapped.description).toBe("has a secret");
  expect(wrapped).toBeInstanceOf(Tool);
  expect("needsApproval" in wrapped).toBe(true);
  expect(wrapped.constructor).toBe(Tool);
});

test("a method is called on the tool, and on another object where that is wanted", () => {
  const wrapped = governed();
  const { needsApproval } = wrapped;
  expect(wrapped.needsApproval).toBe(needsApproval);
  expect(() => needsApproval.call({} as Tool)).toThrow(TypeError);
});

test("a function keeps its own properties", () => {
  const schema = Object.assign(() => "made", { kind: "schema" });
  const wrapped = withMethod({ schema, execute: (): string => "own" }, "execute", () => "governed");
  expect(wrapped.schema.kind).toBe("schema");
  expect(wrapped.schema()).toBe("made");
});

test("a copy that the host makes has what a copy of the tool has, and is governed", () => {
  const tool = Object.defineProperty({ name: "work", execute: (): string => "own" }, "hidden", { value: 1 });
  const copy = { ...withMethod(tool, "execute", () => "governed") };
  expect(Object.keys(copy)).toEqual(["name", "execute"]);
  expect(copy.execute()).toBe("governed");
  expect(Reflect.ownKeys(withMethod(tool, "execute", () => "governed"))).toEqual([
    "name",
    "execute",
    "hidden",
  ]);
});

test("a frozen tool can be governed", () => {
  const wrapped = withMethod(
    Object.freeze({ name: "work", execute: (): string => "own" }),
    "execute",
    () => "governed",
  );
  expect(wrapped.execute()).toBe("governed");
  expect({ ...wrapped }.name).toBe("work");
});

test("what is changed is changed in the tool", () => {
  const tool = new Tool();
  governed(tool).name = "other";
  expect(tool.name).toBe("other");
});
