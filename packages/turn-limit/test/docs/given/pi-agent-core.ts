import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  getCurrentTools,
  Type,
} from "@earendil-works/pi-ai";
import { ANSWER, MOST_REQUESTS, type Surroundings, toolToCall } from "./script.ts";

export async function surroundings(): Promise<Surroundings> {
  const faux = fauxProvider();
  faux.setResponses(
    Array.from({ length: MOST_REQUESTS }, () => ({ messages }) => {
      const name = toolToCall(getCurrentTools(messages).map(({ name }) => name));
      if (!name) return fauxAssistantMessage(ANSWER);
      return fauxAssistantMessage(fauxToolCall(name, { query: "everything" }), { stopReason: "toolUse" });
    }),
  );
  const search: AgentTool = {
    name: "search",
    label: "Search",
    description: "Searches.",
    parameters: Type.Object({ query: Type.String() }),
    execute: async () => ({ content: [{ type: "text", text: "a result" }], details: {} }),
  };
  const agentWith = (tools: AgentTool[]) =>
    new Agent({
      initialState: { systemPrompt: "You find things.", model: faux.getModel(), tools },
      streamFn: faux.provider.streamSimple,
    });
  return { variables: { agent: agentWith([search]), helper: agentWith([search]), agentWith, Type } };
}
