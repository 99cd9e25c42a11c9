import { setTimeout } from "node:timers/promises";
import { Agent } from "@earendil-works/pi-agent-core";
import {
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  fauxAssistantMessage,
} from "@earendil-works/pi-ai";
import { expect, expectTypeOf, test } from "vitest";
import { type AgentLimits, limitAgent, type RunInfo } from "../../src/adapters/pi-agent-core/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { ModelReply, SeenRequest } from "../../src/testing/scripted-host.ts";
import { answerTo, failed, finalText, orphansIn, scriptedAgent, USAGE } from "../hosts/pi-agent-core.ts";

type Script = Parameters<typeof scriptedAgent>[0];

function make(
  model: (r: SeenRequest) => ModelReply,
  execute: Script["execute"] = () => {},
  usage: Script["usage"] = USAGE,
) {
  const requests: SeenRequest[] = [];
  const agent = scriptedAgent({
    model: (context, signal) => answerTo(context, requests, model, signal),
    execute,
    usage,
  });
  return { agent, requests };
}

const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

test("a follow-up is a new prompt when it is delivered", async () => {
  const { agent, requests } = make(({ index }) => (index % 3 === 0 ? { text: "x" } : { calls: 1 }));
  const outs: string[] = [];
  const limits = limitAgent(agent, { turns: 3, onOutcome: (o) => outs.push(`${o.kind}${o.turns}`) });
  agent.followUp(user("more"));
  await agent.prompt("go");
  expect(requests.length).toBe(6);
  expect(outs).toEqual(["completed3", "completed3"]);
  expect(limits.outcome?.turns).toBe(3);
});

test("steering at the boundary refreshes nothing", async () => {
  const { agent, requests } = make(({ index }) => (index >= 2 ? { text: "x" } : { calls: 1 }));
  const limits = limitAgent(agent, { turns: 2 });
  agent.subscribe((e) => {
    if (e.type === "turn_end" && requests.length === 2 && !limits.view.stop) agent.steer(user("s"));
  });
  await agent.prompt("go");
  expect(requests.length).toBe(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 2 });
  expect(agent.state.errorMessage).toContain("limit");
});

test("the agent's own hooks are kept, run after run", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, { turns: 2, steps: 5 });
  let before = 0;
  agent.beforeToolCall = async () => {
    before++;
    return undefined;
  };
  agent.afterToolCall = async () => ({ terminate: requests.length === 2 });
  await agent.prompt("go");
  await agent.prompt("go");
  expect(before).toBe(4);
  expect(requests.length).toBe(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 2, steps: 2, rounds: 1 });
});

test("a tool that ends the run on the last turn is no hit", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, { turns: 2 });
  agent.afterToolCall = async () => ({ terminate: requests.length === 2 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "completed", intervened: false });
});

test("a run that failed is open until it is said that nobody continues it", async () => {
  const { agent, requests } = make(({ index }) => (index >= 2 ? { fails: true } : { calls: 1 }));
  const outs: string[] = [];
  const limits = limitAgent(agent, { turns: 2, onOutcome: (o) => outs.push(o.kind) });
  await agent.prompt("go");
  expect(failed(agent)).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 2 });
  expect(outs).toEqual([]);
  limits.end();
  expect(outs).toEqual(["failed"]);
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 2 });
  agent.state.messages.pop();
  await agent.continue();
  expect(requests.length).toBe(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 0 });
});

test("a prompt that a busy agent rejects disturbs nothing", async () => {
  let busy: unknown;
  const { agent, requests } = make(
    ({ index }) => (index < 4 ? { calls: 1 } : { text: "x" }),
    async () => {
      await agent.prompt("no").catch((e) => {
        busy = e;
      });
    },
  );
  const limits = limitAgent(agent, { turns: 3 });
  await agent.prompt("go");
  expect(String(busy)).toContain("already processing");
  expect(requests.length).toBe(3);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 3, steps: 3 });
  expect(agent.finishTurn).toBeUndefined();
});

test("a sub-agent takes its turns from the budget of its caller", async () => {
  const requests: SeenRequest[] = [];
  const executed: string[] = [];
  const parent = scriptedAgent({
    model: (c) => answerTo(c, requests, () => ({ calls: 1 })),
    execute: async () => {
      executed.push("parent");
      let mine = 0;
      const sub = scriptedAgent({
        model: (c) => answerTo(c, requests, () => (++mine === 1 ? { calls: 1 } : { text: "sub" })),
        execute: () => void executed.push("sub"),
      });
      await limits.subAgent(sub).prompt("work");
    },
  });
  const limits = limitAgent(parent, { turns: 3 });
  await parent.prompt("go");
  expect(requests.length).toBe(3);
  expect(orphansIn(parent.state.messages)).toBe(0);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 3 });
  expect(executed).toEqual(["parent", "sub"]);
});

test("a wrap-up is told in one request, also after one that failed, and stays out of the transcript", async () => {
  const { agent, requests } = make(({ index }) =>
    index === 5 ? { fails: true } : index > 5 ? { text: "ok" } : { calls: 1 },
  );
  const limits = limitAgent(agent, { turns: { max: 6, grace: 2, wrapUp: { message: "WRAP" } } });
  await agent.prompt("go");
  agent.state.messages.pop();
  await agent.continue();
  expect(requests.map((r) => r.texts.filter((t) => t.includes("WRAP")).length)).toEqual([0, 0, 0, 0, 1, 1]);
  expect(JSON.stringify(agent.state.messages)).not.toContain("WRAP");
  expect(limits.outcome).toMatchObject({ kind: "wrapped-up", turns: 5 });
});

test("a run aborted while the question is open was aborted", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  const limits = limitAgent(agent, {
    turns: 1,
    ask: async () => {
      agent.abort();
      return true;
    },
  });
  await agent.prompt("go");
  expect(requests.length).toBe(1);
  expect(limits.outcome?.kind).toBe("aborted");
});

test("a run whose own hook throws has failed", async () => {
  const { agent } = make(() => ({ calls: 1 }));
  agent.finishTurn = () => {
    throw new Error("mine");
  };
  const limits = limitAgent(agent, { turns: 5 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "failed" });
});

test("what the host says an answer costs counts, and a free answer of a model with a price too", async () => {
  const usage = { ...USAGE, cost: { ...USAGE.cost, total: 0.25 } };
  const { agent, requests } = make(() => ({ calls: 1 }), undefined, usage);
  const limits = limitAgent(agent, { cost: 0.5, price: () => 9 });
  await agent.prompt("go");
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "cost", usage: { cost: 0.5 } });

  const free = make(() => ({ calls: 1 }));
  const { model } = free.agent.state;
  free.agent.state.model = { ...model, cost: { ...model.cost, output: 1 } };
  const priced = limitAgent(free.agent, { turns: 2, cost: { max: 1, unpriced: "stop" } });
  await free.agent.prompt("go");
  expect(priced.outcome).toMatchObject({ limit: "turns", usage: { cost: 0 } });
});

test("what a tool call spends by itself counts", async () => {
  const { agent, requests } = make(() => ({ calls: 1 }));
  agent.afterToolCall = async () => ({ usage: { ...USAGE, input: 1_000 } });
  const limits = limitAgent(agent, { tokens: 2_000 });
  await agent.prompt("go");
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ limit: "tokens", usage: { input: 2_200, output: 80 } });
});

test("a call that fails in the same way again and again is a repeat", async () => {
  const executed: string[] = [];
  const { agent } = make(
    () => ({ calls: 1, same: "again" }),
    (id) => {
      executed.push(id);
      throw new Error("no such file");
    },
  );
  const limits = limitAgent(agent, { repeats: 2 });
  await agent.prompt("go");
  expect(executed).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats" });
});

test("a call that is cut off is told so, and the agent keeps the tools that it was given", async () => {
  const clock = new ManualClock();
  let told: AbortSignal | undefined;
  const { agent } = make(
    () => ({ calls: 1 }),
    (_id, signal) => {
      told = signal;
      return clock.hang(1_000);
    },
  );
  const { tools } = agent.state;
  const limits = limitAgent(agent, { time: 1_000, clock });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  expect(told?.aborted).toBe(true);
  expect(agent.state.tools).toBe(tools);
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
});

test("a sub-agent is cut off with the call it works for, and the answer without tools is the agent's", async () => {
  const clock = new ManualClock();
  const subRequests: SeenRequest[] = [];
  const sub = scriptedAgent({
    async model(context, signal) {
      void clock.hang(1_000);
      const answer = await answerTo(context, subRequests, () => ({ stalls: true }), signal);
      await setTimeout(5); // it takes its time to notice
      return answer;
    },
    execute() {},
  });
  const requests: SeenRequest[] = [];
  const agent = scriptedAgent({
    async model(context) {
      if (requests.length > 0) await sub.waitForIdle();
      return answerTo(context, requests, ({ tools }) =>
        tools.length === 0 ? { text: "partial" } : { calls: 1 },
      );
    },
    execute() {
      return limits.subAgent(sub).prompt("work");
    },
  });
  const limits = limitAgent(agent, { time: { max: 1_000, onExhausted: "synthesize" }, clock });
  await agent.prompt("go");
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(subRequests).toHaveLength(1);
  expect(finalText(agent.state.messages)).toBe("partial");
  expect(limits.outcome).toMatchObject({ kind: "salvaged", limit: "time", turns: 3 });
});

test("a request that a tool makes with the agent's own function is nobody's turn", async () => {
  const sub = make(() => ({ text: "sub" }));
  const { agent, requests } = make(
    ({ index }) => (index > 1 ? { text: "done" } : { calls: 1 }),
    () => {
      sub.agent.streamFunction = agent.streamFunction;
      return sub.agent.prompt("work");
    },
  );
  const limits = limitAgent(agent, { turns: 2 });
  await agent.prompt("go");
  expect(requests).toHaveLength(3);
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 2 });
});

test("sub-agents that wait for one reply begin one by one, each within what the person allowed", async () => {
  const requests: SeenRequest[] = [];
  const { agent } = make(
    ({ tools }) => (tools.length > 0 ? { calls: 3 } : { text: "done" }),
    () => {
      const sub = scriptedAgent({
        model: (context) => answerTo(context, requests, () => ({ text: "sub" })),
        execute() {},
      });
      return limits.subAgent(sub).prompt("work");
    },
  );
  let asked = 0;
  const ask = async () => {
    asked += 1;
    await setTimeout(5);
    return asked < 3;
  };
  const limits = limitAgent(agent, { turns: 1, ask });
  await agent.prompt("go");
  expect(asked).toBe(3);
  expect(requests).toHaveLength(2);
  expect(orphansIn(agent.state.messages)).toBe(0);
  expect(limits.outcome).toMatchObject({ kind: "declined", turns: 3, rounds: 3 });
});

test("a limit that raises in a sub-agent's turn rejects the agent's call, too", async () => {
  const { agent } = make(
    () => ({ calls: 1 }),
    () => {
      const sub = scriptedAgent({ model: () => fauxAssistantMessage("sub"), execute() {} });
      return limits.subAgent(sub).prompt("work");
    },
  );
  const limits = limitAgent(agent, { turns: { max: 1, onExhausted: "raise" } });
  await expect(agent.prompt("go")).rejects.toMatchObject({ name: "LimitExceeded", limit: "turns", max: 1 });
  expect(orphansIn(agent.state.messages)).toBe(0);
});

test("a hook that wraps a tool does not make its calls two", async () => {
  const { agent } = make(() => ({ calls: 1 }));
  agent.prepareNextTurnWithContext = ({ context }) => ({
    context: { ...context, tools: (context.tools ?? []).map((tool) => ({ ...tool, label: "Wrapped" })) },
  });
  const limits = limitAgent(agent, { turns: 3, steps: 3 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns", steps: 3 });
});

test("the time in which a person approves a call does not count", async () => {
  const clock = new ManualClock();
  const { agent, requests } = make(({ index }) => (index === 3 ? { text: "done" } : { calls: 1 }));
  agent.beforeToolCall = async () => {
    limits.waiting = true;
    clock.pass(60_000);
    limits.waiting = false;
    return undefined;
  };
  const limits = limitAgent(agent, { time: 1_000, clock });
  await agent.prompt("go");
  expect(requests).toHaveLength(3);
  expect(limits.outcome).toMatchObject({ kind: "completed", time: 0 });
});

test("a request that was cut off is not an abort of the agent's", async () => {
  const clock = new ManualClock();
  const { agent } = make(() => {
    void clock.hang(1_000);
    return { stalls: true };
  });
  let aborted: boolean | undefined;
  agent.subscribe((event, signal) => {
    if (event.type === "agent_end") aborted = signal.aborted;
  });
  const limits = limitAgent(agent, { time: 1_000, clock });
  await agent.prompt("go");
  expect(aborted).toBe(false);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
});

const DEAF: Record<string, (stream: AssistantMessageEventStream) => Promise<AssistantMessageEventStream>> = {
  "that never begins": () => new Promise(() => {}),
  "that says nothing": async (stream) => stream,
  "that hangs in the middle of a text": async (stream) => {
    const partial = { ...fauxAssistantMessage("half an ans"), usage: USAGE };
    stream.push({ type: "start", partial });
    stream.push({ type: "text_delta", contentIndex: 0, delta: "half an ans", partial });
    return stream;
  },
  "that ends without a result": async (stream) => {
    stream.end();
    return stream;
  },
};

test.each(Object.keys(DEAF))(
  "a stream %s and ignores its signal is cut off when the time is up",
  async (which) => {
    const clock = new ManualClock();
    const { agent } = make(() => ({ calls: 1 }));
    let requests = 0;
    let aborted: boolean | undefined;
    agent.streamFunction = (_model, _context, options) => {
      requests += 1;
      void clock.hang(1_000);
      options?.signal?.addEventListener("abort", () => {
        aborted = true;
      });
      return (DEAF[which] as (typeof DEAF)[string])(createAssistantMessageEventStream());
    };
    const limits = limitAgent(agent, { time: 1_000, clock });
    await agent.prompt("go");
    const hasBegun = which.includes("middle");
    expect([requests, aborted, agent.state.isStreaming]).toEqual([1, true, false]);
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
    expect(finalText(agent.state.messages)).toBe(hasBegun ? "half an ans" : undefined);
    expect(agent.state.errorMessage).toContain("the time limit");
    expect(limits.outcome).toMatchObject({
      kind: "stopped",
      limit: "time",
      turns: 1,
    });
    expect(limits.outcome?.usage?.input).toBe(hasBegun ? 100 : undefined);
  },
);

test("a sub-agent that is put on the budget twice counts once", async () => {
  const sub = make(({ index }) => (index === 2 ? { text: "sub" } : { calls: 1 }));
  const { agent } = make(
    ({ index }) => (index === 2 ? { text: "done" } : { calls: 1 }),
    () => limits.subAgent(limits.subAgent(sub.agent)).prompt("work"),
  );
  const limits = limitAgent(agent, { turns: 9, steps: 9 });
  await agent.prompt("go");
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 4, steps: 2 });
});

test("the outcome is that of the agent with the limits, once its run is over", async () => {
  const seen: unknown[] = [];
  const sub = make(() => ({ text: "sub" }));
  const { agent } = make(
    ({ index }) => (index === 2 ? { text: "done" } : { calls: 1 }),
    async () => {
      await limits.subAgent(sub.agent).prompt("work");
      seen.push(limits.outcomeOf(agent), limits.outcomeOf(sub.agent));
    },
  );
  const limits = limitAgent(agent, { turns: 9 });
  await agent.prompt("go");
  expect(seen).toEqual([undefined, undefined]);
  expect(limits.outcomeOf(agent)).toMatchObject({ kind: "completed", turns: 3 });
  expect(limits.outcomeOf(agent)).toBe(limits.outcome);
  expect([limits.outcomeOf(sub.agent), limits.outcomeOf({})]).toEqual([undefined, undefined]);
});

test("the price is asked for the model of each answer", async () => {
  const priced: unknown[] = [];
  const { agent } = make(({ index }) => (index === 2 ? { text: "done" } : { calls: 1 }));
  const { id, provider } = agent.state.model;
  const price = (_usage: unknown, model: unknown) => {
    priced.push(model);
    return 1;
  };
  const limits = limitAgent(agent, { cost: 5, price });
  await agent.prompt("go");
  expect(priced).toEqual([
    { id, provider },
    { id, provider },
  ]);
  expect(limits.outcome).toMatchObject({ usage: { cost: 2 } });
});

test("whoever is told of an end knows which run it was", async () => {
  const { agent } = make(() => ({ text: "done" }));
  const runs: RunInfo[] = [];
  limitAgent(agent, { turns: 5, onOutcome: (_outcome, run) => void runs.push(run) });
  await agent.prompt("go");
  await agent.prompt("go");
  expect(new Set(runs.map(({ id }) => id)).size).toBe(2);
  expect(runs.map(({ context }) => context)).toEqual([undefined, undefined]);
});

test("what is not an agent is refused with an error that says what was given", () => {
  expect(() => limitAgent(undefined as never)).toThrow(
    "the agent to limit must be an Agent of @earendil-works/pi-agent-core, not undefined",
  );
  const limits = limitAgent(make(() => ({ text: "done" })).agent);
  expect(() => limits.subAgent("helper" as never)).toThrow("the sub-agent must be an Agent");
});

test("a tool is given the agent's own signal, unless it may be cut off", async () => {
  const own: boolean[] = [];
  for (const time of ["unlimited", 60_000] as const) {
    const { agent } = make(
      ({ index }) => (index === 2 ? { text: "done" } : { calls: 1 }),
      (_id, signal) => void own.push(signal === agent.signal),
    );
    limitAgent(agent, { time });
    await agent.prompt("go");
  }
  expect(own).toEqual([true, false]);
});

test("the types of the agent and of what is asked are kept", () => {
  class Helper extends Agent {
    readonly helps = true;
  }
  const sub = (limits: AgentLimits, helper: Helper) => limits.subAgent(helper);
  expectTypeOf(sub).returns.toEqualTypeOf<Helper>();
  expectTypeOf<AgentLimits["outcomeOf"]>().returns.toEqualTypeOf<Outcome | undefined>();
  void ((agent: Agent) =>
    limitAgent(agent, {
      ask: (question, signal, run) => {
        expectTypeOf(run).toEqualTypeOf<RunInfo>();
        return question.used < 9 && !signal.aborted;
      },
    }));
  // @ts-expect-error
  void ((agent: Agent) => limitAgent(agent, { turn: 5 }));
});
