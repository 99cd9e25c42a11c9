import { expect, test } from "vitest";
import { prompted, takeTurns, whyRefused } from "../../../test/helpers/runs.ts";
import { isPlainObject } from "../checks.ts";
import { type GovernorState, requireSealed, sealed } from "./state.ts";

type Tree = Record<string, unknown>;

test("a state is the same after it was text, whatever the order of its keys by then", () => {
  const state = used();
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  const reversed = Object.fromEntries(Object.entries(state).reverse());
  const { checksum: _, ...plain } = state;
  expect(requireSealed(reversed)).toEqual(plain);
});

test("a state shares nothing with what it was made from, nor what is taken from it with the state", () => {
  const { version: _, checksum: __, ...parts } = used();
  const state = sealed(parts);
  const copy = structuredClone(state);
  parts.budgets.pop();
  requireSealed(state).budgets.pop();
  expect(state).toEqual(copy);
});

test("a part that is missing, or another than it was, is refused", () => {
  const state = used();
  const paths = pathsOf(state);
  expect(paths.length).toBeGreaterThan(50);
  for (const path of paths) {
    for (const change of [
      (tree: Tree, key: string) => delete tree[key],
      (tree: Tree, key: string) => Object.assign(tree, { [key]: "changed" }),
    ]) {
      const changed = structuredClone(state) as unknown as Tree;
      const parent = path.slice(0, -1).reduce((tree, key) => tree[key] as Tree, changed);
      change(parent, path.at(-1) as string);
      expect(whyRefused(() => requireSealed(changed)).setting).toBe(
        path[0] === "version" ? "state.version" : "state.checksum",
      );
    }
  }
});

test("a part that there was not is refused, too", () => {
  expect(whyRefused(() => requireSealed({ ...used(), more: 1 }))).toMatchObject({
    setting: "state.checksum",
    allowed: expect.stringMatching(/: the state was changed or damaged$/),
  });
});

test.each([null, undefined, 5, "{}", [], new Map()])("%s is no state", (value) => {
  expect(whyRefused(() => requireSealed(value))).toMatchObject({ setting: "state", value });
});

test("a state of another version is refused by that", () => {
  expect(whyRefused(() => requireSealed({ ...used(), version: 1 }))).toMatchObject({
    setting: "state.version",
    value: 1,
    allowed: "8",
  });
});

function used(): GovernorState {
  const governor = prompted({ turns: 3, repeats: 2, tools: { bash: 1 } });
  takeTurns(governor, 1);
  governor.beforeStep({ tool: "bash" });
  return governor.state;
}

/** The paths to all parts, lists and objects included. */
function pathsOf(part: unknown): string[][] {
  if (!isPlainObject(part) && !Array.isArray(part)) return [];
  return Object.entries(part).flatMap(([key, value]) => [
    [key],
    ...pathsOf(value).map((path) => [key, ...path]),
  ]);
}
