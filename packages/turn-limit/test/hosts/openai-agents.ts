import {
  Agent,
  type AgentInputItem,
  type FunctionTool,
  MemorySession,
  type Model,
  type ModelRequest,
  type RunContext,
  Runner,
  type RunState,
  type RunToolApprovalItem,
  retryPolicies,
  tool,
  Usage,
} from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { z } from "zod";
import { limitRuns } from "../../src/adapters/openai-agents/index.ts";
import {
  callsOf,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type ScriptedTool,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

/** The host's own test model, with a script that is written request by request. */
export function scripted(
  reply: Scenario["model"],
  requests: SeenRequest[],
  onRequest: (request: ModelRequest) => void = () => {},
  reported?: Scenario["usage"],
): Model {
  const next = async (request: ModelRequest): Promise<ScriptedModel> => {
    request.signal?.throwIfAborted();
    onRequest(request);
    const seen: SeenRequest = {
      index: requests.length + 1,
      tools: request.tools.map(({ name }) => name),
      forced: request.modelSettings.toolChoice,
      texts: [request.systemInstructions ?? "", ...textsOf(request.input)],
    };
    requests.push(seen);
    const said = reply(seen, request.signal);
    if ("stalls" in said) await stalled(request.signal);
    if ("fails" in said || "stalls" in said) throw Object.assign(new Error("overloaded"), { status: 503 });
    const took = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
    const nothing = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const usage = new Usage(reported === "none" ? undefined : reported === "zero" ? nothing : took);
    if ("text" in said) return new ScriptedModel([{ usage, output: [assistantMessage(said.text)] }]);
    const output = callsOf(said, seen.index).map(({ id, tool, args }) => {
      // An agent that is given as a tool takes an `input`.
      const given = tool === "work" ? { ...args, input: "help" } : args;
      return functionCall(tool, { ...given }, { callId: id });
    });
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

const parameters = z.object({ id: z.string() });

/** The tool `work`, as the scenario wants it. */
export function workTool(
  { classBased = false, approve }: ScriptedTool,
  execute: (id: string, signal: AbortSignal | undefined) => Promise<string>,
): FunctionTool {
  const work = tool({
    name: "work",
    description: "Works.",
    parameters,
    needsApproval: approve !== undefined,
    execute: ({ id }, _context, details) => execute(id, details?.signal),
  }) as unknown as FunctionTool;
  return classBased ? new WorkTool(work) : work;
}

/** A tool whose members are on its prototype, and need a private one. */
class WorkTool implements FunctionTool {
  readonly #tool: FunctionTool;
  readonly type = "function";

  constructor(tool: FunctionTool) {
    this.#tool = tool;
  }
  get name() {
    return this.#tool.name;
  }
  get description() {
    return this.#tool.description;
  }
  get parameters() {
    return this.#tool.parameters;
  }
  get strict() {
    return this.#tool.strict;
  }
  invoke(...given: Parameters<FunctionTool["invoke"]>) {
    return this.#tool.invoke(...given);
  }
  needsApproval(...given: Parameters<FunctionTool["needsApproval"]>) {
    return this.#tool.needsApproval(...given);
  }
  // The host calls this one on nothing.
  async isEnabled() {
    return true;
  }
}

/** Notes what the hooks of a runner are told. */
function logHooks(runner: Runner, log: string[]): void {
  runner.on("agent_start", (_context, agent) => void log.push(`start ${agent.name}`));
  runner.on("agent_end", (_context, _agent, output) => void log.push(`end ${output}`));
  runner.on("agent_tool_start", (_context, _agent, { name }) => void log.push(`tool start ${name}`));
  runner.on(
    "agent_tool_end",
    (_context, _agent, { name }, result) => void log.push(`tool end ${name} ${result}`),
  );
}

function idOf({ rawItem }: RunToolApprovalItem): string {
  return JSON.parse("arguments" in rawItem ? (rawItem.arguments ?? "") : "").id;
}

async function play(scenario: Scenario): Promise<Observed> {
  const { limits, streaming, signal, prompts = 1, onExecute, onSubmit, structured } = scenario;
  const made = scenario.tool ?? {};
  const seen = nothingSeen();
  const { callbacks } = seen;
  const work = workTool(made, async (id, signal) => {
    callbacks.push(`call ${signal ? "with" : "without"} a signal`);
    seen.executed.push(id);
    const result = await onExecute?.(id, signal);
    return typeof result === "string" ? result : "done";
  });
  const submit = tool({
    name: "submit",
    description: "Gives the answer.",
    parameters: found,
    execute: async ({ found: answer }) => {
      onSubmit?.(answer);
      seen.submitted.push(answer);
      return "accepted";
    },
  });
  const agent = new Agent<unknown, "text" | typeof found>({
    name: "Worker",
    tools: onSubmit ? [work, submit] : [work],
    outputType: structured ? found : "text",
    ...(scenario.endsAfterCalls && { toolUseBehavior: { stopAtToolNames: ["work"] } }),
  });
  const model = scripted(
    scenario.model,
    seen.requests,
    ({ signal }) => {
      callbacks.push(`request ${signal ? "with" : "without"} a signal`);
    },
    scenario.usage,
  );
  const runner = quickRunner(model);
  logHooks(runner, callbacks);
  const governed = limitRuns(scenario.ungoverned ? {} : limits, runner);
  const runs: Pick<Runner, "run"> = scenario.ungoverned ? runner : governed;
  const session = new MemorySession();
  const options = {
    session,
    ...(signal && { signal }),
    ...(scenario.ungoverned && { maxTurns: null }),
    toolErrorFormatter: ({ kind, defaultMessage }: { kind: string; defaultMessage: string }) => {
      callbacks.push(kind);
      return defaultMessage;
    },
  };

  async function run(input: "go" | RunState<unknown, typeof agent>) {
    const result = streaming
      ? await runs.run(agent, input, { ...options, stream: true })
      : await runs.run(agent, input, options);
    if ("completed" in result) await result.completed;
    return result;
  }

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      let result = await run("go");
      while (result.interruptions.length > 0) {
        for (const call of result.interruptions) {
          if (made.approve?.(idOf(call))) result.state.approve(call);
          else result.state.reject(call);
        }
        result = await run(result.state);
      }
      seen.outcomes.push(governed.outcomeOf(result));
      const cancelled = "cancelled" in result && result.cancelled;
      seen.answer = cancelled ? undefined : textOf(result.finalOutput);
      seen.orphans += orphansIn(result.history);
    } catch (thrown) {
      seen.error = thrown;
      seen.outcomes.push(governed.outcome);
      seen.orphans += orphansIn(historyOf(thrown));
    }
  }
  seen.orphans += orphansIn(await session.getItems());
  return seen;
}

function textOf(output: unknown): string | undefined {
  return typeof output === "object" ? JSON.stringify(output) : String(output ?? "") || undefined;
}

const found = z.object({ found: z.string() });

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits, model }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitRuns(limits, quickRunner(scripted(model, seen.requests)));
  const worker = (work: (context: RunContext | undefined) => unknown) => {
    const execute = async (_: unknown, context?: RunContext) => String(await work(context));
    return new Agent({
      name: "Worker",
      tools: [tool({ name: "work", description: "Works.", parameters, execute })],
    });
  };
  const helper = worker(() => "done");
  const delegate = async (context: RunContext | undefined) =>
    (await governed.subAgent(context, helper, "help")).finalOutput;
  try {
    seen.answer = (await governed.run(worker(delegate), "go")).finalOutput;
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(governed.outcome);
  return seen;
}

/** Several runs of one agent. */
async function playAtOnce({ limits, model }: Played, contexts: readonly { readonly name: string }[]) {
  const governed = limitRuns(limits, quickRunner(scripted(model, [])));
  const agent = new Agent({ name: "Worker", tools: [workTool({}, async () => "done")] });
  const results = await Promise.all(contexts.map((context) => governed.run(agent, "go", { context })));
  return results.map((result) => governed.outcomeOf(result));
}

function textsOf(input: ModelRequest["input"]): string[] {
  if (typeof input === "string") return [input];
  return input.flatMap((item) => {
    if ("content" in item && typeof item.content === "string") return [item.content];
    return [JSON.stringify("content" in item ? item.content : "output" in item ? item.output : "")];
  });
}

/** Runs of `@openai/agents`. */
export const host: ScriptedHost = {
  name: "turn-limit/openai-agents",
  can: {
    ...everything,
    configure: "the limits come with the result",
  },
  play,
  playWithSubAgents,
  playAtOnce,
  make: limitRuns,
};
