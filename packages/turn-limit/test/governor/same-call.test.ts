import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";
import { callTool, prompted, whyRefused } from "../helpers/runs.ts";

/** Is the second call taken for the first, with the same result? */
function isSame(one: unknown, other: unknown, options: object = {}): boolean {
  const governor = prompted({ repeats: 1, ...options });
  governor.beforeTurn();
  callTool(governor, "bash", { args: one, result: "same" });
  governor.turnEnded();
  governor.beforeTurn();
  return callTool(governor, "bash", { args: other, result: "same" }).kind === "refuse";
}

test.each<[string, unknown, unknown]>([
  ["space", { command: "npm  test" }, { command: "npm test " }],
  ["a comment", { command: "npm test # once more" }, { command: "npm test" }],
  [
    "what the call is for",
    { command: "npm test", description: "Run" },
    { command: "npm test", description: "Again" },
  ],
  ["a counter of attempts", { url: "a", attempt: 1 }, { url: "a", attempt: 2 }],
  ["a counter in a command", { command: "echo 'try 3'; make" }, { command: "echo 'try 4'; make" }],
  ["a longer timeout", { command: "make", timeout: 60 }, { command: "make", timeout: 600 }],
  ["a longer timeout in a command", { command: "timeout 60 make" }, { command: "timeout -k 5 120s make" }],
  ["an option for it", { command: "curl --max-time 5 a" }, { command: "curl --max-time 50 a" }],
  ["a longer pause", { command: "sleep 5; cat log" }, { command: "sleep 30; cat log" }],
  ["a moment", { since: "2026-11-16T10:00:00Z" }, { since: "2026-11-16T10:05:09.123Z" }],
  ["a moment as a number", { at: "1789000000" }, { at: "1789000060" }],
  ["an id", { id: "0b0e0f46-6d3f-4a3c-9ef1-8f1a2d4c5b6a" }, { id: "9c1e0f46-6d3f-4a3c-9ef1-8f1a2d4c5b6b" }],
  ["a pause in a program", 'exec({ cmd: "sleep 5; ls" })', 'exec({ cmd: "sleep 50; ls" })'],
  ["arguments of a shell", { command: ["bash", "-lc", "ls  -l"] }, { command: ["bash", "-lc", "ls -l"] }],
])("calls are the same whatever %s says", (_what, one, other) => {
  expect(isSame(one, other)).toBe(true);
  expect(isSame(one, other, { sameCall: (call: unknown) => call })).toBe(false);
});

test.each<[string, unknown, unknown]>([
  ["a page", { path: "a", offset: 0 }, { path: "a", offset: 200 }],
  ["a number in a name", { path: "part1.txt" }, { path: "part2.txt" }],
  ["a word", { command: "grep one" }, { command: "grep other" }],
  ["the space in a text", { text: "if x:\n  y" }, { text: "if x:\n    y" }],
  ["a heading", { text: "# One\nsame" }, { text: "# Other\nsame" }],
  ["what is the only argument", { description: "one" }, { description: "other" }],
  ["the time, where it is all there is", { timeout: 1 }, { timeout: 2 }],
  ["a reason that nothing is typed beside", { to: "a", reason: "one" }, { to: "a", reason: "other" }],
])("calls differ by %s", (_what, one, other) => {
  expect(isSame(one, other)).toBe(false);
});

test("sameCall gives what is compared: the call as the host made it", () => {
  const seen: unknown[] = [];
  const byPath = (call: { args?: unknown }) => {
    seen.push(call);
    return Object(call.args).path;
  };
  expect(isSame({ path: "a", offset: 0 }, { path: "a", offset: 200 }, { sameCall: byPath })).toBe(true);
  expect(isSame({ path: "a" }, { path: "b" }, { sameCall: byPath })).toBe(false);
  expect(seen[0]).toMatchObject({ tool: "bash", args: { path: "a", offset: 0 } });
});

test("sameCall is given the arguments also where the host parses them only when they are read", () => {
  const seen: unknown[] = [];
  const governor = prompted({ repeats: 1, sameCall: ({ args }) => void seen.push(args) });
  class Call {
    tool = "bash";
    get args() {
      return { command: "ls" };
    }
  }
  governor.beforeTurn();
  governor.beforeStep(new Call());
  expect(seen).toContainEqual({ command: "ls" });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["says nothing", () => undefined],
  ["returns a promise", async () => "the same"],
  ["returns what contains itself", (call: object) => Object.assign(call, { call })],
])("where sameCall %s, calls are compared as without it", (_what, sameCall) => {
  expect(isSame({ command: "a  b" }, { command: "a b" }, { sameCall })).toBe(true);
  expect(isSame({ command: "a" }, { command: "b" }, { sameCall })).toBe(false);
});

test("what is no function is refused by its name", () => {
  expect(whyRefused(() => createGovernor({ sameCall: 3 as never }))).toMatchObject({ setting: "sameCall" });
});

test.each<[string, string, string, boolean]>([
  ["how long it took", "4 passed (1.21s)", "4 passed (987ms)", true],
  ["its colours", "\u001b[31mfailed\u001b[0m", "failed", true],
  ["an address in memory", "<Job at 0x7f3a2c001>", "<Job at 0x7f9b1d204>", true],
  ["its moment", "10:00:01 waiting", "10:00:31 waiting", true],
  ["how far it is", "41 % done", "42 % done", false],
  ["how long it will take", "40s left", "20s left", false],
  ["a number", "3 failed", "2 failed", false],
])("a result that differs in %s: %s, %s", (_what, one, other, same) => {
  const governor = prompted({ repeats: 2 });
  for (const result of [one, other]) {
    governor.beforeTurn();
    callTool(governor, "bash", { args: { command: "make" }, result });
    governor.turnEnded();
  }
  governor.beforeTurn();
  expect(callTool(governor, "bash", { args: { command: "make" } }).kind).toBe(same ? "refuse" : "proceed");
});
