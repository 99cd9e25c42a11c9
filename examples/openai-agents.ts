/** An agent of `@openai/agents` with limits. The model is scripted and never ends by itself. */
import { Agent, type ModelRequest, Runner, tool } from "@openai/agents";
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from "@openai/agents/testing";
import { limitRuns } from "turn-limit/openai-agents";
import { z } from "zod";

let searches = 0;
const answer = ({ tools }: Readonly<ModelRequest>) =>
  tools.length > 0
    ? [functionCall("search", { query: "more" }, { callId: `call-${++searches}` })]
    : [assistantMessage("Here is what I found so far.")];
const model = new ScriptedModel(
  Array.from({ length: 5 }, () => modelResponder(({ request }) => answer(request))),
);

const search = tool({
  name: "search",
  description: "Searches.",
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => `${query}: a result`,
});
const agent = new Agent({ name: "Researcher", model, tools: [search] });

const limits = limitRuns(
  { turns: 25, steps: { max: 3, onExhausted: "synthesize" } },
  new Runner({ tracingDisabled: true }),
);
const result = await limits.run(agent, "Find everything.");

console.log("answer:", result.finalOutput);
console.log("outcome:", result.outcome?.kind);
