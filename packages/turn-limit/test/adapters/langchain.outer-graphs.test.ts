import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";
import { type BaseMessage, createAgent, HumanMessage } from "langchain";
import { describe, expect, test } from "vitest";
import { type AdapterOptions, turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import { answerOf, ScriptedModel, workTool } from "../hosts/langchain.ts";

const go = () => ({ messages: [new HumanMessage("go")] });

interface Final {
  messages: BaseMessage[];
  turnLimitOutcome?: Outcome;
}

/** Agents at work for an outer graph, under the same limits. */
function company(options: AdapterOptions) {
  const ended: Outcome[] = [];
  const limits = turnLimitMiddleware({ ...options, onOutcome: (outcome) => void ended.push(outcome) });
  const agents = ["a", "b"].map((name) => {
    const requests: ScriptedModel["requests"] = [];
    // Says something by itself only when nobody offers it tools.
    const model = new ScriptedModel(
      ({ tools }) => (tools.length > 0 ? { calls: 1 } : { text: name }),
      requests,
    );
    const agent = createAgent({ model, tools: [workTool(() => {})], middleware: [limits] });
    return { name, requests, agent: agent.withConfig(limits.config) };
  });
  return { limits, agents, ended, sent: () => agents.map(({ requests }) => requests.length) };
}

const Finals = Annotation.Root({
  finals: Annotation<Final[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

type Company = ReturnType<typeof company>;

/** The final states of both agents. */
const ways: [string, (company: Company) => Promise<Final[]>][] = [
  [
    "as nodes of a graph",
    async ({ agents: [a, b] }) => {
      const graph = new StateGraph(Finals)
        .addNode("a", async () => ({ finals: [await a?.agent.invoke(go())] as Final[] }))
        .addNode("b", async () => ({ finals: [await b?.agent.invoke(go())] as Final[] }))
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge("a", END)
        .addEdge("b", END)
        .compile();
      return (await graph.invoke({ finals: [] }, { recursionLimit: 1_000 })).finals;
    },
  ],
  [
    "sent to by a graph",
    async ({ agents }) => {
      const graph = new StateGraph(Finals)
        .addNode("worker", async ({ which }: { which: number } & typeof Finals.State) => ({
          finals: [await agents[which]?.agent.invoke(go())] as Final[],
        }))
        .addConditionalEdges(START, () => [0, 1].map((which) => new Send("worker", { which })), ["worker"])
        .addEdge("worker", END)
        .compile();
      return (await graph.invoke({ finals: [] }, { recursionLimit: 1_000 })).finals;
    },
  ],
  [
    "at once in one node",
    async ({ agents }) => {
      const graph = new StateGraph(Finals)
        .addNode("all", async () => ({
          finals: (await Promise.all(agents.map(({ agent }) => agent.invoke(go())))) as Final[],
        }))
        .addEdge(START, "all")
        .addEdge("all", END)
        .compile();
      return (await graph.invoke({ finals: [] }, { recursionLimit: 1_000 })).finals;
    },
  ],
  [
    "in tools of a supervisor without limits",
    async ({ agents }) => {
      const finals: Final[] = [];
      const model = new ScriptedModel(({ index }) => (index > 1 ? { text: "done" } : { calls: 2 }));
      let calls = 0;
      const work = workTool(async () => {
        calls += 1;
        finals.push((await agents[calls - 1]?.agent.invoke(go())) as Final);
      });
      await createAgent({ model, tools: [work] }).invoke(go(), { recursionLimit: 1_000 });
      return finals;
    },
  ],
];

describe.each(ways)("agents %s are runs of their own", (_, play) => {
  test("each with its budget, its answer and its outcome", async () => {
    const played = company({ turns: { max: 3, headless: "synthesize" } });

    const finals = await play(played);

    expect(played.sent()).toEqual([4, 4]);
    expect(finals.map(({ messages }) => answerOf(messages)).toSorted()).toEqual(["a", "b"]);
    const outcome = { kind: "salvaged", limit: "turns", turns: 4 };
    expect(played.ended).toMatchObject([outcome, outcome]);
    expect(finals.map((final) => played.limits.outcomeOf(final))).toMatchObject([outcome, outcome]);
  });
});

test("a signal that is used for long keeps no run that is over", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const { signal } = new AbortController();
  const runs: WeakRef<object>[] = [];
  const limits = turnLimitMiddleware({ turns: 2, onOutcome: (_, run) => void runs.push(new WeakRef(run)) });

  async function prompt(): Promise<void> {
    const agent = createAgent({
      model: new ScriptedModel(() => ({ calls: 1 })),
      tools: [workTool(() => {})],
      middleware: [limits],
    }).withConfig(limits.config);
    await agent.invoke(go(), { signal });
  }
  for (let n = 0; n < 10; n += 1) await prompt();

  for (let n = 0; n < 10; n += 1) {
    await setImmediate();
    collectGarbage();
  }
  expect(runs).toHaveLength(10);
  // What was last is held by whoever asks for it.
  expect(runs.filter((run) => run.deref()).length).toBeLessThan(3);
  expect(signal.aborted).toBe(false);
});
