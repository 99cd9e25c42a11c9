import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSdkMcpServer,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { type AdapterOptions, type LimitedQuery, limitQuery } from "../../src/adapters/claude-agent-sdk.ts";
import { isLimitExceeded, LimitExceeded } from "../../src/errors/limit-exceeded.ts";
import type { Outcome } from "../../src/governor/outcome.ts";
import {
  callId,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
} from "../../src/testing/scripted-host.ts";
import {
  type ApiRequest,
  contentOf,
  MODEL,
  scriptedApi,
  seenRequest,
  WORK,
} from "./claude-agent-sdk/scripted-api.ts";

/** The options with which the program runs offline: its own home, the API at `url`, and the one tool. */
export function offline(url: string, home: string, work: (id: string) => unknown): Options {
  const execute = async ({ id }: { id: string }) => {
    const result = await work(id);
    const text = typeof result === "string" ? result : `${id} is done`;
    return { content: [{ type: "text" as const, text }] };
  };
  // Read-only tools run side by side.
  const annotations = { readOnlyHint: true };
  const tools = [tool("work", "Works.", { id: z.string() }, execute, { annotations })];
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
    },
    cwd: home,
    model: MODEL,
    systemPrompt: "Work.",
    settingSources: [],
    tools: [],
    mcpServers: { test: createSdkMcpServer({ name: "test", tools, alwaysLoad: true }) },
    allowedTools: [WORK],
  };
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

async function playIn(
  home: string,
  { limits, model, streaming = false, signal, prompts = 1, onExecute, onGovernor }: Scenario,
): Promise<Observed> {
  const seen = nothingSeen();
  await using api = await scriptedApi((request, index) => {
    const sent = seenRequest(request, index);
    seen.requests.push(sent);
    return contentOf(model(sent), index);
  });
  const abortController = new AbortController();
  signal?.addEventListener("abort", () => abortController.abort());
  const options: Options = {
    ...offline(api.url, home, (id) => {
      seen.executed.push(id);
      return onExecute?.(id);
    }),
    abortController,
    includePartialMessages: streaming,
  };
  const limited = limitQuery(query, withProgramName(limits));
  const messages: SDKMessage[] = [];

  async function read(run: LimitedQuery, onResult = () => {}): Promise<void> {
    let results = 0;
    onGovernor?.(run.governor);
    try {
      for await (const message of run) {
        messages.push(message);
        if (message.type !== "result") continue;
        results += 1;
        seen.outcomes.push(withContractName(message.outcome));
        seen.answer = message.subtype === "success" ? message.result : undefined;
        onResult();
      }
    } catch (error) {
      seen.error = errorWithContractName(error);
    }
    if (results === 0) seen.outcomes.push(withContractName(run.outcome));
  }

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
    await read(limited({ prompt: given(), options }), () => next());
  } else {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      const resume = messages.at(-1)?.session_id;
      await read(limited({ prompt: "go", options: { ...options, ...(resume && { resume }) } }));
    }
  }
  seen.orphans = orphansIn(messages);
  return seen;
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
function withProgramName({ tools, ...limits }: AdapterOptions): AdapterOptions {
  const { work, ...others } = tools ?? {};
  return { ...limits, tools: { ...others, ...(work !== undefined && { [WORK]: work }) } };
}

function withContractName(outcome: Outcome | undefined): Outcome | undefined {
  return outcome?.limit === `tools.${WORK}` ? { ...outcome, limit: "tools.work" } : outcome;
}

function errorWithContractName(error: unknown): unknown {
  if (!isLimitExceeded(error) || error.limit !== `tools.${WORK}`) return error;
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

const NOT_YET = "not yet";
const notYet = {
  forgets: NOT_YET,
  classTools: NOT_YET,
  approvals: NOT_YET,
  structured: NOT_YET,
  transparent: NOT_YET,
  runsAtOnce: NOT_YET,
};

/** The Claude Agent SDK. */
export const host: ScriptedHost = {
  name: "turn-limit/claude-agent-sdk",
  can: { ...everything, ...notYet, ...notYet },
  prices: true,
  play,
  playWithSubAgents,
  turnsAtOnce,
  make: (limits) => limitQuery(query, limits),
};
