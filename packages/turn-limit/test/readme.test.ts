import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { format } from "node:util";
import { describe, expect, test } from "vitest";
import * as loop from "../src/adapters/loop/index.ts";
import { readPool } from "../src/command/pools/read-pools.ts";
import * as gateway from "../src/gateway/index.ts";
import * as core from "../src/index.ts";
import { memoryStore } from "../src/pools/stores/memory.ts";
import * as adapter from "../src/run/index.ts";
import * as testing from "../src/testing/index.ts";
import { ask, fill } from "./command/a-store.ts";

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
const entries: Record<string, object> = {
  "turn-limit": core,
  "turn-limit/loop": loop,
  "turn-limit/gateway": gateway,
};

describe("the README's examples", () => {
  const IMPORT = /^import (\{[^}]*\}) from "([^"]+)";$/gm;
  const PRINTED = /^console\.log\(.*\); \/\/ (.*)$/gm;
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const examples = blocks.filter((code) =>
    [...code.matchAll(IMPORT)].every(([, , from = ""]) => from in entries),
  );

  test("are found", () => expect(examples.length).toBeGreaterThanOrEqual(8));

  test.each(examples)("run, and print what they say: %#", async (code) => {
    const script = stripTypeScriptTypes(code).replace(IMPORT, 'const $1 = entries["$2"];');
    const printed: string[] = [];
    const console = { log: (...values: unknown[]) => printed.push(format(...values)) };
    const given = { ...leftToTheReader(), entries, console };

    await new AsyncFunction(...Object.keys(given), script)(...Object.values(given));

    expect(printed).toEqual([...code.matchAll(PRINTED)].map(([, said]) => said));
  });
});

test("no example of the README imports a name twice", () => {
  const twice = [...readme.matchAll(/^```[jt]s\n(.*?)^```$/gms)].flatMap(([, code = ""]) => {
    const imports = [...code.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
    const names = imports.map((name) => name.trim());
    return names.filter((name, index) => names.indexOf(name) !== index);
  });
  expect(twice).toEqual([]);
});

test("every row of the README is in a table, and in it once", () => {
  const tables = readme
    .split(/\n(?!\|)/)
    .map((part) => part.split("\n").filter((row) => row.startsWith("|")));
  for (const [head, line, ...rows] of tables.filter((rows) => rows.length > 0)) {
    expect(line, head).toMatch(/^\|[-|]+\|$/);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  }
});

describe("the README lists", () => {
  const governor = core.createGovernor();

  test("every member of a governor, and no other", () => {
    const members = [
      ...Object.keys(governor),
      ...Object.getOwnPropertyNames(Object.getPrototypeOf(governor)),
    ];
    expect(firstCells("## Events", "### Decisions")).toEqual(
      new Set(members.filter((name) => name !== "constructor")),
    );
  });

  test("every fact of the view, and no other", () => {
    expect(firstCells("## The view", "### The outcome")).toEqual(new Set(Object.keys(governor.view)));
  });

  test("every option of a governor", () => {
    const listed = firstCells("## `createGovernor", "Each limit is a number");
    expect(listed).toEqual(new Set([...Object.keys(governor.view.settings), "state"]));
  });

  test("every member of a loop's limits", () => {
    const listed = section("**A hand-written loop**", "**AI SDK**");
    const members = Object.keys(Object.getOwnPropertyDescriptors(loop.limitLoop()));
    expect(members.length).toBeGreaterThan(10);
    expect(members.filter((name) => !listed.includes(name))).toEqual([]);
  });

  test("what a question and an outcome say of a store that cannot be used, or a pool that is frozen", () => {
    expect(section("### The outcome", "## Changing limits")).toContain("| `why` |");
    expect(section("| `ask(question", "| `onOutcome")).toContain("`why`");
  });

  test("every member of a driver", () => {
    const members = Object.getOwnPropertyNames(adapter.Driver.prototype).filter(
      (name) => name !== "constructor",
    );
    expect(
      members.filter((name) => !section("### Another host", "## The limits alone").includes(name)),
    ).toEqual([]);
  });

  test("every field of the command's JSON, and no other", async () => {
    const store = memoryStore();
    await fill(store);
    await ask(store, "q1");
    const pool = await readPool(store, "research");
    expect(firstCells("### The command's JSON", "## Errors")).toEqual(new Set(Object.keys(pool)));
    const shape = (value: object | undefined) => `{ ${Object.keys(value ?? {}).join(", ")} }`;
    const listed = section("### The command's JSON", "## Errors");
    for (const part of [pool.use.cost, pool.members[0], pool.questions[0]])
      expect(listed).toContain(shape(part));
  });

  test("everything that can be imported", () => {
    const names = [core, loop, adapter, testing, gateway].flatMap((entry) => Object.keys(entry));
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([]);
  });
});

/** What the examples do not spell out: the agent, its model and its tools. */
function leftToTheReader(): Record<string, unknown> {
  const answers = [{ calls: [{ id: "1", tool: "search" }] }, { calls: [] }];
  return {
    agent: { wantsToGoOn: () => true, takeTurn: async () => {} },
    askThePerson: async () => true,
    callTheModel: async () => [{ tool: "search" }],
    execute: async () => {},
    messages: [],
    model: async () => ({ ...answers.shift(), usage: { input: 100, output: 20 } }),
    result: (call: unknown, text: string) => ({ call, text }),
    run: async () => "found",
    tools: [],
    user: (text: string) => ({ text }),
  };
}

function section(from: string, to: string): string {
  const start = readme.indexOf(from);
  return readme.slice(start, readme.indexOf(to, start));
}

/** The names in the first column of a section's tables, without arguments. */
function firstCells(from: string, to: string): Set<string> {
  const cells = [...section(from, to).matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, name = ""]) => name)));
}
