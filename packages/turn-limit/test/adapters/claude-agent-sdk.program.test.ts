import { setImmediate } from "node:timers/promises";
import type { HookJSONOutput, Options } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { limitQuery } from "../../src/adapters/claude-agent-sdk/index.ts";
import { historyIn } from "../../src/pools/history/history-in.ts";
import { createPool } from "../../src/pools/pool.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import {
  answerBegins,
  fakeQuery,
  requesting,
  runResult,
  toolResult,
} from "../hosts/claude-agent-sdk/fake-program.ts";

function isDenied(answers: HookJSONOutput[]): boolean {
  return answers.some(
    (answer) =>
      "hookSpecificOutput" in answer &&
      answer.hookSpecificOutput?.hookEventName === "PreToolUse" &&
      answer.hookSpecificOutput.permissionDecision === "deny",
  );
}

const mustEnd = (answers: HookJSONOutput[]) =>
  answers.some((answer) => "continue" in answer && answer.continue === false);

test.each([false, true])(
  "a call of which only the result is known has run, with an error: %s",
  async (is_error) => {
    let executed = 0;
    const program = fakeQuery(async function* ({ tell }) {
      await tell("UserPromptSubmit", { prompt: "go", source: "user" });
      for (let turn = 1; turn < 9; turn += 1) {
        yield requesting;
        yield answerBegins;
        const call = { tool_use_id: `call-${turn}`, tool_name: "work", tool_input: {} };
        if (!isDenied(await tell("PreToolUse", call))) {
          executed += 1;
          yield toolResult(call.tool_use_id, { is_error });
        }
        if (mustEnd(await tell("PostToolBatch", { tool_calls: [{ ...call, tool_response: "x" }] }))) break;
      }
      yield runResult;
    });
    const run = limitQuery(program, { steps: { max: 2, onExhausted: "stop" } })({ prompt: "go" });
    for await (const _ of run);
    expect(executed).toBe(2);
    expect(run.outcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 2 });
  },
);

const denying = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } } as const;

test.each<[string, Options]>([
  ["a hook of the caller's", { hooks: { PreToolUse: [{ hooks: [async () => denying] }] } }],
  ["a person", { canUseTool: async () => ({ behavior: "deny", message: "No." }) }],
])("a program that marks no denial: a call that %s denies takes no step", async (_, options) => {
  let executed = 0;
  const program = fakeQuery(async function* ({ tell, options: { canUseTool } }) {
    await tell("UserPromptSubmit", { prompt: "go", source: "user" });
    yield requesting;
    yield answerBegins;
    const call = { tool_use_id: "call", tool_name: "work", tool_input: {} };
    const hasNo =
      isDenied(await tell("PreToolUse", call)) ||
      (await canUseTool?.("work", {}, { toolUseID: "call" } as never))?.behavior === "deny";
    if (!hasNo) executed += 1;
    yield toolResult("call", { is_error: true });
    await tell("PostToolBatch", { tool_calls: [{ ...call, tool_response: "No." }] });
    yield requesting;
    yield answerBegins;
    yield runResult;
  });
  const run = limitQuery(program, { steps: 1 })({ prompt: "go", options });
  for await (const _ of run);
  expect(executed).toBe(0);
  expect(run.outcome).toMatchObject({ kind: "completed", steps: 0 });
});

test.each<[string, Options, number]>([
  ["denied takes no turn", { hooks: { PreToolUse: [{ hooks: [async () => denying] }] } }, 2],
  ["not denied takes one", {}, 3],
])("a sub-agent that is %s", async (_, options, turns) => {
  const program = fakeQuery(async function* ({ tell }) {
    await tell("UserPromptSubmit", { prompt: "go", source: "user" });
    yield requesting;
    yield answerBegins;
    const call = { tool_use_id: "call", tool_name: "Agent", tool_input: {} };
    if (!isDenied(await tell("PreToolUse", call))) {
      await tell("SubagentStart", { agent_id: "agent" });
      await tell("SubagentStop", { agent_id: "agent" });
    }
    await tell("PostToolBatch", { tool_calls: [{ ...call, tool_response: "x" }] });
    yield requesting;
    yield answerBegins;
    yield runResult;
  });
  const run = limitQuery(program, { turns: 9 })({ prompt: "go", options });
  for await (const _ of run);
  expect(run.outcome).toMatchObject({ kind: "completed", turns, intervened: false });
});

test("a sub-agent that no call has started does not end the run, and its turns count once they are known", async () => {
  const program = fakeQuery(async function* ({ tell }) {
    await tell("UserPromptSubmit", { prompt: "go", source: "user" });
    yield requesting;
    yield answerBegins;
    await tell("SubagentStart", { agent_id: "agent" });
    await tell("PostToolBatch", { agent_id: "agent", tool_calls: [] });
    await tell("SubagentStop", { agent_id: "agent" });
    yield runResult;
  });
  const run = limitQuery(program, { turns: 9 })({ prompt: "go" });
  for await (const _ of run);
  expect(run.outcome).toMatchObject({ kind: "completed", turns: 2, intervened: false });
});

test("a request that no hook told of before a prompt is a run of its own", async () => {
  const program = fakeQuery(async function* () {
    yield requesting;
    yield answerBegins;
    await setImmediate();
    yield runResult;
  });
  const run = limitQuery(program, { turns: 9 })({ prompt: "go" });
  const outcomes: unknown[] = [];
  for await (const message of run) if (message.type === "result") outcomes.push(message.outcome);
  expect(outcomes).toMatchObject([{ kind: "completed", turns: 1 }]);
});

test("a program that fails before anybody reads fails for the one who reads", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  // biome-ignore lint/correctness/useYield: it fails at once.
  const program = fakeQuery(async function* () {
    throw new Error("no such program");
  });
  const run = limitQuery(program, { turns: 3 })({ prompt: "go" });
  await setImmediate();
  await setImmediate();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
  await expect(run.next()).rejects.toThrow("no such program");
});

test("what a program tells after the caller has left opens no other run", async () => {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let tellLate = (_: HookJSONOutput[][]) => {};
  const toldLate = new Promise<HookJSONOutput[][]>((resolve) => {
    tellLate = resolve;
  });
  const program = fakeQuery(async function* ({ tell }) {
    await tell("UserPromptSubmit", { prompt: "go", source: "user" });
    yield requesting;
    yield answerBegins;
    await left;
    const call = { tool_use_id: "call", tool_name: "work", tool_input: {} };
    yield requesting;
    yield answerBegins;
    const calls = await tell("PreToolUse", call);
    tellLate([calls, await tell("PostToolBatch", { tool_calls: [call] }), await tell("Stop")]);
  });
  const limited = limitQuery(program, { turns: 5 });
  const run = limited({ prompt: "go", options: { includePartialMessages: true } });
  for await (const _ of run) break;
  leave();
  const [calls = [], ...others] = await toldLate;
  expect(isDenied(calls)).toBe(true);
  expect(others.every(mustEnd)).toBe(true);
  expect(run.outcome).toMatchObject({ kind: "aborted", turns: 1, steps: 0 });
  expect(run.outcome).toBe(limited.outcome);
});

test("a limit of requests is refused, wherever it is given, because the program does not tell of all of them", async () => {
  const program = fakeQuery(async function* () {
    yield runResult;
  });
  const pool = createPool({ id: "requests", requests: 5, store: memoryStore() });
  const history = historyIn(memoryStore(), { agent: "program" });
  for (const limits of [{ requests: 5 }, { pool }, { requests: "p90 up to 5", history }] as const)
    expect(() => limitQuery(program, limits)).toThrow(/cannot do "requests".*Limit turns/);
  const run = limitQuery(program, { turns: 5, requests: "unlimited" })({ prompt: "go" });
  expect(() => run.limits.configure({ requests: 5 })).toThrow(/cannot do "requests"/);
  run.limits.configure({ turns: 3 });
  expect(run.limits.view.settings).toMatchObject({ turns: { max: 3 } });
});

test("limits that are set later can be extended, and chosen from history, where the query has what that needs", () => {
  const program = fakeQuery(async function* () {
    yield runResult;
  });
  const history = historyIn(memoryStore(), { agent: "program" });
  const able = limitQuery(program, { turns: 5, progress: () => true, history })({ prompt: "go" });
  able.limits.configure({ turns: { max: 3, extend: 2 }, cost: "p90 up to $5" });
  expect(able.limits.view.settings).toMatchObject({ turns: { max: 3, extend: 2 }, cost: { max: 5 } });
  const unable = limitQuery(program, { turns: 5 })({ prompt: "go" });
  expect(() => unable.limits.configure({ turns: { max: 3, extend: 2 } })).toThrow("progress must be");
  expect(() => unable.limits.configure({ turns: "p90" })).toThrow("there is no history to choose it from");
  expect(unable.limits.view.settings).toMatchObject({ turns: { max: 5 } });
});
