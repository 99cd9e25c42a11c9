import { AIMessage, fakeModel, HumanMessage, tool } from "langchain";
import { z } from "zod";
import { ANSWER, type Surroundings } from "./script.ts";

/** A test model of LangChain: it calls the tool three times, then answers. */
function scriptedModel(name: string) {
  const call = [{ name, args: { query: "everything" } }];
  return fakeModel()
    .respondWithTools(call)
    .respondWithTools(call)
    .respondWithTools(call)
    .respond(new AIMessage(ANSWER));
}

export async function surroundings(): Promise<Surroundings> {
  const search = tool(() => "a result", {
    name: "search",
    description: "Searches.",
    schema: z.object({ query: z.string() }),
  });
  return {
    variables: {
      model: scriptedModel("search"),
      leadModel: scriptedModel("research"),
      search,
      tools: [search],
      prompt: new HumanMessage("Find everything."),
    },
  };
}
