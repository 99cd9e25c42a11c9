import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type Model,
  type ModelRequest,
  type RunContext,
  Runner,
  type RunState,
  retryPolicies,
  tool,
  Usage,
} from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { z } from "zod";
import { limitRuns } from "../../src/adapters/openai-agents.ts";
import type { Outcome } from "../../src/governor/outcome.ts";
import {
  callId,
  everything,
  type ModelReply,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

/** The host's own test model, with a script that is written request by request. */
export function scripted(reply: (request: SeenRequest) => ModelReply, requests: SeenRequest[]): Model {
  const next = async (request: ModelRequest): Promise<ScriptedModel> => {
    request.signal?.throwIfAborted();
    const seen: SeenRequest = {
      index: requests.length + 1,
      tools: request.tools.map(({ name }) => name),
      texts: [request.systemInstructions ?? "", ...textsOf(request.input)],
    };
    requests.push(seen);
    const said = reply(seen);
    if ("stalls" in said) await stalled(request.signal);
    if ("fails" in said || "stalls" in said) throw Object.assign(new Error("overloaded"), { status: 503 });
    const usage = new Usage({ inputTokens: 100, outputTokens: 20, totalTokens: 120 });
    if ("text" in said) return new ScriptedModel([{ usage, output: [assistantMessage(said.text)] }]);
    const calls = Array.from({ length: said.calls }, (_, n) => callId(seen.index, n + 1));
    const output = calls.map((id) => functionCall("work", { id: said.same ?? id }, { callId: id }));
    return new ScriptedModel([{ usage, output }]);
  };
  return {
    getResponse: async (request) => (await next(request)).getResponse(request),
    async *getStreamedResponse(request) {
      yield* (await next(request)).getStreamedResponse(request);
    },
  };
}

function stalled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** A runner that retries what the host calls retryable, at once, and traces nothing. */
export function quickRunner(model: Model): Runner {
  const retry = { maxRetries: 2, policy: retryPolicies.httpStatus([503]), backoff: { initialDelayMs: 0 } };
  return new Runner({ model, tracingDisabled: true, modelSettings: { retry } });
}

/** Calls without a result. */
export function orphansIn(items: AgentInputItem[]): number {
  const answered = new Set(
    items.map((item) => (item.type === "function_call_result" ? item.callId : undefined)),
  );
  return items.filter((item) => item.type === "function_call" && !answered.has(item.callId)).length;
}

/** What the caller of a run that threw still gets: the state that the error carries. */
export function historyOf(error: unknown): AgentInputItem[] {
  const { state } = error as { state?: RunState<unknown, Agent> };
  return state?.history ?? [];
}

async function play({
  limits,
  model,
  streaming,
  signal,
  prompts = 1,
  onExecute,
}: Scenario): Promise<Observed> {
  const requests: SeenRequest[] = [];
  const executed: string[] = [];
  const work = tool({
    name: "work",
    description: "Works.",
    parameters: z.object({ id: z.string() }),
    async execute({ id }) {
      executed.push(id);
      const result = await onExecute?.(id);
      return typeof result === "string" ? result : "done";
    },
  });
  const agent = new Agent({ name: "Worker", tools: [work] });
  const governed = limitRuns(limits, quickRunner(scripted(model, requests)));
  const session = new MemorySession();
  const options = { session, ...(signal && { signal }) };
  const outcomes: (Outcome | undefined)[] = [];
  let answer: string | undefined;
  let error: unknown;
  let orphans = 0;

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      const result = streaming
        ? await governed.run(agent, "go", { ...options, stream: true })
        : await governed.run(agent, "go", options);
      if ("completed" in result) await result.completed;
      outcomes.push(result.outcome);
      const cancelled = "cancelled" in result && result.cancelled;
      answer = cancelled ? undefined : result.finalOutput || undefined;
      orphans += orphansIn(result.history);
    } catch (thrown) {
      error = thrown;
      outcomes.push(governed.outcome);
      orphans += orphansIn(historyOf(thrown));
    }
  }
  orphans += orphansIn(await session.getItems());
  return { requests, executed, orphans, answer, outcomes, error, callbacks: [] };
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits, model }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitRuns(limits, quickRunner(scripted(model, seen.requests)));
  const worker = (work: (context: RunContext | undefined) => unknown) => {
    const parameters = z.object({ id: z.string() });
    const execute = async (_: unknown, context?: RunContext) => String(await work(context));
    return new Agent({
      name: "Worker",
      tools: [tool({ name: "work", description: "Works.", parameters, execute })],
    });
  };
  const delegate = async (context: RunContext | undefined) =>
    (
      await governed.run(
        worker(() => "done"),
        "help",
        context && { context },
      )
    ).finalOutput;
  try {
    seen.answer = (await governed.run(worker(delegate), "go")).finalOutput;
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(governed.outcome);
  return seen;
}

function textsOf(input: ModelRequest["input"]): string[] {
  if (typeof input === "string") return [input];
  return input.flatMap((item) => {
    if ("content" in item && typeof item.content === "string") return [item.content];
    return [JSON.stringify("content" in item ? item.content : "output" in item ? item.output : "")];
  });
}

const NOT_YET = "not yet";
const notYet = {
  classTools: NOT_YET,
  approvals: NOT_YET,
  structured: NOT_YET,
  transparent: NOT_YET,
  runsAtOnce: NOT_YET,
};

/** Runs of `@openai/agents`. */
export const host: ScriptedHost = {
  name: "turn-limit/openai-agents",
  can: { ...everything, ...notYet, configure: "the governor comes with the result" },
  play,
  playWithSubAgents,
  make: limitRuns,
};
