import { Agent, type ModelRequest, setTracingDisabled, tool } from "@openai/agents";
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from "@openai/agents/testing";
import { z } from "zod";
import { ANSWER, MOST_REQUESTS, type Surroundings, toolToCall } from "./script.ts";

export async function surroundings(): Promise<Surroundings> {
  setTracingDisabled(true);
  const answer = ({ tools }: Readonly<ModelRequest>) => {
    const name = toolToCall(tools.map(({ name }) => name));
    const call = () => functionCall(name ?? "", { query: "everything" }, { callId: crypto.randomUUID() });
    return name ? [call()] : [assistantMessage(ANSWER)];
  };
  const model = new ScriptedModel(
    Array.from({ length: MOST_REQUESTS }, () => modelResponder(({ request }) => answer(request))),
  );
  const search = tool({
    name: "search",
    description: "Searches.",
    parameters: z.object({ query: z.string() }),
    execute: () => "a result",
  });
  const agent = new Agent({ name: "Finder", model, tools: [search] });
  return { variables: { agent, model, search, prompt: "Find everything." } };
}
