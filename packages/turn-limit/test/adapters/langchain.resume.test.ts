import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, HumanMessage } from "langchain";
import { afterAll, expect, test } from "vitest";
import type { SavedRun } from "../../src/adapters/langchain/agent-state.ts";
import { turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import { callId } from "../../src/testing/scripted-host.ts";
import { inAnotherProcess } from "../helpers/in-another-process.ts";
import { ScriptedModel, workTool } from "../hosts/langchain.ts";
import { aPool } from "../pools/a-pool.ts";
import type { Work, Worked } from "./resume/langchain.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = new URL("resume/langchain.ts", import.meta.url);
const work = (what: Work) => inAnotherProcess<Worked>(script, what);

test("a run that goes on in other processes makes as many requests as its limit says", async () => {
  const what = { limits: { turns: 2 }, file: join(folder, "approvals") };
  const first = await work(what);
  const second = await work({ ...what, earlier: first });
  const third = await work({ ...what, earlier: second });
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 2, 2]);
  expect([first, second, third].map(({ isInterrupted }) => isInterrupted)).toEqual([true, true, false]);
  expect(third.executed).toHaveLength(2);
  expect(third.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, steps: 2 });
  expect(third.left).toBeUndefined();
});

test("of an answer's calls, those that ran before the run went on elsewhere count as well, and each counts once", async () => {
  const limits = { steps: { max: 3, onExhausted: "stop" } } as const;
  const what = { limits, file: join(folder, "calls"), inTool: true };
  const first = await work(what);
  expect(first.executed).toEqual([callId(1, 1)]);
  const second = await work({ ...what, earlier: first });
  expect(second.executed).toEqual([callId(1, 1), callId(1, 2), callId(2, 1)]);
  expect(second.outcome).toMatchObject({ kind: "stopped", limit: "steps", turns: 2, steps: 3 });
});

test("an agent that a tool runs goes on with what its caller's run has left", async () => {
  const what = { limits: { turns: 2 }, file: join(folder, "agents"), inSubAgent: true };
  const first = await work(what);
  const second = await work({ ...what, earlier: first });
  expect([first, second].map(({ requests }) => requests.length)).toEqual([2, 2]);
  expect(second.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, steps: 2 });
});

test.each(["a tool", "middleware"])(
  "a run that %s interrupts, and that goes on elsewhere, takes from a pool what it takes in one process",
  async (interrupts) => {
    const { pool, standing } = aPool({ turns: 9, steps: 9, tokens: 9_000 });
    const checkpointer = new MemorySaver();
    const model = new ScriptedModel(({ index }) => (index === 1 ? { calls: 2 } : { text: "Done." }));
    const isAskedBy = (who: string) => who === interrupts && interrupt("May I?");
    let executed = 0;
    const work = workTool(() => {
      isAskedBy("a tool");
      executed += 1;
    });
    const approval = createMiddleware({ name: "Approval", afterModel: () => void isAskedBy("middleware") });
    // Each has limits of its own, as a process has.
    const invoke = (input: Command | { messages: HumanMessage[] }) =>
      createAgent({
        model,
        tools: [work],
        middleware: [turnLimitMiddleware({ pool }), approval],
        checkpointer,
      }).invoke(input as { messages: HumanMessage[] }, { configurable: { thread_id: "1" } });
    let result: { __interrupt__?: { id?: string }[] } = await invoke({ messages: [new HumanMessage("go")] });
    expect((await standing()).settled).toEqual({ turns: 1, tokens: 120 });
    while (result.__interrupt__) {
      const replies = result.__interrupt__.map(({ id }) => [id, "yes"]);
      result = await invoke(new Command({ resume: Object.fromEntries(replies) }));
    }
    expect([model.requests.length, executed]).toEqual([2, 2]);
    expect(await standing()).toMatchObject({ settled: { turns: 2, steps: 2, tokens: 240 }, held: {} });
  },
);

/** Damages what it has of a run. */
class DamagingSaver extends MemorySaver {
  damage: ((saved: SavedRun) => unknown) | undefined;

  override async getTuple(config: Parameters<MemorySaver["getTuple"]>[0]) {
    const tuple = await super.getTuple(config);
    const values = tuple?.checkpoint.channel_values;
    if (values?._turnLimitRun) values._turnLimitRun = this.damage?.(values._turnLimitRun as SavedRun);
    return tuple;
  }
}

test("what a thread has of a run and is damaged, or of another kind, is an error and no fresh budget", async () => {
  const checkpointer = new DamagingSaver();
  const model = new ScriptedModel(() => ({ calls: 1 }));
  const approval = createMiddleware({ name: "Approval", afterModel: () => void interrupt("May I?") });
  // Each has limits of its own, as a process has.
  const invoke = (input: Command | { messages: HumanMessage[] }, thread: string) =>
    createAgent({
      model,
      tools: [workTool(() => {})],
      middleware: [turnLimitMiddleware({ turns: 2 }), approval],
      checkpointer,
    }).invoke(input as { messages: HumanMessage[] }, { configurable: { thread_id: thread } });
  for (const [damage, message] of [
    [(saved) => ({ ...saved, left: { ...saved.left, questions: 7 } }), "state.checksum"],
    [(saved) => ({ ...saved, left: { version: 9 } }), "state.version"],
    [({ key }) => ({ key }), "the run in the saved state of the thread"],
    [({ key }) => key, "the run in the saved state of the thread"],
  ] as [(saved: SavedRun) => unknown, string][]) {
    const thread = String(damage);
    await invoke({ messages: [new HumanMessage("go")] }, thread);
    checkpointer.damage = damage;
    // Trying again makes no difference.
    await expect(invoke(new Command({ resume: "yes" }), thread)).rejects.toThrow(message);
    await expect(invoke(new Command({ resume: "yes" }), thread)).rejects.toThrow(message);
  }
  expect(model.requests).toHaveLength(4);
});
