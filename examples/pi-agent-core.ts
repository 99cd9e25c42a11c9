/** An agent of pi-agent-core with limits. The model is scripted and never ends by itself. */
import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  getCurrentTools,
  Type,
} from "@earendil-works/pi-ai";
import { limitAgent } from "turn-limit/pi-agent-core";

const faux = fauxProvider();
faux.setResponses(
  Array.from({ length: 100 }, () => ({ messages }) => {
    if (getCurrentTools(messages).length === 0) return fauxAssistantMessage("Here is what I found so far.");
    return fauxAssistantMessage(fauxToolCall("search", {}), { stopReason: "toolUse" });
  }),
);

const search: AgentTool = {
  name: "search",
  label: "Search",
  description: "Searches",
  parameters: Type.Object({}),
  execute: async () => ({ content: [{ type: "text", text: "a result" }], details: {} }),
};

const agent = new Agent({
  initialState: { systemPrompt: "You find things.", model: faux.getModel(), tools: [search] },
  streamFn: faux.provider.streamSimple,
});
const limits = limitAgent(agent, { turns: 25, steps: { max: 3, onExhausted: "synthesize" } });

await agent.prompt("Find everything.");

const answer = agent.state.messages.at(-1);
const [part] = answer?.role === "assistant" ? answer.content : [];
console.log("answer:", part?.type === "text" && part.text);
console.log("outcome:", limits.outcome?.kind);
