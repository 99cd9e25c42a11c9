/** A LangChain agent with limits. The model is scripted and never ends by itself. */
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from "langchain";
import { turnLimitMiddleware } from "turn-limit/langchain";
import { z } from "zod";

const searches = (query: string) => [{ name: "search", args: { query } }];
const model = fakeModel()
  .respondWithTools(searches("everything"))
  .respondWithTools(searches("more of it"))
  .respondWithTools(searches("even more"))
  .respond(new AIMessage("Here is what I found so far."));

const search = tool(({ query }) => `a result for ${query}`, {
  name: "search",
  description: "Searches.",
  schema: z.object({ query: z.string() }),
});

const limits = turnLimitMiddleware({ turns: { max: 3, headless: "synthesize" } });
const agent = createAgent({ model, tools: [search], middleware: [limits] }).withConfig(limits.config);
const result = await agent.invoke({ messages: [new HumanMessage("Find everything.")] });

console.log("answer:", result.messages.at(-1)?.text);
console.log("outcome:", limits.outcomeOf(result)?.kind);
