import { Agent, type AgentConfig } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { limitAgent, type RunInfo } from "../../src/adapters/mastra/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";

const schema = z.object({ found: z.string() });
const limits = limitAgent({ turns: 5 });
declare const agent: Agent;

// Nothing of this runs: it is the compiler that tests it.
const compiled = (_: () => unknown) => {};

describe("options() has the host's own types", () => {
  test("an answer with a schema has the type of the schema", () => {
    compiled(async () => {
      const options = limits.options({ structuredOutput: { schema } });
      expectTypeOf((await agent.generate("go", options)).object).toEqualTypeOf<{ found: string }>();
      const { object } = await agent.generate("go", limits.options({ structuredOutput: { schema } }));
      expectTypeOf(object).toEqualTypeOf<{ found: string }>();
      const stream = await agent.stream("go", limits.options({ structuredOutput: { schema }, maxSteps: 3 }));
      expectTypeOf(await stream.object).toEqualTypeOf<{ found: string }>();
      const nested = limits.subAgent(new RequestContext(), { structuredOutput: { schema } });
      expectTypeOf((await agent.generate("go", nested)).object).toEqualTypeOf<{ found: string }>();
    });
  });

  test("an answer without one is what it is without limits", () => {
    compiled(async () => {
      const alone = await agent.generate("go", {});
      expectTypeOf(await agent.generate("go", limits.options())).toEqualTypeOf(alone);
      expectTypeOf(await agent.generate("go", limits.options({ maxSteps: 3 }))).toEqualTypeOf(alone);
      const stream = await agent.stream("go", {});
      expectTypeOf(await agent.stream("go", limits.options())).toEqualTypeOf(stream);
    });
  });

  test("what is added to them is inferred as without limits", () => {
    compiled(async () => {
      const structuredOutput = { schema };
      const alone = await agent.generate("go", { structuredOutput });
      expectTypeOf(alone.object).toEqualTypeOf<{ found: string }>();
      expectTypeOf(await agent.generate("go", { ...limits.options(), structuredOutput })).toEqualTypeOf(
        alone,
      );
      const some = limits.options({ maxSteps: 3, prepareStep: () => undefined });
      expectTypeOf(await agent.generate("go", { ...some, structuredOutput })).toEqualTypeOf(alone);
      const nested = limits.subAgent(undefined);
      expectTypeOf(await agent.generate("go", { ...nested, structuredOutput })).toEqualTypeOf(alone);
      const stream = await agent.stream("go", { structuredOutput });
      expectTypeOf(await agent.stream("go", { ...limits.options(), structuredOutput })).toEqualTypeOf(stream);
      const onFinish = ({ object }: { object?: { found: string } | undefined }) => void object;
      expectTypeOf(
        await agent.generate("go", { ...limits.options(), structuredOutput, onFinish }),
      ).toEqualTypeOf(alone);
    });
  });

  test("callbacks know what they are given", () => {
    compiled(() =>
      limits.options({
        prepareStep: ({ stepNumber }) => void expectTypeOf(stepNumber).toBeNumber(),
        onStepFinish: ({ finishReason }) => void expectTypeOf(finishReason).not.toBeAny(),
        onFinish: (result) => void expectTypeOf(result).not.toBeAny(),
        onChunk: (chunk) => void expectTypeOf(chunk).not.toBeAny(),
        onError: ({ error }) => void expectTypeOf(error).toEqualTypeOf<string | Error>(),
        onIterationComplete: ({ iteration }) => void expectTypeOf(iteration).toBeNumber(),
      }),
    );
    compiled(() =>
      limits.options({
        structuredOutput: { schema },
        onFinish: ({ object }) => void expectTypeOf(object).toEqualTypeOf<{ found: string } | undefined>(),
      }),
    );
  });

  test("what the host does not know is refused", () => {
    // @ts-expect-error: it is called maxSteps.
    compiled(() => limits.options({ maxStep: 3 }));
    // @ts-expect-error: it is called onStepFinish.
    compiled(() => limits.options({ structuredOutput: { schema }, onStepFinished: () => {} }));
    // @ts-expect-error: a number.
    compiled(() => limits.options({ maxSteps: "3" }));
    // @ts-expect-error: it is called maxSteps.
    compiled(() => limits.subAgent(undefined, { maxStep: 3 }));
  });

  test("they can be an agent's default options, and resume a run", () => {
    compiled(() => {
      const config: Omit<AgentConfig, "defaultOptions"> = {
        id: "worker",
        name: "worker",
        instructions: "You work.",
        model: "openai/gpt-5",
      };
      new Agent({ ...config, defaultOptions: limits.options() });
      new Agent({ ...config, defaultOptions: () => limits.options({ maxSteps: 3 }) });
      return [
        agent.approveToolCall({ ...limits.options(), runId: "1" }),
        agent.declineToolCallGenerate({ ...limits.options(), runId: "1" }),
        agent.resumeStream({ approved: true }, { ...limits.options(), runId: "1" }),
      ];
    });
  });
});

test("outcomes and runs have their types", () => {
  expectTypeOf(limits.outcome).toEqualTypeOf<Outcome | undefined>();
  expectTypeOf(limits.outcomeOf).returns.toEqualTypeOf<Outcome | undefined>();
  compiled(() =>
    limitAgent({
      ask: (_question, _signal, run) => {
        expectTypeOf(run).toEqualTypeOf<RunInfo>();
        return true;
      },
    }),
  );
});
