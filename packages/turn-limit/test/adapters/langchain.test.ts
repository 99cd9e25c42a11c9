import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import {
  type BaseMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  humanInTheLoopMiddleware,
  ToolMessage,
  toolRetryMiddleware,
} from "langchain";
import { expect, test } from "vitest";
import { type AdapterOptions, turnLimitMiddleware } from "../../src/adapters/langchain.ts";
import type { Outcome } from "../../src/governor/outcome.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { ModelReply, SeenRequest } from "../../src/testing/scripted-host.ts";
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
  work?: (id: string) => unknown;
  /** Middleware in front of the limits, and after them. */
  outer?: object[];
  inner?: object[];
}

function setUp(
  options: AdapterOptions,
  { model = untilTurn(3), work = () => {}, outer = [], inner = [] }: Setting,
) {
  const limits = turnLimitMiddleware(options);
  const scripted = new ScriptedModel(model);
  const agent = createAgent({
    model: scripted,
    tools: [workTool(work)],
    middleware: [...outer.map(plain), limits, ...inner.map(plain)],
    checkpointer: new MemorySaver(),
  }).withConfig(limits.config);
  return {
    limits,
    requests: scripted.requests,
    invoke: async (input: Input, signal?: AbortSignal) =>
      (await agent.invoke(input, { ...thread, ...(signal && { signal }) })) as State,
  };
}

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
    let failures = 1;
    const { invoke } = setUp(
      { steps: 1 },
      {
        model: untilTurn(2),
        work: () => {
          if (failures-- > 0) throw new Error("busy");
        },
        [place]: [toolRetryMiddleware({ initialDelayMs: 0, jitter: false })],
      },
    );
    const { messages, turnLimitOutcome } = await invoke(go());
    expect(answerOf(messages)).toBe("done");
    expect(turnLimitOutcome).toMatchObject({ kind: "completed", steps: 1 });
  },
);

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
  const agent = createAgent({ model, tools: [workTool(delegate)], middleware: [limits] });
  const { messages, turnLimitOutcome } = await agent.invoke(go());
  expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(answerOf(messages)).toBe("partial");
  expect(turnLimitOutcome).toMatchObject({ kind: "salvaged", limit: "time" });
  expect(answerOf((await ended)?.messages ?? [])).toContain("Stopped");
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
