import { Agent as OpenAIAgent } from "@openai/agents";
import { generateText, isStepCount, jsonSchema, Output, tool } from "ai";
import { createAgent, HumanMessage, providerStrategy, toolStrategy } from "langchain";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { limitToolLoop } from "../../src/adapters/ai-sdk/index.ts";
import { turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import { limitAgent } from "../../src/adapters/mastra/index.ts";
import { limitRuns } from "../../src/adapters/openai-agents/index.ts";
import type { ModelReply, SeenRequest } from "../../src/testing/scripted-host.ts";
import { scriptedModel as aiModel, workTool as aiTool } from "../hosts/ai-sdk.ts";
import { workTool as langchainTool, ScriptedModel } from "../hosts/langchain.ts";
import { answerTo, scriptedModel as mastraModel, scriptedAgent } from "../hosts/mastra.ts";
import { workTool as openaiTool, quickRunner, scripted } from "../hosts/openai-agents.ts";

// What a run returns that a limit ended early has the type, and the value, of one that completed.

const schema = z.object({ found: z.string() });
type Found = z.infer<typeof schema>;
const PARTIAL: Found = { found: "partial" };
const LIMITS = { turns: { max: 1, onExhausted: "synthesize" } } as const;

const model = ({ index }: SeenRequest): ModelReply =>
  index > 1 ? { text: JSON.stringify(PARTIAL) } : { calls: 1 };

test("output of the AI SDK", async () => {
  const limits = limitToolLoop(LIMITS);
  const result = await generateText(
    limits.govern({
      model: aiModel([], model),
      tools: { work: aiTool(() => "done") },
      prompt: "go",
      output: Output.object({ schema }),
    }),
  );
  expectTypeOf(result.output).toEqualTypeOf<Found>();
  expect([result.output, limits.outcomeOf(result)?.kind]).toEqual([PARTIAL, "salvaged"]);
});

test("outputType of OpenAI Agents", async () => {
  const agent = new OpenAIAgent({
    name: "Worker",
    tools: [openaiTool({}, async () => "done")],
    outputType: schema,
  });
  const result = await limitRuns(LIMITS, quickRunner(scripted(model, []))).run(agent, "go");
  expectTypeOf(result.finalOutput).toEqualTypeOf<Found | undefined>();
  expect([result.finalOutput, result.outcome?.kind]).toEqual([PARTIAL, "salvaged"]);
});

test("responseFormat of LangChain, by toolStrategy", async () => {
  const limits = turnLimitMiddleware(LIMITS);
  const agent = createAgent({
    model: new ScriptedModel(model),
    tools: [langchainTool(() => {})],
    middleware: [limits],
    responseFormat: toolStrategy(schema),
  }).withConfig(limits.config);
  const result = await agent.invoke({ messages: [new HumanMessage("go")] });
  expectTypeOf(result.structuredResponse).toEqualTypeOf<Found>();
  expect([result.structuredResponse, limits.outcomeOf(result)?.kind]).toEqual([PARTIAL, "salvaged"]);
});

test("responseFormat of LangChain, by providerStrategy", async () => {
  const limits = turnLimitMiddleware(LIMITS);
  const agent = createAgent({
    model: new ScriptedModel(model),
    tools: [langchainTool(() => {})],
    middleware: [limits],
    responseFormat: providerStrategy(schema),
  }).withConfig(limits.config);
  const result = await agent.invoke({ messages: [new HumanMessage("go")] });
  expectTypeOf(result.structuredResponse).toEqualTypeOf<Found>();
  expect([result.structuredResponse, limits.outcomeOf(result)?.kind]).toEqual([PARTIAL, "salvaged"]);
});

test("LangChain's tool for the form is the one that the model reads of in the last turn", async () => {
  const limits = turnLimitMiddleware(LIMITS);
  const scriptedChat = new ScriptedModel(model);
  const agent = createAgent({
    model: scriptedChat,
    tools: [langchainTool(() => {})],
    middleware: [limits],
    responseFormat: toolStrategy(schema),
  }).withConfig(limits.config);
  await agent.invoke({ messages: [new HumanMessage("go")] });
  const { tools, texts } = scriptedChat.requests.at(-1) as SeenRequest;
  expect(tools).toEqual([expect.stringMatching(/^extract-/)]);
  expect(texts.at(-1)).toContain(`"${tools[0]}" is the only tool that you have left`);
});

test("structuredOutput of Mastra", async () => {
  const limits = limitAgent(LIMITS);
  const requests: SeenRequest[] = [];
  const agent = scriptedAgent({
    model: mastraModel((options) => answerTo(options, requests, model)),
    execute: () => "done",
  });
  const result = await agent.generate("go", limits.options({ structuredOutput: { schema } }));
  expectTypeOf(result.object).toEqualTypeOf<Found>();
  expect([result.object, limits.outcomeOf(result)?.kind]).toEqual([PARTIAL, "salvaged"]);
});

test("a tool of the AI SDK without execute: its call ends the run, as it does without limits", async () => {
  const requests: SeenRequest[] = [];
  const answers = ({ tools }: SeenRequest): ModelReply =>
    tools.includes("work") ? { calls: 1 } : { calls: 0, submits: "partial" };
  const limits = limitToolLoop({ ...LIMITS, finalTool: "submit" });
  const submit = tool({
    inputSchema: jsonSchema<Found>({ type: "object" }),
    outputSchema: jsonSchema<string>({ type: "string" }),
  });
  const result = await generateText(
    limits.govern({
      model: aiModel(requests, answers),
      tools: { work: aiTool(() => "done"), submit },
      prompt: "go",
      stopWhen: isStepCount(9),
    }),
  );
  const call = result.toolCalls.find(({ toolName }) => toolName === "submit");
  expect([requests.length, call?.input, limits.outcomeOf(result)?.kind]).toEqual([2, PARTIAL, "salvaged"]);
});

test("a final tool that the agent does not have is told, and the last turn has no tools", async () => {
  const requests: SeenRequest[] = [];
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const limits = limitToolLoop({ ...LIMITS, finalTool: "sumbit", onWarning });
  await generateText(
    limits.govern({
      model: aiModel(requests, model),
      tools: { work: aiTool(() => "done") },
      prompt: "go",
    }),
  );
  expect(requests.map(({ tools }) => tools)).toEqual([["work"], []]);
  expect(requests.at(-1)?.texts.at(-1)).toContain("you have no tools any more");
  expect(warnings).toEqual([
    'The agent has no tool "sumbit", which is its final tool: its last turn is made without tools.',
  ]);
});

test("a model that thinks is offered the final tool, and is not made to call it", async () => {
  const requests: SeenRequest[] = [];
  const answers = ({ tools }: SeenRequest): ModelReply =>
    tools.includes("work") ? { calls: 1 } : { calls: 0, submits: "partial" };
  const limits = limitToolLoop({ ...LIMITS, finalTool: "submit" });
  await generateText(
    limits.govern({
      model: aiModel(requests, answers),
      tools: { work: aiTool(() => "done"), submit: aiTool(() => "accepted") },
      prompt: "go",
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2_000 } } },
    }),
  );
  expect(requests.map(({ tools, forced }) => [tools, forced])).toEqual([
    [["work", "submit"], undefined],
    [["submit"], undefined],
  ]);
});
