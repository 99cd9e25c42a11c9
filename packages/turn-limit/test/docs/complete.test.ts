import { describe, expect, test } from "vitest";
import { readPool } from "../../src/command/pools/pool-view.ts";
import * as core from "../../src/index.ts";
import { ask, fill } from "../command/a-store.ts";
import { corePage, pages } from "./pages.ts";
import { ownEntry } from "./run-example.ts";

describe("the documentation lists", () => {
  const governor = core.createGovernor();

  test("every member of a governor, and no other", () => {
    expect(firstCells(section("docs/governor.md", "## Events"))).toEqual(membersOf(governor));
  });

  test("every fact of the view, and no other", () => {
    const listed = firstCells(section("docs/governor.md", "## The view"));
    expect(listed).toEqual(new Set(Object.keys(governor.view)));
  });

  test("every option of a governor", () => {
    const own = firstCells(section("docs/governor.md", "## Options"));
    const [options = ""] = section("docs/limits.md", "## The limits").split("Each limit is");
    expect(new Set([...own, ...firstCells(options)])).toEqual(
      new Set([...Object.keys(governor.view.settings), "state"]),
    );
  });

  test("every member of a loop's limits", async () => {
    const { limitLoop } = await ownEntry("turn-limit/loop");
    const listed = corePage("docs/adapters/loop.md");
    const members = Object.keys(Object.getOwnPropertyDescriptors(limitLoop()));
    expect(members.length).toBeGreaterThan(10);
    expect(members.filter((name) => !listed.includes(`\`${name}`))).toEqual([]);
  });

  test("every member of a run, its turns and its calls, and no other", async () => {
    const { Run } = await ownEntry("turn-limit/adapter");
    const run = new Run({});
    run.begin();
    const turn = await run.nextTurn();
    for (const [name, value] of Object.entries({ Run: run, Turn: turn, Call: turn.call() })) {
      const [, listed = ""] = section("docs/adapting-a-host.md", `### ${name}`).split(/^\| of an? /m);
      expect(firstCells(listed), name).toEqual(membersOf(value));
    }
    run.end();
  });

  test("what a question and an outcome say of a store that cannot be used, or a pool that is frozen", () => {
    expect(section("docs/questions-and-outcomes.md", "## The outcome")).toContain("| `why` |");
    expect(section("docs/questions-and-outcomes.md", "## Asking a person")).toContain("`why`");
  });

  test("every field of the command's JSON, and no other", async () => {
    const store = core.memoryStore();
    await fill(store);
    await ask(store, "q1");
    const pool = await readPool(store, "research");
    const listed = section("docs/pools-command.md", "## The command's JSON");
    expect(firstCells(listed)).toEqual(new Set(Object.keys(pool)));
    const shape = (value: object | undefined) => `{ ${Object.keys(value ?? {}).join(", ")} }`;
    for (const part of [pool.use.cost, pool.members[0], pool.questions[0]])
      expect(listed).toContain(shape(part));
  });

  test("everything that can be imported", async () => {
    const entries = [
      "turn-limit",
      ...["loop", "adapter", "testing", "gateway"].map((name) => `turn-limit/${name}`),
    ];
    const documentation = pages.map(({ text }) => text).join("\n");
    const names = (await Promise.all(entries.map(ownEntry))).flatMap(Object.keys);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(documentation))).toEqual([]);
  });
});

function membersOf(value: object): Set<string> {
  const names = Object.keys(value);
  for (let type = Object.getPrototypeOf(value); type !== Object.prototype; type = Object.getPrototypeOf(type))
    names.push(...Object.getOwnPropertyNames(type));
  return new Set(names.filter((name) => name !== "constructor"));
}

/** A section of a page, from its heading to the next one of the same level. */
function section(path: string, heading: string): string {
  const page = corePage(path);
  const start = page.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${path} has no section ${heading}`);
  const [level = ""] = heading.split(" ");
  const end = page.indexOf(`\n${level} `, start + heading.length);
  return page.slice(start, end === -1 ? undefined : end);
}

/** The names in the first column of the tables, without arguments. */
function firstCells(markdown: string): Set<string> {
  const cells = [...markdown.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, name = ""]) => name)));
}
