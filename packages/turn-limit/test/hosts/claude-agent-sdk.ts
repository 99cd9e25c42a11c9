import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSdkMcpServer,
  type HookCallback,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import {
  type AdapterOptions,
  type LimitedQuery,
  limitQuery,
} from "../../src/adapters/claude-agent-sdk/index.ts";
import { isLimitExceeded, LimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import {
  type Capabilities,
  callId,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type ScriptedTool,
} from "../../src/testing/scripted-host.ts";
import {
  type ApiRequest,
  contentOf,
  MODEL,
  SUBMIT,
  scriptedApi,
  seenRequest,
  structured,
  WORK,
} from "./claude-agent-sdk/scripted-api.ts";

/** The options with which the program runs offline: its own home, the API at `url`, and the one tool. */
export function offline(
  url: string,
  home: string,
  work: (id: string, hasSignal: boolean) => unknown,
  submit?: (found: string) => void,
): Options {
  const execute = async ({ id }: { id: string }, extra: unknown) => {
    const result = await work(id, Object(extra).signal !== undefined);
    const text = typeof result === "string" ? result : `${id} is done`;
    return { content: [{ type: "text" as const, text }] };
  };
  // Read-only tools run side by side.
  const annotations = { readOnlyHint: true };
  const tools = [
    tool("work", "Works.", { id: z.string() }, execute, { annotations }),
    ...(submit ? [submitTool(submit)] : []),
  ] as ReturnType<typeof submitTool>[];
  return {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "scripted",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    },
    cwd: home,
    model: MODEL,
    systemPrompt: "Work.",
    settingSources: [],
    tools: [],
    mcpServers: { test: createSdkMcpServer({ name: "test", tools, alwaysLoad: true }) },
    allowedTools: submit ? [WORK, SUBMIT] : [WORK],
  };
}

/** The tool with which the agent gives its answer. */
function submitTool(submit: (found: string) => void) {
  return tool("submit", "Gives the answer.", { found: z.string() }, async ({ found }) => {
    submit(found);
    return { content: [{ type: "text" as const, text: "accepted" }] };
  });
}

/** A home for the program, that is gone afterwards. */
export async function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "claude-agent-sdk-"));
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Calls of the main loop without a result, in the messages that the caller got. */
export function orphansIn(messages: readonly SDKMessage[]): number {
  const blocks = messages.flatMap((message): { type: string; id?: string; tool_use_id?: string }[] => {
    if (message.type !== "assistant" && message.type !== "user") return [];
    return Array.isArray(message.message.content) ? message.message.content : [];
  });
  const answered = new Set(blocks.map(({ tool_use_id }) => tool_use_id));
  return blocks.filter(({ type, id }) => type === "tool_use" && !answered.has(id)).length;
}

export function user(content: string): SDKUserMessage {
  return { type: "user", parent_tool_use_id: null, message: { role: "user", content } };
}

/** The program that the SDK brings with it, against a scripted server on loopback. */
function play(scenario: Scenario): Promise<Observed> {
  return withHome((home) => playIn(home, scenario));
}

async function playIn(home: string, scenario: Scenario): Promise<Observed> {
  const { limits, model, streaming = false, signal, prompts = 1, onExecute, onSubmit, onControl } = scenario;
  const seen = nothingSeen();
  const told: string[] = [];
  await using api = await scriptedApi((request, index) => {
    const sent = seenRequest(request, index, home);
    seen.requests.push(sent);
    const reply = model(sent);
    if (scenario.structured && "text" in reply) return structured(JSON.parse(reply.text), index);
    return contentOf(reply, index);
  }, scenario.usage && { input_tokens: 0, output_tokens: 0 });
  const abortController = new AbortController();
  signal?.addEventListener("abort", () => abortController.abort());
  const options: Options = {
    ...offline(
      api.url,
      home,
      (id, hasSignal) => {
        seen.executed.push(id);
        told.push(`call ${id} ${hasSignal ? "with" : "without"} a signal`);
        return onExecute?.(id);
      },
      onSubmit &&
        ((found) => {
          onSubmit(found);
          seen.submitted.push(found);
        }),
    ),
    ...approvals(scenario.tool),
    ...(scenario.structured && { outputFormat: FOUND }),
    ...(scenario.endsAfterCalls && { maxTurns: 1 }),
    ...(signal && { abortController }),
    hooks: ownHooks(told),
    includePartialMessages: streaming,
  };
  const limited = limitQuery(query, withProgramName(limits));
  const messages: SDKMessage[] = [];

  async function read(run: LimitedQuery | Query, onResult = () => {}): Promise<void> {
    let results = 0;
    if ("limits" in run) onControl?.(run.limits);
    try {
      for await (const message of run) {
        messages.push(message);
        if (message.type !== "result") continue;
        results += 1;
        seen.outcomes.push(withContractName(limited.outcomeOf(message)));
        seen.answer = message.subtype === "success" ? withoutPort(message.result) : undefined;
        onResult();
      }
    } catch (error) {
      seen.error = isLimitExceeded(error) ? errorWithContractName(error) : withoutPort(String(error));
    }
    if (results === 0) seen.outcomes.push(withContractName(limited.outcomeOf(run)));
  }

  const start = scenario.ungoverned ? query : limited;
  if (streaming) {
    let next = () => {};
    async function* given(): AsyncGenerator<SDKUserMessage, void> {
      for (let prompt = 0; prompt < prompts; prompt += 1) {
        const settled = new Promise<void>((resolve) => {
          next = resolve;
        });
        yield user("go");
        await settled;
      }
    }
    await read(start({ prompt: given(), options }), () => next());
  } else {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      const resume = messages.at(-1)?.session_id;
      await read(start({ prompt: "go", options: { ...options, ...(resume && { resume }) } }));
    }
  }
  seen.orphans = orphansIn(messages);
  // Calls run side by side, and messages come beside hooks: in which order is not the same every time.
  seen.callbacks = [...told.sort(), ...messages.map(kindOfMessage)];
  return seen;
}

/** The caller's own hooks, which do nothing but write down that they were called. */
function ownHooks(told: string[]): NonNullable<Options["hooks"]> {
  const events = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"] as const;
  return Object.fromEntries(
    events.map((event) => {
      const hook: HookCallback = async (input) => {
        told.push("tool_use_id" in input ? `${event} ${input.tool_use_id}` : event);
        return {};
      };
      return [event, [{ hooks: [hook] }]];
    }),
  );
}

/** The program names the server when that fails, and its port is never the same. */
function withoutPort(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/, "127.0.0.1");
}

function kindOfMessage(message: SDKMessage): string {
  return "subtype" in message ? `${message.type} ${message.subtype}` : message.type;
}

/** A person approves the calls, in the SDK's own way. */
function approvals(tool: ScriptedTool | undefined): Options {
  const { approve } = tool ?? {};
  if (!approve) return {};
  return {
    allowedTools: [],
    async canUseTool(_tool, input) {
      return approve(String(input.id))
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "No." };
    },
  };
}

/** What the contract wants as a structured answer. */
export const FOUND: NonNullable<Options["outputFormat"]> = {
  type: "json_schema",
  schema: {
    type: "object",
    properties: { found: { type: "string" } },
    required: ["found"],
    additionalProperties: false,
  },
};

/** Several queries of one limited function, at the same time. */
async function playAtOnce(
  { limits, model }: Played,
  contexts: readonly unknown[],
): Promise<(Outcome | undefined)[]> {
  const limited = limitQuery(query, withProgramName(limits));
  const runs = contexts.map((context) =>
    withHome(async (home) => {
      await using api = await scriptedApi((request, index) =>
        contentOf(model(seenRequest(request, index, home)), index),
      );
      const run = limited({ prompt: "go", options: offline(api.url, home, () => {}) }, { context });
      for await (const _ of run);
      return limited.outcomeOf(run);
    }),
  );
  return Promise.all(runs);
}

/** The options with which the main loop can start sub-agents, that have the one tool. */
export const withSubAgents: Options = {
  tools: ["Agent"],
  allowedTools: ["Agent", WORK],
  agents: { worker: { description: "Works.", prompt: "Work.", tools: [WORK] } },
};

/** A call of the main loop that starts a sub-agent. */
export function subAgentCall(id: string) {
  const input = { description: "work", prompt: "work", subagent_type: "worker" };
  return { type: "tool_use" as const, id: `toolu_${id}`, name: "Agent", input };
}

/** Is the request one of the main loop, in a query with sub-agents? */
export function isOfMainLoop({ tools = [] }: ApiRequest): boolean {
  return tools.some(({ name }) => name === "Agent");
}

/** The main loop starts several sub-agents at once. */
function turnsAtOnce(limits: AdapterOptions, count: number) {
  return withHome(async (home) => {
    let begun = 0;
    await using api = await scriptedApi((request, index) => {
      begun = index;
      if (!isOfMainLoop(request)) return [{ type: "text", text: "done" }];
      return Array.from({ length: count - 1 }, (_, n) => subAgentCall(callId(index, n + 1)));
    });
    const options = { ...offline(api.url, home, () => {}), ...withSubAgents };
    const run = limitQuery(query, limits)({ prompt: "go", options });
    for await (const _ of run);
    return { begun, outcome: run.outcome };
  });
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
function playWithSubAgents({ limits, model }: Played): Promise<Observed> {
  return withHome(async (home) => {
    const seen = nothingSeen();
    await using api = await scriptedApi((request, index) => {
      const seenRequest = { index, tools: request.tools?.map(({ name }) => name) ?? [], texts: [] };
      seen.requests.push(seenRequest);
      const reply = model(seenRequest);
      const delegates = "calls" in reply && isOfMainLoop(request);
      return delegates ? [subAgentCall(callId(index, 1))] : contentOf(reply, index);
    });
    const options = { ...offline(api.url, home, () => {}), ...withSubAgents };
    const run = limitQuery(query, limits)({ prompt: "go", options });
    try {
      for await (const message of run) {
        if (message.type === "result" && message.subtype === "success") seen.answer = message.result;
      }
    } catch (error) {
      seen.error = error;
    }
    seen.outcomes.push(run.outcome);
    return seen;
  });
}

/** The program has its own name for the tool `work`. */
function withProgramName({ tools, finalTool, ...limits }: AdapterOptions): AdapterOptions {
  const { work, ...others } = tools ?? {};
  return {
    ...limits,
    tools: { ...others, ...(work !== undefined && { [WORK]: work }) },
    ...(finalTool && { finalTool: SUBMIT }),
  };
}

function withContractName(outcome: Outcome | undefined): Outcome | undefined {
  return outcome?.limit === `tools.${WORK}` ? { ...outcome, limit: "tools.work" } : outcome;
}

function errorWithContractName(error: LimitExceeded): LimitExceeded {
  if (error.limit !== `tools.${WORK}`) return error;
  return new LimitExceeded("tools.work", error.used, error.max);
}

/** Why the program cannot run here, if it cannot. */
export async function whyUnavailable(): Promise<string | undefined> {
  try {
    const { answer, error } = await play({ limits: {}, model: () => ({ text: "ready" }) });
    return answer === "ready" ? undefined : `it answered ${JSON.stringify(answer)}: ${error}`;
  } catch (error) {
    return String(error);
  }
}

const can: Capabilities = {
  ...everything,
  requests: "the program makes requests again, and others of its own, without asking",
  forcedTool: "the program makes the request, and forces no tool",
  forgets: "the program records in its session whatever hooks, prompts or the system prompt tell the model",
  classTools: "a tool is a function that the program calls by its name",
};

/** The Claude Agent SDK. */
export const host: ScriptedHost = {
  name: "turn-limit/claude-agent-sdk",
  can,
  toolName: WORK,
  prices: true,
  play,
  playWithSubAgents,
  playAtOnce,
  turnsAtOnce,
  make: (limits) => limitQuery(query, limits),
};
