import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import {
  type AssistantMessage,
  createAssistantMessageEventStream,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  Type,
} from "@earendil-works/pi-ai";
import type * as Adapter from "turn-limit/pi-agent-core";
import type { Runner, Work } from "./runner.ts";

const parameters = Type.Object({});
const model = fauxProvider().getModel();

function toolFor(work: Work): AgentTool<typeof parameters> {
  return {
    name: "work",
    label: "Work",
    description: "Works",
    parameters,
    execute: async () => ({ content: [{ type: "text", text: await work() }], details: {} }),
  };
}

// Not the stream of the faux provider: to estimate the usage it goes over the whole conversation for every answer.
function streamed(message: AssistantMessage, reason: "stop" | "toolUse") {
  const stream = createAssistantMessageEventStream();
  stream.push({ type: "start", partial: { ...message, content: [] } });
  stream.push({ type: "done", reason, message });
  stream.end(message);
  return stream;
}

/** Puts a hook wherever turn-limit has one. None of them does anything. */
function hookInto(agent: Agent): void {
  const { convertToLlm, streamFunction } = agent;
  agent.convertToLlm = (messages) => convertToLlm(messages);
  agent.streamFunction = (model, context, options) => streamFunction(model, context, options);
  agent.finishTurn = () => undefined;
  agent.prepareRequest = () => undefined;
  agent.beforeToolCall = async () => undefined;
  agent.subscribe(() => {});
}

/** pi-agent-core, which has no limiter of its own. */
export const runner: Runner<typeof Adapter> = {
  framework: "pi-agent-core",
  entry: "./pi-agent-core",
  hooks: "empty hooks",
  seen: true,
  lengths: [10, 1_000],
  prepare:
    ({ turns, limiter, work, listed }, adapter) =>
    async () => {
      let requests = 0;
      const agent = new Agent({
        initialState: { systemPrompt: "You work.", model, tools: [toolFor(work)] },
        streamFn: () => {
          requests += 1;
          if (requests >= turns) return streamed(fauxAssistantMessage("Done."), "stop");
          const call = fauxToolCall("work", {}, { id: `call-${requests}` });
          return streamed(fauxAssistantMessage(call, { stopReason: "toolUse" }), "toolUse");
        },
      });
      if (limiter === "hooks") hookInto(agent);
      if (limiter === "ours") adapter.limitAgent(agent, { turns, steps: turns, ...listed });
      await agent.prompt("go");
      return requests;
    },
};
