import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import {
  AIMessage,
  type BaseMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  humanInTheLoopMiddleware,
  MiddlewareError,
  ToolMessage,
  toolErrorMiddleware,
  toolRetryMiddleware,
  toolStrategy,
} from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AdapterOptions, turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import { historyIn } from "../../src/pools/history/history-in.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import type { ObservedCall } from "../../src/run/observer.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { callId, type ModelReply, type SeenRequest } from "../../src/testing/scripted-host.ts";
import { failingProvider } from "../helpers/failing-provider.ts";
import { answerOf, orphansOf, plain, quickRetry, ScriptedModel, workTool } from "../hosts/langchain.ts";

const thread = { configurable: { thread_id: "thread" } };
const go = () => ({ messages: [new HumanMessage("go")] });

const untilTurn =
  (last: number) =>
  ({ index }: SeenRequest): ModelReply =>
    index >= last ? { text: "done" } : { calls: 1 };

type Input = ReturnType<typeof go> | Command;

interface State {
  messages: BaseMessage[];
  turnLimitOutcome?: Outcome;
}

interface Setting {
  model?: (request: SeenRequest) => ModelReply;
  work?: (id: string, signal?: AbortSignal) => unknown;
  /** Middleware in front of the limits, and after them. */
  outer?: object[];
  inner?: object[];
  checkpointer?: MemorySaver;
  version?: "v1" | "v2";
}

function setUp(
  options: AdapterOptions,
  {
    model = untilTurn(3),
    work = () => {},
    outer = [],
    inner = [],
    checkpointer = new MemorySaver(),
    version = "v2",
  }: Setting,
) {
  const limits = turnLimitMiddleware(options);
  const scripted = new ScriptedModel(model);
  const agent = createAgent({
    model: scripted,
    tools: [workTool(work)],
    middleware: [...outer.map(plain), limits, ...inner.map(plain)],
    checkpointer,
    version,
  }).withConfig(limits.config);
  return {
    limits,
    requests: scripted.requests,
    invoke: async (input: Input, signal?: AbortSignal) =>
      (await agent.invoke(input, { ...thread, ...(signal && { signal }) })) as State,
  };
}

/** A model that asks a provider with LangChain's client, as the models of the providers' packages do. */
class ClientModel extends ScriptedModel {
  readonly #address: string;

  constructor(address: string) {
    super(() => ({ text: "done" }));
    this.#address = address;
  }

  override async _generate(...given: Parameters<ScriptedModel["_generate"]>) {
    const { signal } = given[1];
    await this.caller.callWithOptions({ ...(signal && { signal }) }, async () => {
      const response = await fetch(this.#address, { method: "POST", ...(signal && { signal }) });
      if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
    });
    return super._generate(...given);
  }
}

test.each([
  ["its client", []],
  ["middleware", [quickRetry()]],
])("a request that %s makes again counts, and is not sent if it is one too many", async (_, more) => {
  await using provider = await failingProvider();
  const limits = turnLimitMiddleware({ requests: 2 });
  const model = new ClientModel(provider.address);
  const agent = createAgent({ model, tools: [], middleware: [limits, ...more] as (typeof limits)[] });

  const result = await agent.invoke(go());

  expect(provider.requests).toBe(2);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "requests", turns: 1 });
});

test("a model whose requests cannot be seen is refused where they are limited", async () => {
  const model = new ScriptedModel(() => ({ text: "done" }));
  // That of another copy of @langchain/core.
  Object.assign(model, { caller: { call: () => {} } });
  const run = (options: AdapterOptions) =>
    createAgent({ model, tools: [], middleware: [turnLimitMiddleware(options)] }).invoke(go());

  await expect(run({ requests: 2 })).rejects.toThrow(/requests.*@langchain\/core/);
  expect(model.requests).toHaveLength(0);
  expect((await run({ turns: 2 })).messages.at(-1)?.text).toBe("done");
});

const approvals = () =>
  humanInTheLoopMiddleware({ interruptOn: { work: { allowedDecisions: ["approve"] } } } as never);
const approved = new Command({ resume: { decisions: [{ type: "approve" }] } });

test.each(["inner", "outer"])(
  "the time in which a call waits for approval does not count, %s",
  async (place) => {
    const clock = new ManualClock();
    const { invoke } = setUp(
      { time: 5_000, clock },
      {
        model: (request) => {
          clock.pass(1_000);
          return untilTurn(3)(request);
        },
        work: () => clock.pass(500),
        [place]: [approvals()],
      },
    );
    await invoke(go());
    clock.pass(3_600_000);
    await invoke(approved);
    clock.pass(3_600_000);
    const { messages, turnLimitOutcome } = await invoke(approved);
    expect(answerOf(messages)).toBe("done");
    expect(turnLimitOutcome).toMatchObject({ kind: "completed", turns: 3, steps: 2, time: 4_000 });
  },
);

test("a tool call that interrupts the run and is made again is the same call, and its wait does not count", async () => {
  const clock = new ManualClock();
  const { invoke } = setUp(
    { time: 5_000, steps: 1, clock },
    {
      model: untilTurn(2),
      work: () => {
        clock.pass(1_000);
        return interrupt("May I?");
      },
    },
  );
  await invoke(go());
  clock.pass(3_600_000);
  const { messages, turnLimitOutcome } = await invoke(new Command({ resume: "yes" }));
  expect(messages.filter(ToolMessage.isInstance).map(({ text }) => text)).toEqual(["yes"]);
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", steps: 1, time: 2_000, intervened: false });
});

test("what other middleware does takes time as well", async () => {
  const clock = new ManualClock();
  const slow = createMiddleware({ name: "Slow", beforeModel: () => clock.pass(3_000) });
  const { invoke, requests } = setUp({ time: 5_000, clock }, { model: () => ({ calls: 1 }), inner: [slow] });
  const { turnLimitOutcome } = await invoke(go());
  expect(requests).toHaveLength(1);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "time", time: 6_000 });
});

test("a tool that fails is what it is without limits: told to the model", async () => {
  const failing = () => {
    throw new Error("no such file");
  };
  const { invoke } = setUp({}, { work: failing });
  const unlimited = createAgent({ model: new ScriptedModel(untilTurn(3)), tools: [workTool(failing)] });
  const results = (messages: BaseMessage[]) =>
    messages.filter(ToolMessage.isInstance).map(({ text, status }) => ({ text, status }));
  const { messages } = await invoke(go());
  expect(results(messages)).toEqual(results((await unlimited.invoke(go())).messages));
  expect(answerOf(messages)).toBe("done");
});

test("a tool that fails in the same way again and again is a loop", async () => {
  const failing = () => {
    throw new Error("no such file");
  };
  const { invoke } = setUp({ repeats: 2 }, { model: () => ({ calls: 1, same: "a" }), work: failing });
  const { turnLimitOutcome } = await invoke(go());
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "repeats", steps: 2 });
});

test.each(["inner", "outer"])(
  "a tool call that %s middleware makes again is the same call",
  async (place) => {
    let tries = 0;
    const { invoke } = setUp(
      { steps: 1 },
      {
        model: untilTurn(2),
        work: () => {
          tries += 1;
          if (tries < 2) throw new Error("busy");
        },
        [place]: [toolRetryMiddleware({ initialDelayMs: 0, jitter: false })],
      },
    );
    const { messages, turnLimitOutcome } = await invoke(go());
    expect(tries).toBe(2);
    expect(messages.filter(ToolMessage.isInstance).map(({ text }) => text)).toEqual(["done"]);
    expect(answerOf(messages)).toBe("done");
    expect(turnLimitOutcome).toMatchObject({ kind: "completed", steps: 1 });
  },
);

/** The model gives all calls of an answer this id. */
const withCallIds = (id: string | undefined) =>
  createMiddleware({
    name: "WithCallIds",
    async wrapModelCall(request, handler) {
      const { id: messageId, content, tool_calls = [] } = (await handler(request)) as AIMessage;
      const given = tool_calls.map(({ name, args }) => ({ name, args, ...(id !== undefined && { id }) }));
      return new AIMessage({ ...(messageId && { id: messageId }), content, tool_calls: given });
    },
  });

describe.each(["v1", "v2"] as const)("calls that no id tells apart, %s", (version) => {
  test.each(["same", "", undefined])("are decided and counted one by one: %j", async (id) => {
    const executed: string[] = [];
    const { invoke } = setUp(
      { steps: { max: 2, onExhausted: "stop" } },
      {
        model: () => ({ calls: 3 }),
        work: (call) => void executed.push(call),
        inner: [withCallIds(id)],
        version,
      },
    );
    const { turnLimitOutcome } = await invoke(go());
    expect(executed).toEqual([callId(1, 1), callId(1, 2)]);
    expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 2 });
  });

  test("are the same calls if middleware makes them again", async () => {
    const tries = new Map<string, number>();
    const { invoke } = setUp(
      { steps: 2 },
      {
        model: ({ index }) => (index === 1 ? { calls: 2 } : { text: "done" }),
        work(call) {
          tries.set(call, (tries.get(call) ?? 0) + 1);
          if (tries.get(call) === 1) throw new Error("busy");
        },
        outer: [toolRetryMiddleware({ initialDelayMs: 0, jitter: false })],
        inner: [withCallIds("same")],
        version,
      },
    );
    const { turnLimitOutcome } = await invoke(go());
    expect([...tries.values()]).toEqual([2, 2]);
    expect(turnLimitOutcome).toMatchObject({ kind: "completed", steps: 2 });
  });
});

test("calls that no id tells apart are the same after an interrupt", async () => {
  const { invoke } = setUp(
    { steps: 2 },
    {
      model: ({ index }) => (index === 1 ? { calls: 2 } : { text: "done" }),
      work: () => interrupt("May I?"),
      inner: [withCallIds("")],
    },
  );
  const { __interrupt__: questions = [] } = (await invoke(go())) as { __interrupt__?: { id: string }[] };
  expect(questions).toHaveLength(2);
  const resume = Object.fromEntries(questions.map(({ id }) => [id, "yes"]));
  const { messages, turnLimitOutcome } = await invoke(new Command({ resume }));
  expect(messages.filter(ToolMessage.isInstance).map(({ text }) => text)).toEqual(["yes", "yes"]);
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", steps: 2 });
});

test("a call that was refused stays refused when middleware makes it again", async () => {
  const executed: string[] = [];
  const again = createMiddleware({
    name: "Again",
    async wrapToolCall(request, handler) {
      const result = await handler(request);
      return ToolMessage.isInstance(result) && result.status === "error" ? handler(request) : result;
    },
  });
  const { invoke } = setUp(
    { steps: { max: 2, onExhausted: "stop" } },
    { model: () => ({ calls: 3 }), work: (call) => void executed.push(call), outer: [again] },
  );
  const { turnLimitOutcome } = await invoke(go());
  expect(executed).toHaveLength(2);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 2 });
});

test("a request that outer middleware makes again is the same request", async () => {
  const { invoke, requests } = setUp(
    { turns: 3 },
    {
      model: ({ index }) => (index === 2 ? { fails: true } : { calls: 1 }),
      outer: [quickRetry()],
    },
  );
  const { turnLimitOutcome } = await invoke(go());
  expect(requests).toHaveLength(4);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 3 });
});

test("a request that outer middleware makes again counts as a request, and no turn", async () => {
  const { invoke, requests } = setUp(
    { requests: 4 },
    { model: ({ index }) => (index === 2 ? { fails: true } : { calls: 1 }), outer: [quickRetry()] },
  );
  const { turnLimitOutcome } = await invoke(go());
  expect(requests).toHaveLength(4);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "requests", turns: 3 });
});

test("what the model is told is told again if outer middleware makes the request again", async () => {
  const { invoke, requests } = setUp(
    { turns: { max: 9, grace: 8, wrapUp: { message: () => "Wrap up." } } },
    {
      model: ({ index }) => (index === 2 ? { fails: true } : { calls: index === 1 ? 1 : 0 }),
      outer: [quickRetry()],
    },
  );
  await invoke(go());
  expect(requests.map(({ texts }) => texts.filter((text) => text === "Wrap up.").length)).toEqual([0, 1, 1]);
});

test("a request that outer middleware makes after an answer is another one", async () => {
  const twice = createMiddleware({
    name: "Twice",
    async wrapModelCall(request, handler) {
      await handler(request);
      return handler(request);
    },
  });
  const { invoke, requests } = setUp({ turns: 3 }, { model: () => ({ calls: 1 }), outer: [twice] });
  const { turnLimitOutcome } = await invoke(go());
  expect(requests).toHaveLength(3);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 3 });
});

test("a request that is made again after an interrupt is the same request", async () => {
  const asking = createMiddleware({
    name: "Asking",
    wrapModelCall(request, handler) {
      interrupt("May I?");
      return handler(request);
    },
  });
  const { invoke, requests } = setUp({ turns: 1 }, { model: untilTurn(1), inner: [asking] });
  await invoke(go());
  const { messages, turnLimitOutcome } = await invoke(new Command({ resume: "yes" }));
  expect(requests).toHaveLength(1);
  expect(answerOf(messages)).toBe("done");
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", turns: 1 });
});

test("a sub-agent whose request stalls ends with the call that runs it, and the run with an answer", async () => {
  const clock = new ManualClock();
  const limits = turnLimitMiddleware({ time: { max: 5_000, onExhausted: "synthesize" }, clock });
  const stalling = new ScriptedModel(() => {
    void clock.hang(5_000);
    return { stalls: true };
  });
  const subAgent = createAgent({ model: stalling, tools: [workTool(() => {})], middleware: [limits] });
  let ended: Promise<{ messages: BaseMessage[] }> | undefined;
  const delegate = () => {
    ended = subAgent.invoke(go());
    return ended;
  };
  const model = new ScriptedModel(({ tools }) => (tools.length === 0 ? { text: "partial" } : { calls: 1 }));
  const tools = [workTool(delegate)];
  const agent = createAgent({ model, tools, middleware: [limits] }).withConfig(limits.config);
  const { messages, turnLimitOutcome } = await agent.invoke(go());
  expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(answerOf(messages)).toBe("partial");
  expect(turnLimitOutcome).toMatchObject({ kind: "salvaged", limit: "time" });
  expect((await ended)?.messages.map(({ text }) => text)).toEqual(["go"]);
});

test("a run whose request is cut off ends as at any other limit", async () => {
  const clock = new ManualClock();
  const { invoke } = setUp(
    { time: 5_000, clock },
    {
      model: () => {
        void clock.hang(5_000);
        return { stalls: true };
      },
      inner: [quickRetry()],
    },
  );
  const { messages, turnLimitOutcome } = await invoke(go());
  expect(orphansOf(messages)).toBe(0);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
});

test.each(["request", "tool call"])(
  "a time limit that raises makes a run whose %s hangs reject",
  async (what) => {
    const clock = new ManualClock();
    const limits = { time: { max: 5_000, onExhausted: "raise" }, clock } as const;
    const stalls = () => {
      void clock.hang(5_000);
      return { stalls: true } as const;
    };
    const { invoke, limits: governed } = setUp(
      limits,
      what === "request" ? { model: stalls, inner: [quickRetry()] } : { work: () => clock.hang(5_000) },
    );
    await expect(invoke(go())).rejects.toMatchObject({ name: "LimitExceeded", limit: "time", max: 5_000 });
    expect(governed.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
  },
);

test("a model that calls a tool in the tools-free turn is stopped without an error", async () => {
  const { invoke, requests } = setUp(
    { steps: { max: 1, onExhausted: "synthesize" } },
    { model: () => ({ calls: 2 }) },
  );
  const { messages, turnLimitOutcome } = await invoke(go());
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(orphansOf(messages)).toBe(0);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 1 });
});

test("calls beyond a limit that refuses are refused, and the run goes on", async () => {
  const { invoke } = setUp({ steps: { max: 1, onExhausted: "refuse" } }, { model: untilTurn(4) });
  const { messages, turnLimitOutcome } = await invoke(go());
  expect(answerOf(messages)).toBe("done");
  expect(messages.filter(ToolMessage.isInstance).map(({ status }) => status)).toEqual([
    "success",
    "error",
    "error",
  ]);
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", turns: 4, steps: 1 });
});

test("a question is withdrawn when the run is aborted", async () => {
  const abort = new AbortController();
  let asked: AbortSignal | undefined;
  const ask: AdapterOptions["ask"] = (_question, signal) => {
    asked = signal;
    abort.abort();
    return new Promise(() => {});
  };
  const { invoke, requests, limits } = setUp({ turns: 1, ask }, {});
  await expect(invoke(go(), abort.signal)).rejects.toThrow();
  expect(requests).toHaveLength(1);
  expect(asked?.aborted).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "aborted" });
});

const jumpsToEnd = (after: number) =>
  createMiddleware({
    name: "Jumping",
    beforeModel: {
      canJumpTo: ["end"],
      hook: ({ messages }) => (messages.length > after ? { jumpTo: "end" as const } : undefined),
    },
  });

test("an observer is told of calls by the ids that the model gave them", async () => {
  const ids: (string | undefined)[] = [];
  const observe = { callBegan: ({ id }: ObservedCall) => void ids.push(id) };
  await setUp({ turns: 5, observe }, { model: untilTurn(3) }).invoke(go());
  expect(ids).toEqual(["r1c1", "r2c1"]);
});

test("what the model is told is told in that request, and does not stay in the thread", async () => {
  const { invoke, requests } = setUp(
    { turns: { max: 3, grace: 1, onExhausted: "synthesize" } },
    { model: ({ tools }) => (tools.length === 0 ? { text: "partial" } : { calls: 1 }) },
  );
  const { messages } = await invoke(go());
  expect(requests.map(({ texts }) => texts.length)).toEqual([1, 3, 6, 8]);
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai", "tool", "ai", "tool", "ai"]);
});

test("a run that other middleware ends has its outcome, and so has the next", async () => {
  const ended: Outcome[] = [];
  const { invoke, limits } = setUp(
    { onOutcome: (outcome) => void ended.push(outcome) },
    { model: () => ({ calls: 1 }), inner: [jumpsToEnd(2)] },
  );
  const result = await invoke(go());
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 1, steps: 1 });
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 1 });
  await invoke(go());
  await invoke(go());
  expect(ended.map(({ kind, turns }) => [kind, turns])).toEqual([
    ["completed", 1],
    ["completed", 0],
    ["completed", 0],
  ]);
});

describe("a state in the middle of a run", () => {
  /** A run of three turns in which other middleware takes each state for the last one. */
  async function looked(withConfig: boolean) {
    const store = memoryStore();
    const ended: Outcome[] = [];
    const seen: (Outcome | undefined)[] = [];
    const looking = createMiddleware({
      name: "Looking",
      beforeModel: (state) => {
        seen.push(limits.outcomeOf(state));
      },
    });
    const limits = turnLimitMiddleware({
      ...{ turns: 3, history: historyIn(store, { agent: "looked at" }) },
      onOutcome: (outcome) => void ended.push(outcome),
    });
    const model = new ScriptedModel(() => ({ calls: 1 }));
    const made = createAgent({ model, tools: [workTool(() => {})], middleware: [limits, plain(looking)] });
    const agent = withConfig ? made.withConfig(limits.config) : made;
    const { turnLimitOutcome } = await agent.invoke(go());
    expect(model.requests).toHaveLength(3);
    expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 3, steps: 3 });
    const kept = (await store.pastRuns("looked at")).map(({ end, took }) => [end, took.turns]);
    return { seen, ended, kept };
  }

  test("is not its last one, with limits.config", async () => {
    const { seen, ended, kept } = await looked(true);
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
    expect(ended).toMatchObject([{ kind: "stopped", turns: 3 }]);
    expect(kept).toEqual([["limited", 3]]);
  });

  test("may be taken for that without it: the run goes on with its budget, and is kept once [RunsAreRemembered]", async () => {
    const { seen, kept } = await looked(false);
    expect(seen).toMatchObject([0, 1, 2, 3].map((turns) => ({ kind: "completed", turns })));
    expect(kept).toEqual([["limited", 3]]);
  });

  test("of a person's approval, read from the thread, keeps nothing: the run is kept once it is over", async () => {
    const store = memoryStore();
    const limits = turnLimitMiddleware({ turns: 9, history: historyIn(store, { agent: "approved" }) });
    const agent = createAgent({
      model: new ScriptedModel(untilTurn(3)),
      tools: [workTool(() => {})],
      middleware: [limits, approvals()] as (typeof limits)[],
      checkpointer: new MemorySaver(),
    }).withConfig(limits.config);
    await agent.invoke(go(), thread);
    const { values } = await agent.graph.getState(thread);
    limits.outcomeOf(values);
    await agent.invoke(approved, thread);
    limits.outcomeOf((await agent.graph.getState(thread)).values);
    await agent.invoke(approved, thread);
    const kept = (await store.pastRuns("approved")).map(({ end, took }) => [end, took.turns]);
    expect(kept).toEqual([["finished", 3]]);
  });
});

test("a state in which a run waits for a person is not its last one, nor is anything else", async () => {
  const { invoke, limits } = setUp({}, { inner: [approvals()] });
  const interrupted = await invoke(go());
  for (const other of [interrupted, { messages: [] }, {}, "state", undefined, null])
    expect(limits.outcomeOf(other)).toBeUndefined();
});

test("a run that is resumed goes on with its budget", async () => {
  const { invoke, requests } = setUp({ turns: 2 }, { model: () => ({ calls: 1 }), inner: [approvals()] });
  await invoke(go());
  await invoke(approved);
  const { turnLimitOutcome } = await invoke(approved);
  expect(requests).toHaveLength(2);
  expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, steps: 2 });
});

test("a person who prompts instead of approving has aborted the run", async () => {
  const ended: Outcome[] = [];
  const { invoke } = setUp(
    { onOutcome: (outcome) => void ended.push(outcome) },
    { model: () => ({ calls: 1 }), inner: [approvals()] },
  );
  await invoke(go());
  await invoke(go());
  expect(ended).toMatchObject([{ kind: "aborted", turns: 1, steps: 0 }]);
});

test("a run that begins on a thread while another one works there does not end it", async () => {
  const ended: Outcome[] = [];
  let start = () => {};
  let release = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const limits = turnLimitMiddleware({ turns: 3, onOutcome: (outcome) => void ended.push(outcome) });
  const agent = createAgent({
    model: new ScriptedModel(() => ({ calls: 1 })),
    tools: [
      workTool((id) => {
        if (id !== "r1c1") return undefined;
        start();
        return released;
      }),
    ],
    middleware: [limits],
    checkpointer: new MemorySaver(),
  }).withConfig(limits.config);
  const first = agent.invoke(go(), thread);
  await started;
  const second = await agent.invoke(go(), thread);
  release();
  const stopped = { kind: "stopped", limit: "turns", turns: 3, steps: 3 };
  expect(limits.outcomeOf(second)).toMatchObject(stopped);
  expect(limits.outcomeOf(await first)).toMatchObject(stopped);
  expect(ended).toMatchObject([stopped, stopped]);
});

test("whoever is told of a run knows the caller's id of it, and its context", async () => {
  const runs: unknown[] = [];
  const limits = turnLimitMiddleware({ onOutcome: (_outcome, run) => void runs.push(run) });
  const model = new ScriptedModel(untilTurn(1));
  const agent = createAgent({ model, tools: [], middleware: [limits] }).withConfig(limits.config);
  const context = { user: "Ada" };
  await agent.invoke(go(), { context, configurable: { run_id: "run-1" } } as never);
  expect(runs).toMatchObject([{ id: "run-1", context }]);
  expect((runs[0] as { context: unknown }).context).toBe(context);
});

test("a price is asked for the model that answered", async () => {
  const models: unknown[] = [];
  class NamedModel extends ScriptedModel {
    readonly model = "model-1";
  }
  const limits = turnLimitMiddleware({
    cost: 1,
    price: (_usage, model) => {
      models.push(model);
      return 0.1;
    },
  });
  const model = new NamedModel(untilTurn(1));
  const agent = createAgent({ model, tools: [], middleware: [limits] }).withConfig(limits.config);
  const { turnLimitOutcome } = await agent.invoke(go());
  expect(models).toEqual([{ id: "model-1" }]);
  expect(turnLimitOutcome?.usage).toMatchObject({ cost: 0.1 });
});

test("without the limits' config a person is warned, and the error says what to do before another call is made", async () => {
  const warnings: string[] = [];
  const executed: string[] = [];
  const limits = turnLimitMiddleware({ onWarning: (message) => void warnings.push(message) });
  const model = new ScriptedModel(() => ({ calls: 1 }));
  const tools = [workTool((id) => void executed.push(id))];
  const agent = createAgent({ model, tools, middleware: [limits] });
  await expect(agent.invoke(go())).rejects.toMatchObject({
    name: "GraphRecursionError",
    message: expect.stringContaining("withConfig(limits.config)"),
  });
  expect(warnings).toEqual([expect.stringContaining("withConfig(limits.config)")]);
  expect(model.requests).toHaveLength(11);
  expect(executed).toHaveLength(10);
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 11 });
});

test.each([
  ["ends with LangGraph's recursion limit just out of reach", 10, "done"],
  ["is stopped with LangGraph's recursion limit just out of reach", 11, undefined],
])("a run that %s", async (_, turns, answer) => {
  const limits = turnLimitMiddleware({ turns: 10, onWarning: expect.unreachable });
  const model = new ScriptedModel(untilTurn(turns));
  const agent = createAgent({ model, tools: [workTool(() => {})], middleware: [limits] });
  const { messages, turnLimitOutcome } = await agent.invoke(go());
  expect(answerOf(messages)).toBe(answer);
  expect(turnLimitOutcome).toMatchObject({ turns: 10 });
});

test("other middleware may answer a request with a command", async () => {
  const commanding = createMiddleware({
    name: "Commanding",
    wrapModelCall: () => new Command({ update: { messages: [new AIMessage("commanded")] } }) as never,
  });
  const { invoke, requests } = setUp({}, { inner: [commanding] });
  const { messages, turnLimitOutcome } = await invoke(go());
  expect(requests).toHaveLength(0);
  expect(answerOf(messages)).toBe("commanded");
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", turns: 1 });
});

test("a command with which other middleware answers is applied once", async () => {
  const commanding = createMiddleware({
    name: "Commanding",
    stateSchema: z.object({ route: z.string().optional() }),
    wrapModelCall: () =>
      new Command({ update: { route: "routed", messages: [new AIMessage("routed")] } }) as never,
  });
  const { invoke, limits } = setUp({}, { inner: [commanding] });
  const result = await invoke(go());
  expect(result).toMatchObject({ route: "routed" });
  expect(result.messages.map(({ text }) => text)).toEqual(["go", "routed"]);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 1 });
});

test("an error that the caller's own middleware wants raised is raised", async () => {
  let tried = 0;
  const work = () => {
    tried += 1;
    throw new TypeError("no such file");
  };
  for (const maxRetries of [0, 1]) {
    tried = 0;
    const raising = toolRetryMiddleware({ maxRetries, initialDelayMs: 0, jitter: false, onFailure: "error" });
    const { invoke, limits } = setUp({}, { work, inner: [raising] });
    await expect(invoke(go())).rejects.toBeInstanceOf(TypeError);
    expect(tried).toBe(maxRetries + 1);
    expect(limits.outcome).toMatchObject({ kind: "failed", turns: 1, steps: 1 });
  }
});

/** What an agent's invocation rejects with, which has the limits in one case and does not in the other. */
async function errorsOf(params: () => { model: ScriptedModel; tools: object[] }, others: object[]) {
  const limits = turnLimitMiddleware();
  const errorWith = async (middleware: object[]) => {
    const agent = createAgent({ ...params(), middleware: middleware.map(plain) } as never);
    return agent.invoke(go()).then(
      () => expect.unreachable("it does not reject"),
      (error: unknown) => error,
    );
  };
  return {
    limits,
    without: await errorWith(others),
    asFirst: await errorWith([limits, ...others]),
    asLast: await errorWith([...others, limits]),
  };
}

test("an error of a tool is raised if other middleware wraps tool calls, even if it does nothing else", async () => {
  const error = new TypeError("no such file");
  const tools = [workTool(() => Promise.reject(error))];
  const wrapping = createMiddleware({
    name: "Wrapping",
    wrapToolCall: (request, handler) => handler(request),
  });
  const model = () => new ScriptedModel(untilTurn(3));
  const { without, asFirst, asLast } = await errorsOf(() => ({ model: model(), tools }), [wrapping]);
  expect(without).toBe(error);
  expect(asFirst).toBe(error);
  expect(asLast).toBe(error);
});

test.each(["inner", "outer"])("%s middleware gets the error of a tool as it is", async (place) => {
  const error = new TypeError("no such file");
  const seen: unknown[] = [];
  const handling = toolErrorMiddleware({
    onError: (error) => {
      seen.push(error);
      return "handled";
    },
  });
  const { invoke } = setUp({}, { work: () => Promise.reject(error), [place]: [handling] });
  const { messages } = await invoke(go());
  expect(seen).toEqual([error, error]);
  expect(messages.filter(ToolMessage.isInstance).map(({ text }) => text)).toEqual(["handled", "handled"]);
});

test("a tool that fails in a run that another process has begun is told to the model", async () => {
  const checkpointer = new MemorySaver();
  const there = setUp({}, { inner: [approvals()], checkpointer });
  await there.invoke(go());
  const work = () => Promise.reject(new Error("no such file"));
  const here = setUp({}, { model: untilTurn(1), work, inner: [approvals()], checkpointer });
  const { messages } = await here.invoke(approved);
  expect(messages.find(ToolMessage.isInstance)?.text).toContain("no such file");
  expect(answerOf(messages)).toBe("done");
});

test("an error that a tool's own agent has from its middleware is told to the model like any other", async () => {
  const failing = createMiddleware({
    name: "Failing",
    wrapModelCall: () => {
      throw new Error("no budget");
    },
  });
  const inner = createAgent({
    model: new ScriptedModel(untilTurn(1)),
    tools: [],
    middleware: [plain(failing)],
  });
  const { invoke } = setUp({}, { model: untilTurn(2), work: () => inner.invoke(go()) });
  const { messages } = await invoke(go());
  expect(messages.find(ToolMessage.isInstance)?.text).toBe("Error: no budget\n Please fix your mistakes.");
});

test("an error of a request is the one that it is without limits", async () => {
  const error = new TypeError("overloaded");
  class FailingModel extends ScriptedModel {
    override _generate(): Promise<never> {
      return Promise.reject(error);
    }
  }
  const model = () => new FailingModel(untilTurn(1));
  const { without, asFirst, limits } = await errorsOf(() => ({ model: model(), tools: [] }), []);
  expect(without).toBe(error);
  expect(asFirst).toBe(error);
  expect(error).not.toHaveProperty("is_bubble_up");
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 1 });
});

test.each([new TypeError("no budget"), "no budget"])(
  "an error of other middleware around a request is wrapped once, as without limits: %o",
  async (error) => {
    const failing = createMiddleware({ name: "Failing", wrapModelCall: () => Promise.reject(error) });
    const model = () => new ScriptedModel(untilTurn(1));
    const { without, asFirst } = await errorsOf(() => ({ model: model(), tools: [] }), [failing]);
    const facts = ({ name, message, cause }: Error) => ({ name, message, cause });
    expect(MiddlewareError.isInstance(without)).toBe(true);
    expect(MiddlewareError.isInstance(asFirst)).toBe(true);
    expect(facts(asFirst as Error)).toEqual(facts(without as Error));
    expect((asFirst as Error).cause).toBe((without as Error).cause);
  },
);

test("the agent's own signal aborts a tool call with its reason", async () => {
  const params = () => {
    const abort = new AbortController();
    const work = () => {
      abort.abort(new Error("enough"));
      return new Promise(() => {});
    };
    return {
      model: new ScriptedModel(untilTurn(3)),
      tools: [workTool(work)],
      signal: abort.signal,
    };
  };
  const { without, asFirst, limits } = await errorsOf(params, []);
  for (const error of [without, asFirst]) expect(String(error)).toBe("Error: enough");
  expect(limits.outcome).toMatchObject({ kind: "aborted", turns: 1, steps: 1 });
});

test("arguments that a tool does not take are told to the model", async () => {
  const { invoke } = setUp(
    {},
    { model: ({ index }) => (index > 1 ? { text: "done" } : { calls: 1, same: 7 as never }) },
  );
  const { messages } = await invoke(go());
  expect(messages.find(ToolMessage.isInstance)?.text).toContain("did not match expected schema");
  expect(answerOf(messages)).toBe("done");
});

test("a run that ends at a limit asks for no approval again, and leaves no message of its own", async () => {
  for (const outcome of ["stop", "raise"] as const) {
    const { invoke, limits } = setUp(
      { turns: { max: 1, onExhausted: outcome } },
      { model: () => ({ calls: 1 }), inner: [approvals()] },
    );
    await invoke(go());
    const result = invoke(approved);
    if (outcome === "raise") await expect(result).rejects.toMatchObject({ name: "LimitExceeded" });
    else expect((await result).messages.map(({ type }) => type)).toEqual(["human", "ai", "tool"]);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 1, steps: 1 });
  }
});

test("nor is one of its own there at the next prompt, if the limit raised", async () => {
  const { invoke, requests } = setUp(
    { turns: { max: 1, onExhausted: "raise" } },
    { model: ({ index }) => (index === 1 ? { calls: 1 } : { text: "done" }), inner: [approvals()] },
  );
  await invoke(go());
  await expect(invoke(approved)).rejects.toMatchObject({ name: "LimitExceeded" });
  await invoke(go());
  expect(requests.at(-1)?.texts).toEqual(["go", "", "done", "go"]);
});

test("hooks of other middleware bring LangGraph's recursion limit nearer, and the error says what to do all the same", async () => {
  const hooks = createMiddleware({
    name: "Hooks",
    beforeModel: () => undefined,
    afterModel: () => undefined,
  });
  for (let recursionLimit = 8; recursionLimit < 14; recursionLimit += 1) {
    const limits = turnLimitMiddleware();
    const agent = createAgent({
      model: new ScriptedModel(() => ({ calls: 1 })),
      tools: [workTool(() => {})],
      middleware: [limits, plain(hooks)],
    }).withConfig({ recursionLimit });
    await expect(agent.invoke(go())).rejects.toThrow("limits.config");
    expect(limits.outcome).toMatchObject({ kind: "failed" });
  }
});

test("a run that has to answer with an object ends at a limit, whatever hooks there are", async () => {
  const hook = createMiddleware({ name: "Hook", afterModel: () => undefined });
  for (const middleware of [[], [plain(hook)]]) {
    for (const turns of [0, 1]) {
      const limits = turnLimitMiddleware({ turns });
      const model = new ScriptedModel(() => ({ calls: 1 }));
      const agent = createAgent({
        model,
        tools: [workTool(() => {})],
        middleware: [limits, ...middleware],
        responseFormat: toolStrategy(z.object({ found: z.string() })) as never,
      }).withConfig(limits.config);
      const { turnLimitOutcome, structuredResponse } = await agent.invoke(go());
      expect(model.requests).toHaveLength(turns);
      expect(structuredResponse).toBeUndefined();
      expect(turnLimitOutcome).toMatchObject({ kind: "stopped", limit: "turns", turns });
    }
  }
});

test("a tool whose call is cut off is told so by its signal", async () => {
  const clock = new ManualClock();
  let aborted: boolean | undefined;
  const { invoke } = setUp(
    { time: 5_000, clock },
    {
      work: (_id, signal) => {
        signal?.addEventListener("abort", () => {
          aborted = true;
        });
        return clock.hang(5_000);
      },
    },
  );
  await invoke(go());
  expect(aborted).toBe(true);
});

test("a tool that ends the run does so without another turn", async () => {
  const limits = turnLimitMiddleware({ turns: 5 });
  const direct = workTool(() => "the result");
  direct.returnDirect = true;
  const model = new ScriptedModel(() => ({ calls: 1 }));
  const agent = createAgent({ model, tools: [direct], middleware: [limits] }).withConfig({
    recursionLimit: 5,
  });
  const { turnLimitOutcome } = await agent.invoke(go());
  expect(model.requests).toHaveLength(1);
  expect(turnLimitOutcome).toMatchObject({ kind: "completed", turns: 1, steps: 1 });
});

test.each([
  ["is stopped at its limit", 9, { kind: "stopped", limit: "turns", turns: 3 }],
  ["is one run until it has its form", 2, { kind: "completed", turns: 2 }],
  ["may use its last turn for that", 3, { kind: "completed", turns: 3 }],
])("an answer that has to be corrected %s", async (_, right, expected) => {
  const ended: Outcome[] = [];
  const limits = turnLimitMiddleware({ turns: 3, onOutcome: (outcome) => void ended.push(outcome) });
  const model = new ScriptedModel(({ index }) => ({ text: index < right ? "{}" : '{"found":"it"}' }));
  const agent = createAgent({
    model,
    tools: [workTool(() => {})],
    middleware: [limits],
    responseFormat: toolStrategy(z.object({ found: z.string() })) as never,
  }).withConfig(limits.config);

  const result = (await agent.invoke(go())) as State & { structuredResponse?: unknown };

  expect(model.requests).toHaveLength(Math.min(right, 3));
  expect(result.structuredResponse).toEqual(right > 3 ? undefined : { found: "it" });
  expect(ended).toMatchObject([expected]);
  expect(result.turnLimitOutcome).toMatchObject(expected);
});
