import { Agent, Runner as HostRunner, type Model, tool, Usage } from "@openai/agents";
import { assistantMessage, functionCall } from "@openai/agents/testing";
import type * as Adapter from "turn-limit/openai-agents";
import { z } from "zod";
import type { Runner } from "./runner.ts";

/** Not the SDK's own scripted model, which keeps every request. */
function scriptedModel(turns: number): { model: Model; requests: () => number } {
  let requests = 0;
  const model: Model = {
    async getResponse() {
      requests += 1;
      const last = requests % turns === 0;
      return {
        usage: new Usage({ inputTokens: 100, outputTokens: 20, totalTokens: 120 }),
        output: [last ? assistantMessage("Done.") : functionCall("work", {}, { callId: `call-${requests}` })],
      };
    },
    getStreamedResponse() {
      throw new Error("The runs are not streamed");
    },
  };
  return { model, requests: () => requests };
}

/** Calls the agent's own methods where turn-limit stands before them, and listens to the same events. */
function hookInto(host: HostRunner, agent: Agent): void {
  host.on("agent_start", () => {});
  host.on("agent_tool_start", () => {});
  const { getEnabledHandoffs, getAllTools, getSystemPrompt, getPrompt } = agent;
  agent.getEnabledHandoffs = (context) => getEnabledHandoffs.call(agent, context);
  agent.getAllTools = (context) => getAllTools.call(agent, context);
  agent.getSystemPrompt = (context) => getSystemPrompt.call(agent, context);
  agent.getPrompt = (context) => getPrompt.call(agent, context);
}

/** `@openai/agents`. The agent and the runner are made once, as people do; `maxTurns: null` is the host's "off". */
export const runner: Runner<typeof Adapter> = {
  framework: "OpenAI Agents",
  entry: "./openai-agents",
  native: "maxTurns: n",
  hooks: "empty listeners and methods",
  // A run of 1,000 turns takes more than ten seconds without any limiter.
  lengths: [10, 200],
  prepare({ turns, limiter, work }, adapter) {
    const worker = tool({
      name: "work",
      description: "Works.",
      parameters: z.object({}),
      execute: work,
    });
    const { model, requests } = scriptedModel(turns);
    const agent = new Agent({ name: "Worker", tools: [worker] });
    const host = new HostRunner({ model, tracingDisabled: true });
    const limits = limiter === "ours" ? adapter.limitRuns({ turns, steps: turns }, host) : undefined;
    if (limiter === "hooks") hookInto(host, agent);
    const maxTurns = limiter === "native" ? turns : null;
    return async () => {
      const before = requests();
      await (limits ? limits.run(agent, "go") : host.run(agent, "go", { maxTurns }));
      return requests() - before;
    };
  },
};
