import { createAgent, HumanMessage, toolStrategy } from "langchain";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type RunInfo, turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import { ScriptedModel, workTool } from "../hosts/langchain.ts";

const go = () => ({ messages: [new HumanMessage("go")] });

test("an agent with limits has the types that it has without, and the outcome", async () => {
  const limits = turnLimitMiddleware({ turns: 1 });
  const agent = createAgent({
    model: new ScriptedModel(() => ({ text: JSON.stringify({ found: "it" }) })),
    tools: [workTool(() => {})],
    middleware: [limits],
    responseFormat: toolStrategy(z.object({ found: z.string() })),
  }).withConfig(limits.config);
  const result = await agent.invoke(go());
  expectTypeOf(result.structuredResponse).toEqualTypeOf<{ found: string }>();
  expectTypeOf(result.turnLimitOutcome).toEqualTypeOf<Outcome | undefined>();
  expectTypeOf(limits.outcomeOf(result)).toEqualTypeOf<Outcome | undefined>();
  // @ts-expect-error It is the limits' own.
  expectTypeOf(result._turnLimitRun);
});

test("misspelt settings are refused", () => {
  // @ts-expect-error It is "turns".
  expect(() => turnLimitMiddleware({ turn: 5 })).toThrow("turn");
  const model = new ScriptedModel(() => ({ text: "done" }));
  // @ts-expect-error It is "tools".
  createAgent({ model, tols: [], middleware: [turnLimitMiddleware()] });
});

test("whoever is asked or told is given the types of it", () => {
  turnLimitMiddleware({
    ask(question, signal, run) {
      expectTypeOf(question.limit).toBeString();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(run).toEqualTypeOf<RunInfo>();
      return true;
    },
    onOutcome(outcome, run) {
      expectTypeOf(outcome).toEqualTypeOf<Outcome>();
      expectTypeOf(run).toEqualTypeOf<RunInfo>();
    },
  });
});
