import {
  type HookCallback,
  type HookInput,
  type Options,
  type Query,
  query,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  type AdapterOptions,
  type LimitedMessage,
  type LimitedQuery,
  type LimitedResult,
  limitQuery,
  type QueryFunction,
  type RunInfo,
} from "../../src/adapters/claude-agent-sdk/index.ts";
import { isLimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import { UnsupportedOption } from "../../src/core/errors/unsupported-option.ts";
import { anyOf } from "../../src/core/limits/limit.ts";
import { createPool } from "../../src/pools/pool.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { callId, type ModelReply } from "../../src/testing/scripted-host.ts";
import { isResult, play, type Script } from "../hosts/claude-agent-sdk/play.ts";
import {
  type ApiRequest,
  contentOf,
  MODEL,
  scriptedApi,
  structured,
  WORK,
} from "../hosts/claude-agent-sdk/scripted-api.ts";
import {
  FOUND,
  isOfMainLoop,
  offline,
  subAgentCall,
  user,
  whyUnavailable,
  withHome,
  withSubAgents,
} from "../hosts/claude-agent-sdk.ts";

const ANSWER = { input: 100, output: 20, cost: 0.0006 };

const forever = (): ModelReply => ({ calls: 1 });

/** The main loop starts sub-agents, so many at once, and each calls `work` as long as it can. */
const subAgents = (count = 1): Pick<Script, "options" | "answer"> => ({
  options: withSubAgents,
  answer(index, request) {
    if (!request.tools?.length) return { text: "partial" };
    if (!isOfMainLoop(request)) return { calls: 1 };
    return Array.from({ length: count }, (_, n) => subAgentCall(callId(index, n + 1)));
  },
});

/** The SDK, without what it says may be gone one day. */
const withoutAccount: QueryFunction = (input) =>
  new Proxy(query(input), {
    get(real, key) {
      if (key === "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET") return undefined;
      const value = Reflect.get(real, key);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });

const why = await whyUnavailable();

describe.skipIf(why)("turn-limit/claude-agent-sdk", () => {
  test("the time in which a person approves a tool call does not count", async () => {
    const clock = new ManualClock();
    const canUseTool: Options["canUseTool"] = async (_tool, input) => {
      clock.pass(60_000);
      return { behavior: "allow", updatedInput: input };
    };
    const { results, executed } = await play({
      limits: { time: 1_000, clock },
      answer: (index) => (index === 2 ? { text: "done" } : { calls: 2 }),
      options: { canUseTool, allowedTools: [] },
    });
    expect(executed).toHaveLength(2);
    expect(results).toMatchObject([{ outcome: { kind: "completed", time: 0 } }]);
  });

  test("what sub-agents take counts", async () => {
    const { results, requests } = await play({ limits: { tokens: 3 * 120 }, ...subAgents() });
    expect(requests).toBe(3);
    expect(results).toMatchObject([
      { outcome: { kind: "stopped", limit: "tokens", usage: { input: 300, output: 60 } } },
    ]);
  });

  test("a sub-agent is cut off when the time is up, and the main loop makes the answer", async () => {
    const clock = new ManualClock();
    const { results, requests } = await play({
      limits: { time: { max: 1_000, onExhausted: "synthesize" }, clock },
      ...subAgents(),
      execute: () => clock.hang(1_000),
    });
    expect(requests).toBe(3);
    expect(results).toMatchObject([{ result: "partial", outcome: { kind: "salvaged", limit: "time" } }]);
    const { input, output, cost = 0 } = results[0]?.outcome?.usage ?? ANSWER;
    expect({ input, output }).toEqual({ input: 300, output: 60 });
    expect(cost).toBeCloseTo(3 * ANSWER.cost, 9);
  });

  test("of two sub-agents side by side, neither takes the main loop's tools-free turn", async () => {
    let working = 0;
    let meet = () => {};
    const bothWork = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const { results, requests } = await play({
      limits: { turns: { max: 4, onExhausted: "synthesize" }, tokens: 1_000_000 },
      ...subAgents(2),
      execute() {
        working += 1;
        if (working === 2) meet();
        return bothWork;
      },
    });
    expect(requests).toBe(5);
    expect(results).toMatchObject([{ result: "partial", outcome: { kind: "salvaged", limit: "turns" } }]);
  });

  test("two sub-agents at the boundary wait for the same reply, and a no is for both", async () => {
    const replies = [true, false];
    const asked: number[] = [];
    const { results, requests } = await play({
      limits: {
        turns: 3,
        ask({ used }) {
          asked.push(used);
          return new Promise((resolve) => setTimeout(resolve, 300, replies.shift()));
        },
      },
      ...subAgents(2),
    });
    expect(asked).toEqual([3, 3]);
    expect(requests).toBe(6);
    expect(results).toMatchObject([{ outcome: { kind: "declined", limit: "turns", rounds: 2 } }]);
  });

  test("what a session cost before the run is not the run's", async () => {
    const { results } = await play({
      limits: { cost: 2 * ANSWER.cost },
      answer: forever,
      prompts: ["go", "go"],
    });
    expect(results).toMatchObject([
      { outcome: { kind: "stopped", limit: "cost", turns: 2 } },
      { outcome: { kind: "stopped", limit: "cost", turns: 2 } },
    ]);
  });

  test("where the SDK does not say what a session cost, the price is the caller's to say", async () => {
    const warnings: string[] = [];
    const limits: AdapterOptions = { turns: 3, cost: 1, onWarning: (warning) => warnings.push(warning) };
    const priced = await play({
      limits: { ...limits, price: (_usage, model) => (model?.id === MODEL ? 0.5 : undefined) },
      answer: forever,
      via: withoutAccount,
    });
    expect(priced.results).toMatchObject([{ outcome: { limit: "cost", turns: 2, usage: { cost: 1 } } }]);
    expect(warnings).toEqual([]);
    const unpriced = await play({ limits, answer: forever, via: withoutAccount });
    expect(unpriced.results).toMatchObject([{ outcome: { limit: "turns", unpriced: true } }]);
    expect(warnings).toEqual([expect.stringContaining("no price")]);
  });

  test("a prompt after a run that was cut off starts fresh", async () => {
    const clock = new ManualClock();
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
      yield user("go");
      await settled;
      yield user("go");
    }
    const { results } = await play({
      limits: { time: 1_000, clock, onOutcome: settle },
      answer: (index) => (index === 1 ? { calls: 1 } : { text: "done" }),
      execute: () => clock.hang(1_000),
      prompts: [prompts()],
    });
    expect(results).toMatchObject([
      { outcome: { kind: "stopped", limit: "time" } },
      { result: "done", outcome: { kind: "completed", time: 0 } },
    ]);
  });

  test("a conversation that was cleared does not hide what is spent after it", async () => {
    const told: (() => void)[] = [];
    async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
      for (const text of ["go", "/clear", "go"]) {
        const settled = new Promise<void>((resolve) => told.push(resolve));
        yield user(text);
        if (text === "go") await settled;
      }
    }
    const { results } = await play({
      limits: { cost: 2 * ANSWER.cost, onOutcome: () => told.pop()?.() },
      answer: forever,
      prompts: [prompts()],
    });
    expect(results.flatMap(({ outcome }) => outcome ?? [])).toMatchObject([
      { kind: "stopped", limit: "cost", turns: 2 },
      { kind: "stopped", limit: "cost", turns: 2 },
    ]);
  });

  test.each(["each a query", "of one query"])(
    "a summary that a person wants between two prompts counts for a pool: %s",
    async (how) => {
      const told: (() => void)[] = [];
      async function* stream(): AsyncGenerator<SDKUserMessage, void> {
        for (const text of ["go", "/compact", "go"]) {
          const settled = new Promise<void>((resolve) => told.push(resolve));
          yield user(text);
          await settled;
        }
      }
      const store = memoryStore();
      const pool = createPool({ id: "day", tokens: 100_000, cost: 100, store });
      const { requests, results } = await play({
        limits: { turns: 9, pool },
        answer: () => ({ text: "done" }),
        prompts: how === "of one query" ? [stream()] : ["go", "/compact", "go"],
        onMessage: (message) => (isResult(message) ? told.pop()?.() : undefined),
      });
      expect(requests).toBeGreaterThan(2);
      expect(results.map(({ outcome }) => outcome?.turns)).toEqual([1, undefined, 1]);
      const used = Object.fromEntries((await pool.read()).limits.map(({ limit, used }) => [limit, used]));
      expect(used.tokens).toBe(requests * (ANSWER.input + ANSWER.output));
      expect(used.cost).toBeCloseTo(requests * ANSWER.cost);
    },
  );

  test("a call that ends just as the time is up is not in the way of the answer", async () => {
    const clock = new ManualClock();
    const { results, requests } = await play({
      limits: { time: { max: 1_000, onExhausted: "synthesize" }, clock },
      answer: (_index, { tools = [] }) => (tools.length === 0 ? { text: "partial" } : { calls: 1 }),
      execute: () => clock.pass(1_000),
    });
    expect(requests).toBe(2);
    expect(results).toMatchObject([{ result: "partial", outcome: { kind: "salvaged", limit: "time" } }]);
  });

  test("a program that does not say when it is idle is done with its result", async () => {
    const silent: QueryFunction = ({ prompt, options }) => {
      const env = { ...options?.env, CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: undefined };
      return query({ prompt, options: { ...options, env } });
    };
    const { results } = await play({
      limits: { turns: 2 },
      answer: forever,
      via: silent,
      prompts: ["go", "go"],
    });
    expect(results).toMatchObject([
      { outcome: { kind: "stopped", turns: 2 } },
      { outcome: { kind: "stopped", turns: 2 } },
    ]);
  });

  test("a tool call that was run without asking ends the run at once", async () => {
    const { results, requests } = await play({
      limits: { turns: 5 },
      answer: forever,
      via: ({ prompt, options }) =>
        query({ prompt, options: { ...options, hooks: { ...options?.hooks, PreToolUse: [] } } }),
    });
    expect(requests).toBe(1);
    expect(results).toMatchObject([{ outcome: { kind: "limit-overrun" } }]);
  });
});

/** Sub-agents work in the background, as they do by default. */
const inBackground: Options = {
  ...withSubAgents,
  env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: undefined },
};

/** A promise that is resolved from outside. */
function signalled(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A hook that tells of its event. */
function calls(tell: (input: HookInput) => unknown): HookCallback {
  return async (input) => {
    tell(input);
    return {};
  };
}

/** The main loop starts two sub-agents, which make one call each, and answers whenever it is asked. */
function startsTwo(index: number, request: ApiRequest): ReturnType<Script["answer"]> {
  const hasResults = request.messages.some(({ role }) => role === "assistant");
  if (!isOfMainLoop(request)) return hasResults ? { text: "found" } : { calls: 1 };
  return hasResults ? { text: `answer ${index}` } : [subAgentCall("one"), subAgentCall("other")];
}

describe.skipIf(why)("sub-agents in the background", () => {
  test("there is one result for the prompt, with the last answer and what all of it took", async () => {
    const outcomes: unknown[] = [];
    const answer = signalled();
    const { results, requests } = await play({
      limits: { turns: 20, onOutcome: (outcome) => outcomes.push(outcome) },
      options: { ...inBackground, hooks: { Stop: [{ hooks: [calls(answer.resolve)] }] } },
      answer: startsTwo,
      // They are done when the main loop has answered for the first time.
      execute: () => answer.promise,
    });
    expect(requests).toBeGreaterThan(6);
    expect(results).toMatchObject([
      { result: `answer ${requests}`, outcome: { kind: "completed", turns: requests, steps: 4 } },
    ]);
    expect(results[0]?.outcome?.usage).toMatchObject({ input: 100 * requests, output: 20 * requests });
    expect(outcomes).toEqual([results[0]?.outcome]);
  });

  test("they are held to the limits of the run", async () => {
    const { results, requests } = await play({
      limits: { turns: 5 },
      options: inBackground,
      answer: (index, request) => (isOfMainLoop(request) ? startsTwo(index, request) : { calls: 1 }),
    });
    expect(requests).toBe(5);
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit: "turns", turns: 5 } }]);
  });

  test("the answer without tools is made when they are done", async () => {
    const { results, requests } = await play({
      limits: { turns: { max: 5, onExhausted: "synthesize" } },
      options: inBackground,
      answer(index, request) {
        if (!request.tools?.length) return { text: "partial" };
        return isOfMainLoop(request) ? startsTwo(index, request) : { calls: 1 };
      },
    });
    expect(requests).toBe(6);
    expect(results).toMatchObject([{ result: "partial", outcome: { kind: "salvaged", turns: 6 } }]);
  });

  test("a prompt that comes while they work is a run of its own", async () => {
    const answer = signalled();
    const prompt = signalled();
    async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
      yield user("go");
      await answer.promise;
      yield user("go on");
    }
    const hooks: Options["hooks"] = {
      Stop: [{ hooks: [calls(answer.resolve)] }],
      UserPromptSubmit: [
        { hooks: [calls((input) => "prompt" in input && input.prompt === "go on" && prompt.resolve())] },
      ],
    };
    const { results } = await play({
      limits: { turns: 20 },
      options: { ...inBackground, hooks },
      answer: startsTwo,
      execute: () => prompt.promise,
      prompts: [prompts()],
    });
    expect(results).toMatchObject([
      { outcome: { kind: "completed", turns: 4 } },
      { outcome: { kind: "completed" } },
    ]);
  });
});

describe.skipIf(why)("a structured answer", () => {
  const options: Options = { outputFormat: FOUND };

  test("is asked for again within the limits if it is not the object that is wanted", async () => {
    const { results, requests } = await play({
      limits: { turns: 2, steps: 1 },
      options,
      answer: (index) => structured(index === 1 ? { lost: "x" } : { found: "x" }, index),
    });
    expect(requests).toBe(2);
    expect(results).toMatchObject([
      { structured_output: { found: "x" }, outcome: { kind: "completed", turns: 2, steps: 0 } },
    ]);
  });

  test("is not asked for again past the limit if the model gives a text instead", async () => {
    const { results, requests } = await play({
      limits: { turns: 1 },
      options,
      answer: () => ({ text: "x" }),
    });
    expect(requests).toBe(1);
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit: "turns", turns: 1 } }]);
  });

  test("is asked for again in a turn that counts", async () => {
    const { results, requests } = await play({
      limits: { turns: 3 },
      options,
      answer: (index) => (index === 1 ? { text: "x" } : structured({ found: "x" }, index)),
    });
    expect(requests).toBe(2);
    expect(results).toMatchObject([
      { structured_output: { found: "x" }, outcome: { kind: "completed", turns: 2 } },
    ]);
  });
});

describe.skipIf(why)("a call that is denied takes no step", () => {
  const twice = (index: number): ModelReply => (index === 3 ? { text: "done" } : { calls: 1 });
  const denyFirst: HookCallback = async (input) => {
    if (input.hook_event_name !== "PreToolUse" || input.tool_use_id !== `toolu_${callId(1, 1)}`) return {};
    return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
  };

  test("by a hook of the caller's", async () => {
    const { results, executed } = await play({
      limits: { steps: 1, tools: { [WORK]: 1 } },
      answer: twice,
      options: { hooks: { PreToolUse: [{ hooks: [denyFirst] }] } },
    });
    expect(executed).toEqual([callId(2, 1)]);
    expect(results).toMatchObject([{ outcome: { kind: "completed", steps: 1, intervened: false } }]);
  });

  test("by a person", async () => {
    const { results, executed } = await play({
      limits: { steps: 1 },
      answer: twice,
      options: {
        allowedTools: [],
        canUseTool: async (_tool, input) =>
          input.id === callId(1, 1)
            ? { behavior: "deny", message: "No." }
            : { behavior: "allow", updatedInput: input },
      },
    });
    expect(executed).toEqual([callId(2, 1)]);
    expect(results).toMatchObject([{ outcome: { kind: "completed", steps: 1, intervened: false } }]);
  });

  test("by a rule of the SDK's", async () => {
    const { results, executed } = await play({
      limits: { steps: 1 },
      answer: twice,
      options: { allowedTools: [] },
    });
    expect(executed).toEqual([]);
    expect(results).toMatchObject([{ outcome: { kind: "completed", steps: 0, intervened: false } }]);
  });

  test("but one that fails does", async () => {
    const { results } = await play({
      limits: { steps: { max: 1, onExhausted: "stop" } },
      answer: twice,
      execute() {
        throw new Error("failed");
      },
    });
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit: "steps", steps: 1 } }]);
  });
});

test.skipIf(why)("a run that the SDK's own maxTurns ends was stopped, by no limit of ours", async () => {
  const results: LimitedResult[] = [];
  const played = play({ limits: { turns: 9 }, answer: forever, options: { maxTurns: 2 }, results });
  await expect(played).rejects.toThrow("maximum number of turns (2)");
  expect(results).toMatchObject([
    { subtype: "error_max_turns", outcome: { kind: "stopped", turns: 2, intervened: false } },
  ]);
  expect(results[0]?.outcome).not.toHaveProperty("limit");
});

test.skipIf(why)("an outcome can be had by its result, by its query and from the function", async () => {
  const told: RunInfo[] = [];
  const limited = limitQuery(query, { turns: 2, onOutcome: (_, run) => told.push(run) });
  const context = { user: "somebody" };
  await withHome(async (home) => {
    await using api = await scriptedApi((_, index) => contentOf({ calls: 1 }, index));
    const sessionId = crypto.randomUUID();
    const options = { ...offline(api.url, home, () => {}), sessionId };
    const run = limited({ prompt: "go", options }, { context });
    expect(limited.outcomeOf(run)).toBeUndefined();
    const messages: LimitedMessage[] = [];
    for await (const message of run) messages.push(message);
    const result = messages.find(isResult);
    expect(result?.outcome).toMatchObject({ kind: "stopped", turns: 2 });
    expect(limited.outcomeOf(result)).toBe(result?.outcome);
    expect(limited.outcomeOf(run)).toBe(result?.outcome);
    expect(limited.outcome).toBe(result?.outcome);
    expect(limited.outcomeOf(messages[0])).toBeUndefined();
    expect(told).toMatchObject([{ id: sessionId, context }]);
  });
});

test("what the SDK is not given, it is not given by us either", () => {
  let given: Options | undefined;
  const silent: QueryFunction = ({ options }) => {
    given = options;
    return (async function* () {})() as unknown as Query;
  };
  limitQuery(silent, { turns: 5 })({ prompt: "go" });
  expect(Object.keys(given ?? {}).sort()).toEqual(["env", "hooks", "includePartialMessages"]);
  expect(given?.env).toMatchObject(process.env);
});

test.each<[unknown, string]>([
  [undefined, "query must be the function `query` of the Claude Agent SDK, not undefined"],
  [{ query }, "query must be the function `query` of the Claude Agent SDK, not an object with query"],
])("a missing query is named: %s", (given, message) => {
  expect(() => limitQuery(given as QueryFunction)).toThrow(message);
});

test.each<[string, unknown[], string]>([
  ["nothing", [], "input must be an object with a prompt, and options if you like, not undefined"],
  ["a text", ["go"], 'input must be an object with a prompt, and options if you like, not "go"'],
  ["no prompt", [{}], "input.prompt must be a text, or an async iterable of messages, not undefined"],
  ["a number", [{ prompt: 5 }], "input.prompt must be a text, or an async iterable of messages, not 5"],
  [
    "bad options",
    [{ prompt: "", options: 5 }],
    "input.options must be an object with options of the SDK, not 5",
  ],
  ["a bare context", [{ prompt: "" }, { user: 1 }], "run.user is not known here. Known are: context"],
  ["a text as context", [{ prompt: "" }, "me"], 'run must be an object with context, not "me"'],
])("bad input is named: %s", (_, given, message) => {
  const limited = limitQuery(query) as unknown as (...given: unknown[]) => unknown;
  expect(() => limited(...given)).toThrow(message);
});

test("the SDK's types survive", () => {
  const limited = limitQuery(query);
  // Never called: the compiler is what is tested.
  const typed = () => {
    limited({
      prompt: "go",
      options: {
        canUseTool: async (tool, input) => {
          expectTypeOf(tool).toEqualTypeOf<string>();
          expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
          return { behavior: "allow", updatedInput: input };
        },
      },
    });
    // @ts-expect-error: misspelt
    limited({ prompt: "go", options: { maxTurn: 5 } });
    // @ts-expect-error: misspelt
    limited({ promt: "go" });
    // @ts-expect-error: misspelt
    limited({ prompt: "go" }, { contxt: 5 });
    // @ts-expect-error: misspelt
    limitQuery(query, { turn: 5 });
  };
  expect(typed).toBeTypeOf("function");
  expectTypeOf(limited).returns.toExtend<Query>();
  expectTypeOf(limitQuery).toBeCallableWith(query);
  expectTypeOf<Extract<LimitedMessage, { type: "assistant" }>>().not.toBeAny();
});

describe.skipIf(why)("a limit that raises", () => {
  test.each<[string, AdapterOptions]>([
    ["turns", { turns: { max: 2, onExhausted: "raise" } }],
    ["tokens", { tokens: { max: 240, onExhausted: "raise" } }],
    [`tools.${WORK}`, { tools: { [WORK]: { max: 2, headless: "raise" } } }],
  ])("makes the query throw after its result: %s", async (limit, limits) => {
    const results: LimitedResult[] = [];
    const error = await play({ limits, answer: forever, results }).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "LimitExceeded", limit });
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit } }]);
  });

  test("does so when the time is up in the middle of a request, too", async () => {
    const clock = new ManualClock();
    const answer = () => {
      void clock.hang(1_000);
      return "stalls" as const;
    };
    const limits: AdapterOptions = { time: { max: 1_000, onExhausted: "raise" }, clock };
    const error = await play({ limits, answer }).catch((error: unknown) => error);
    expect(isLimitExceeded(error)).toBe(true);
  });
});

test.skipIf(why).each<[string, (run: { limited: LimitedQuery; abort: AbortController }) => unknown]>([
  ["aborts", ({ abort }) => abort.abort()],
  ["interrupts the query", ({ limited }) => limited.interrupt()],
  ["reads no further", ({ limited }) => limited.return()],
])("a question is withdrawn when the caller %s", async (_, leave) => {
  let signal: AbortSignal | undefined;
  let isPut = () => {};
  const question = new Promise<void>((resolve) => {
    isPut = resolve;
  });
  const ask: AdapterOptions["ask"] = (_question, withdrawn) => {
    signal = withdrawn;
    isPut();
    return new Promise(() => {});
  };
  const outcome = await withHome(async (home) => {
    await using api = await scriptedApi((_, index) => contentOf({ calls: 1 }, index));
    const abort = new AbortController();
    const options = { ...offline(api.url, home, () => {}), abortController: abort };
    const limited = limitQuery(query, { turns: 1, ask })({ prompt: "go", options });
    try {
      for await (const { type } of limited) {
        if (type !== "assistant") continue;
        await question;
        await leave({ limited, abort });
      }
    } catch {
      // The SDK throws when a query is aborted or interrupted.
    }
    return limited.outcome;
  });
  expect(signal?.aborted).toBe(true);
  expect(outcome).toMatchObject({ kind: "aborted" });
});

test("a limit that never comes to an answer without tools needs no session", () => {
  const limits: AdapterOptions[] = [
    { turns: { max: 5, onExhausted: "stop", headless: "synthesize" } },
    { turns: { max: 5, headless: "synthesize" }, ask: () => true },
  ];
  const silent: QueryFunction = () => (async function* () {})() as unknown as Query;
  const start = (given: AdapterOptions) =>
    limitQuery(silent, given)({ prompt: "go", options: { persistSession: false } });
  for (const given of limits) expect(() => start(given)).not.toThrow();
});

test("an answer without tools needs a session that can be resumed, whichever limit asks for it", () => {
  const own = { name: "own", max: 5, used: ({ turns }: { turns: number }) => turns };
  const start = (limits: AdapterOptions) =>
    limitQuery(query, limits)({ prompt: "go", options: { persistSession: false } });
  const synthesizing: AdapterOptions[] = [
    { turns: { max: 5, headless: "synthesize" } },
    { time: { max: 5, onExhausted: "synthesize" } },
    { tools: { work: { max: 5, headless: "synthesize" } } },
    { repeats: { max: 5, onExhausted: "synthesize" } },
    { limits: [{ ...own, onExhausted: "synthesize" }] },
    { limits: [anyOf([own], { headless: "synthesize" })] },
  ];
  for (const limits of synthesizing) expect(() => start(limits)).toThrow(UnsupportedOption);
});
