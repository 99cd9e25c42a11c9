import { Agent, type AgentMessage, type AgentTool } from "@earendil-works/pi-agent-core";
import {
  type AssistantMessage,
  type FauxResponseFactory,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  getCurrentTools,
  getSystemMessageText,
  type Message,
  type TranscriptContext,
  Type,
} from "@earendil-works/pi-ai";
import { limitAgent } from "../../src/adapters/pi-agent-core/index.ts";
import {
  callsOf,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

const RETRIES = 2;

/** An agent of pi-agent-core with the faux provider of pi-ai. Retrying is the caller's, with `continue()`. */
async function play({ limits, streaming, signal, prompts = 1, ...scenario }: Scenario): Promise<Observed> {
  const seen = nothingSeen();
  const { classBased = false, approve } = scenario.tool ?? {};
  const whose = (signal: AbortSignal | undefined) => (signal === agent.signal ? "the agent's" : "another");
  const agent = scriptedAgent({
    model: (context, signal) => {
      seen.callbacks.push(`request with ${whose(signal)} signal`);
      return answerTo(context, seen.requests, scenario.model, signal);
    },
    execute: (id, signal) => {
      seen.callbacks.push(`call with ${whose(signal)} signal`);
      seen.executed.push(id);
      return scenario.onExecute?.(id, signal);
    },
    ...(scenario.onSubmit && {
      submit: (found: string) => {
        scenario.onSubmit?.(found);
        seen.submitted.push(found);
      },
    }),
    classBased,
    ...(scenario.usage && { usage: { ...USAGE, input: 0, output: 0, totalTokens: 0 } }),
  });
  // The host has no other way to ask a person.
  if (approve) agent.beforeToolCall = async ({ args }) => ({ block: !approve((args as { id: string }).id) });
  if (scenario.endsAfterCalls) agent.finishTurn = async () => ({ action: "end" });
  const streamed = watch(agent);
  agent.subscribe(({ type }) => {
    // In how many pieces the faux provider streams an answer is chance.
    if (type !== "message_update") seen.callbacks.push(type);
  });
  const governed = scenario.ungoverned ? undefined : limitAgent(agent, limits);
  if (governed) scenario.onControl?.(governed);
  signal?.addEventListener("abort", () => agent.abort());

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      await agent.prompt("go");
      for (let retry = 0; retry < RETRIES && failed(agent); retry += 1) {
        agent.state.messages.pop();
        await agent.continue();
      }
    } catch (error) {
      seen.error = error;
    }
    seen.outcomes.push(governed?.outcomeOf(agent));
  }
  const messages = streaming ? streamed.messages : agent.state.messages;
  seen.orphans = orphansIn(messages);
  seen.answer = streaming ? streamed.text : finalText(messages);
  return seen;
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits, model }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const worker = (execute: () => unknown) =>
    scriptedAgent({
      model: (context, signal) => answerTo(context, seen.requests, model, signal),
      execute,
    });
  const agent = worker(() => {
    const subAgent = worker(() => {});
    return governed.subAgent(subAgent).prompt("help");
  });
  const governed = limitAgent(agent, limits);
  try {
    await agent.prompt("go");
  } catch (error) {
    seen.error = error;
  }
  seen.answer = finalText(agent.state.messages);
  seen.outcomes.push(governed.outcome);
  return seen;
}

/** What each answer takes, and what a model without a price says that it cost. */
export const USAGE: AssistantMessage["usage"] = {
  input: 100,
  output: 20,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 120,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

type Answer = AssistantMessage | Promise<AssistantMessage>;

/** An agent with the tool `work`, whose model never runs out of answers. */
export function scriptedAgent({
  model,
  execute,
  submit,
  usage = USAGE,
  classBased = false,
}: {
  model: (context: TranscriptContext, signal: AbortSignal | undefined) => Answer;
  execute: Execute;
  submit?: (found: string) => void;
  usage?: AssistantMessage["usage"];
  /** Is the tool an object of a class? */
  classBased?: boolean;
}): Agent {
  const faux = fauxProvider();
  const answer: FauxResponseFactory = (context, options) => {
    faux.appendResponses([answer]);
    return model(context, options?.signal);
  };
  faux.setResponses([answer]);
  const work = classBased ? new WorkTool(execute) : workTool(execute);
  return new Agent({
    initialState: {
      systemPrompt: "You work.",
      model: faux.getModel(),
      tools: submit ? [work, submitTool(submit)] : [work],
    },
    streamFn: (...given) => {
      const stream = faux.provider.streamSimple(...given);
      const result = stream.result.bind(stream);
      // The faux provider estimates the usage by the conversation, so that no two answers take the same.
      stream.result = async () => {
        const message = await result();
        return message.stopReason === "error" ? message : { ...message, usage };
      };
      return stream;
    },
  });
}

type Execute = (id: string, signal: AbortSignal | undefined) => unknown;

const parameters = Type.Object({ id: Type.String() });

function workTool(execute: Execute): AgentTool<typeof parameters> {
  return {
    name: "work",
    label: "Work",
    description: "Does a bit of work",
    parameters,
    execute: async (_callId, { id }, signal) => {
      const result = await execute(id, signal);
      const text = typeof result === "string" ? result : "done";
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

/** The tool with which the agent gives its answer. */
function submitTool(submit: (found: string) => void): AgentTool {
  const found = Type.Object({ found: Type.String() });
  const tool: AgentTool<typeof found> = {
    name: "submit",
    label: "Submit",
    description: "Gives the answer",
    parameters: found,
    execute: async (_callId, { found: answer }) => {
      submit(answer);
      return { content: [{ type: "text", text: "accepted" }], details: {} };
    },
  };
  return tool as AgentTool;
}

/** A tool whose members are on its prototype, and need a private one. */
class WorkTool implements AgentTool {
  readonly #tool: AgentTool;

  constructor(execute: Execute) {
    this.#tool = workTool(execute);
  }
  get name() {
    return this.#tool.name;
  }
  get label() {
    return this.#tool.label;
  }
  get description() {
    return this.#tool.description;
  }
  get parameters() {
    return this.#tool.parameters;
  }
  prepareArguments(args: unknown) {
    return this.#tool.prepareArguments?.(args) ?? args;
  }
  execute(...given: Parameters<AgentTool["execute"]>) {
    return this.#tool.execute(...given);
  }
}

/** Notes the request, and answers it as the script says. */
export function answerTo(
  { messages }: TranscriptContext,
  requests: SeenRequest[],
  model: Scenario["model"],
  signal?: AbortSignal,
): Answer {
  const tools = getCurrentTools(messages).map(({ name }) => name);
  const request: SeenRequest = { index: requests.length + 1, tools, texts: messages.map(textOf) };
  requests.push(request);
  const reply = model(request, signal);
  if ("fails" in reply) throw new Error("overloaded");
  if ("stalls" in reply) return stalled(signal);
  if ("text" in reply) return fauxAssistantMessage(reply.text);
  const calls = callsOf(reply, request.index).map(({ id, tool, args }) =>
    fauxToolCall(tool, { ...args }, { id }),
  );
  return fauxAssistantMessage(calls, { stopReason: "toolUse" });
}

function stalled(signal: AbortSignal | undefined): Promise<AssistantMessage> {
  return new Promise((resolve) =>
    signal?.addEventListener("abort", () => resolve(fauxAssistantMessage("", { stopReason: "aborted" }))),
  );
}

/** Did the last request fail, so that it can be made again? */
export function failed(agent: Agent): boolean {
  const last = agent.state.messages.at(-1);
  return last?.role === "assistant" && last.stopReason === "error";
}

/** Calls of the transcript without a result. */
export function orphansIn(messages: readonly AgentMessage[]): number {
  const answered = new Set(messages.map((message) => message.role === "toolResult" && message.toolCallId));
  return messages
    .flatMap((message) => (message.role === "assistant" ? message.content : []))
    .filter((part) => part.type === "toolCall" && !answered.has(part.id)).length;
}

/** The text of the last message, if it is a model's answer. */
export function finalText(messages: readonly AgentMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" ? textOf(last) || undefined : undefined;
}

function textOf(message: Message): string {
  if (message.role === "system") return getSystemMessageText(message);
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The transcript, and the text of the last answer, as they are streamed. */
function watch(agent: Agent): { messages: AgentMessage[]; text: string | undefined } {
  const streamed = { messages: [] as AgentMessage[], text: undefined as string | undefined };
  agent.subscribe((event) => {
    if (event.type === "message_start") streamed.text = undefined;
    if (event.type === "message_end") streamed.messages.push(event.message);
    if (event.type !== "message_update" || event.assistantMessageEvent.type !== "text_delta") return;
    streamed.text = (streamed.text ?? "") + event.assistantMessageEvent.delta;
  });
  return streamed;
}

/** pi-agent-core. */
export const host: ScriptedHost = {
  name: "turn-limit/pi-agent-core",
  can: {
    ...everything,
    structured: "the host has no structured output",
    forcedTool: "the host can make a model call no tool of a name",
    runsAtOnce: "an agent works for one prompt at a time",
  },
  play,
  playWithSubAgents,
  make: (limits) =>
    limitAgent(scriptedAgent({ model: () => fauxAssistantMessage(""), execute() {} }), limits),
};
