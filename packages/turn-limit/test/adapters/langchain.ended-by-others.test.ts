import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import {
  createAgent,
  createMiddleware,
  HumanMessage,
  humanInTheLoopMiddleware,
  ToolMessage,
  tool,
} from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AdapterOptions, turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import { isLimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { createPool, type Pool } from "../../src/pools/pool.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import type { ModelReply } from "../../src/testing/scripted-host.ts";
import { plain, ScriptedModel, workTool } from "../hosts/langchain.ts";

const go = () => ({ messages: [new HumanMessage("go")] });

/** An agent with other middleware, and how its runs ended. */
function setUp(
  options: AdapterOptions,
  middleware: object[],
  reply: ModelReply = { calls: 1 },
  checkpointer?: MemorySaver,
) {
  const ended: Outcome[] = [];
  const executed: string[] = [];
  const limits = turnLimitMiddleware({ ...options, onOutcome: (outcome) => void ended.push(outcome) });
  const model = new ScriptedModel(() => reply);
  const agent = createAgent({
    model,
    tools: [workTool((id) => void executed.push(id))],
    middleware: [limits, ...middleware.map(plain)],
    ...(checkpointer && { checkpointer }),
  }).withConfig(limits.config);
  return { agent, limits, ended, executed, requests: model.requests };
}

/** What is used of a pool, and held of it. */
async function standing(pool: Pool, store: Store) {
  const { limits } = await pool.read();
  const record = await store.read(pool.id);
  return { used: limits.map(({ used }) => used), held: { ...record?.held }, agents: record?.agents ?? 0 };
}

type Agent = ReturnType<typeof setUp>["agent"];

async function streamed(agent: Agent): Promise<void> {
  for await (const _ of await agent.stream(go(), { streamMode: "updates" }));
}

async function asNode(agent: Agent): Promise<void> {
  const outer = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent.graph as never)
    .addEdge(START, "agent" as never)
    .addEdge("agent" as never, END)
    .compile();
  await outer.invoke(go(), { recursionLimit: 100 });
}

const jump = { canJumpTo: ["end" as const] };
type State = { messages: unknown[] };
const afterOneTurn = ({ messages }: State) => (messages.length > 2 ? { jumpTo: "end" as const } : undefined);

const jumping = [
  ["beforeModel", createMiddleware({ name: "Jumping", beforeModel: { ...jump, hook: afterOneTurn } })],
  [
    "afterModel",
    createMiddleware({
      name: "Jumping",
      afterModel: { ...jump, hook: ({ messages }) => afterOneTurn({ messages: [1, ...messages] }) },
    }),
  ],
  [
    "afterAgent",
    createMiddleware({
      name: "Jumping",
      beforeModel: { ...jump, hook: afterOneTurn },
      afterAgent: { ...jump, hook: () => ({ jumpTo: "end" as const }) },
    }),
  ],
] as const;

describe.each([
  ["invoke()", (agent: Agent) => agent.invoke(go())],
  ["a stream", streamed],
  ["a node of an outer graph", asNode],
])("a run of %s", (_, run) => {
  test.each(jumping)(
    "that %s of other middleware ends has its outcome, and holds nothing of a pool",
    async (__, other) => {
      const store = memoryStore();
      const pool = createPool({ id: crypto.randomUUID(), tokens: 480, store });
      const { agent, ended, requests } = setUp({ pool, turns: 9 }, [other]);
      await run(agent);
      expect(requests).toHaveLength(1);
      expect(ended).toMatchObject([{ kind: "completed", turns: 1 }]);
      expect(await standing(pool, store)).toEqual({ used: [120], held: {}, agents: 0 });
    },
  );

  test("that other middleware ends after a refused call rejects with the error of a limit that raises", async () => {
    const jumps = createMiddleware({ name: "Jumping", beforeModel: { ...jump, hook: afterOneTurn } });
    const { agent, ended, executed, requests } = setUp(
      { tools: { work: { max: 0, onExhausted: "raise" } } },
      [jumps],
    );
    await expect(run(agent)).rejects.toSatisfy(isLimitExceeded);
    expect(ended).toMatchObject([{ kind: "stopped", limit: "tools.work", turns: 1 }]);
    expect([requests.length, executed]).toEqual([1, []]);
  });

  test.each(["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const)(
    "in which %s of other middleware throws has failed",
    async (hook) => {
      const store = memoryStore();
      const pool = createPool({ id: crypto.randomUUID(), tokens: 480, store });
      const throwing = createMiddleware({
        name: "Throwing",
        [hook]: () => {
          throw new Error("broken");
        },
      });
      const { agent, ended } = setUp({ pool }, [throwing], { text: "done" });
      await expect(run(agent)).rejects.toThrow("broken");
      expect(ended).toMatchObject([{ kind: "failed" }]);
      expect(await standing(pool, store)).toMatchObject({ held: {}, agents: 0 });
    },
  );
});

test("an agent that hands over to another one of an outer graph has ended, and its call has been a step", async () => {
  const store = memoryStore();
  const pool = createPool({ id: crypto.randomUUID(), steps: 5, store });
  const ended: Outcome[] = [];
  const limits = turnLimitMiddleware({ pool, onOutcome: (outcome) => void ended.push(outcome) });
  const hands = tool(
    async (_, { toolCall }) => {
      const done = new ToolMessage({ content: "handed over", tool_call_id: toolCall?.id ?? "" });
      return new Command({ goto: "other", update: { messages: [done] }, graph: Command.PARENT });
    },
    { name: "work", description: "Hands over.", schema: z.object({ id: z.string() }) },
  );
  const agent = createAgent({
    model: new ScriptedModel(() => ({ calls: 1 })),
    tools: [hands],
    middleware: [limits],
  }).withConfig(limits.config);
  const outer = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent.graph as never, { ends: ["other"] })
    .addNode("other", () => ({}))
    .addEdge(START, "agent" as never)
    .compile();
  await outer.invoke(go(), { recursionLimit: 100 });
  expect(ended).toMatchObject([{ kind: "completed", turns: 1, steps: 1 }]);
  expect(await standing(pool, store)).toEqual({ used: [1], held: {}, agents: 0 });
});

test("a run that waits for a person has not ended", async () => {
  const waiting = humanInTheLoopMiddleware({ interruptOn: { work: true } } as never);
  const { agent, ended, limits } = setUp({ turns: 5 }, [waiting], undefined, new MemorySaver());
  const config = { configurable: { thread_id: "thread" } };
  const result = await agent.invoke(go(), config);
  expect(ended).toEqual([]);
  expect(limits.outcomeOf(result)).toBeUndefined();
});
