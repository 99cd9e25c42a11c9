import { generateText, Output, streamText, ToolLoopAgent, tool } from "ai";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { scripted } from "./settings.ts";

const limits = limitToolLoop();
const { model } = scripted(() => ({ text: "done" })).settings;
const search = tool({
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }) => ({ found: query, pages: 1 }),
});
const signedIn = tool({
  inputSchema: z.object({ query: z.string() }),
  contextSchema: z.object({ key: z.string() }),
  execute: async ({ query }, { context }) => context.key + query,
});
const output = Output.object({ schema: z.object({ found: z.string() }) });

// Checked by the compiler, never run.
const compiles = (_check: () => unknown) => {};

describe("a governed call", () => {
  test("has the SDK's types in its callbacks", () => {
    compiles(() =>
      generateText(
        limits.govern({
          model,
          tools: { search },
          prompt: "go",
          onStart: ({ callId }) => void expectTypeOf(callId).toEqualTypeOf<string>(),
          onStepEnd: (step) => {
            const [call] = step.staticToolCalls;
            if (call) expectTypeOf(call.input).toEqualTypeOf<{ query: string }>();
          },
          prepareStep: ({ steps, messages }) => {
            expectTypeOf(steps.length).toEqualTypeOf<number>();
            return { messages, activeTools: ["search"] };
          },
          repairToolCall: async ({ toolCall, error }) => {
            expectTypeOf(error).toExtend<Error>();
            return toolCall;
          },
          stopWhen: [({ steps }) => steps.length > 3],
          toolApproval: { search: ({ query }) => (query === "" ? "denied" : "approved") },
          onEnd: ({ text, usage }) => {
            expectTypeOf(text).toEqualTypeOf<string>();
            expectTypeOf(usage.inputTokens).toEqualTypeOf<number | undefined>();
          },
        }),
      ),
    );
  });

  test("has the result that it has without limits", () => {
    compiles(async () => {
      const call = { model, tools: { search }, prompt: "go" };
      const plain = await generateText(call);
      const governed = await generateText(limits.govern({ model, tools: { search }, prompt: "go" }));
      expectTypeOf(governed).toEqualTypeOf(plain);
      const [result] = governed.staticToolResults;
      if (result) expectTypeOf(result.output).toEqualTypeOf<{ found: string; pages: number }>();

      expectTypeOf(await generateText(limits.govern({ model, prompt: "go" }))).toEqualTypeOf(
        await generateText({ model, prompt: "go" }),
      );

      const object = await generateText(limits.govern({ model, prompt: "go", output }));
      expectTypeOf(object.output).toEqualTypeOf<{ found: string }>();
    });
  });

  test("has it in a stream, too", () => {
    compiles(async () => {
      const governed = streamText(
        limits.govern({
          model,
          tools: { search },
          messages: [],
          output,
          onChunk: ({ chunk }) => void expectTypeOf(chunk.type).toExtend<string>(),
          onError: ({ error }) => void expectTypeOf(error).toEqualTypeOf<unknown>(),
          onEnd: (end) => void expectTypeOf(end.output).toEqualTypeOf<{ found: string } | undefined>(),
        }),
      );
      expectTypeOf(governed).toEqualTypeOf(streamText({ model, tools: { search }, messages: [], output }));
    });
  });

  test("has its contexts", () => {
    compiles(() =>
      generateText(
        limits.govern({
          model,
          tools: { signedIn },
          toolsContext: { signedIn: { key: "secret" } },
          runtimeContext: { user: "ada" },
          prompt: "go",
          prepareStep: ({ runtimeContext, toolsContext }) => {
            expectTypeOf(runtimeContext).toEqualTypeOf<{ user: string }>();
            expectTypeOf(toolsContext.signedIn).toEqualTypeOf<{ key: string }>();
            return {};
          },
        }),
      ),
    );
  });

  test("can be kept, used for several calls, and given other settings", () => {
    compiles(async () => {
      const call = limits.govern({ model, tools: { search }, prompt: "go" });
      expectTypeOf(await generateText(call)).toEqualTypeOf(
        await generateText({ model, tools: { search }, prompt: "go" }),
      );
      streamText({ ...call, onError: () => {} });
    });
  });

  test("can be made of settings to which the prompt is added later", () => {
    compiles(async () => {
      const agents = limits.govern({ model, tools: { search } });
      const plain = await generateText({ model, tools: { search }, prompt: "go" });
      expectTypeOf(await generateText({ ...agents, prompt: "go" })).toEqualTypeOf(plain);
      const { staticToolResults } = await generateText({ ...agents, prompt: "go" });
      const [result] = staticToolResults;
      if (result) expectTypeOf(result.output).toEqualTypeOf<{ found: string; pages: number }>();
      const streamed = streamText({ ...agents, messages: [], onError: () => {} });
      expectTypeOf(streamed).toEqualTypeOf(streamText({ model, tools: { search }, messages: [] }));
      expectTypeOf(await generateText({ ...agents, prompt: "go", output })).toEqualTypeOf(
        await generateText({ model, tools: { search }, prompt: "go", output }),
      );
    });
  });

  test("is refused where the SDK would refuse it", () => {
    compiles(() => {
      // @ts-expect-error: prompt
      limits.govern({ model, promt: "go" });
      // @ts-expect-error: onStepEnd
      limits.govern({ model, prompt: "go", onStepEndd: () => {} });
      // @ts-expect-error: there is no model
      limits.govern({ tools: { search }, prompt: "go" });
      // @ts-expect-error: there is no such tool
      limits.govern({ model, tools: { search }, prompt: "go", activeTools: ["find"] });
      // @ts-expect-error: the tool's context is missing
      limits.govern({ model, tools: { signedIn }, prompt: "go" });
      // @ts-expect-error: a prompt and messages
      limits.govern({ model, prompt: "go", messages: [] });
    });
  });
});

describe("a governed agent", () => {
  test("has the SDK's types in its callbacks", () => {
    compiles(() =>
      limits.govern({
        model,
        tools: { search },
        callOptionsSchema: z.object({ user: z.string() }),
        prepareCall: ({ options, ...call }) => {
          expectTypeOf(options).toEqualTypeOf<{ user: string }>();
          return { ...call, instructions: options.user };
        },
        onStepEnd: (step) => void expectTypeOf(step.text).toEqualTypeOf<string>(),
        prepareStep: ({ steps }) => ({ activeTools: steps.length > 3 ? [] : ["search"] }),
        repairToolCall: async ({ toolCall }) => toolCall,
      }),
    );
  });

  test("is the agent that it is without limits", () => {
    compiles(() => {
      expectTypeOf(new ToolLoopAgent(limits.govern({ model, tools: { search } }))).toEqualTypeOf(
        new ToolLoopAgent({ model, tools: { search } }),
      );
      expectTypeOf(new ToolLoopAgent(limits.govern({ model }))).toEqualTypeOf(new ToolLoopAgent({ model }));
      const callOptionsSchema = z.object({ user: z.string() });
      const agent = new ToolLoopAgent(limits.govern({ model, callOptionsSchema, output }));
      expectTypeOf(agent).toEqualTypeOf(new ToolLoopAgent({ model, callOptionsSchema, output }));
    });
  });

  test("is refused where the SDK would refuse it", () => {
    compiles(() => {
      // @ts-expect-error: tools
      limits.govern({ model, tool: { search } });
      // @ts-expect-error: prepareCall
      limits.govern({ model, preparCall: () => {} });
      // @ts-expect-error: there is no such tool
      limits.govern({ model, tools: { search }, activeTools: ["find"] });
    });
  });

  test("is the same as a sub-agent", () => {
    compiles(() =>
      tool({
        inputSchema: z.object({}),
        execute: async (_, options) => {
          const agent = new ToolLoopAgent(limits.subAgent(options, { model, tools: { search } }));
          expectTypeOf(agent).toEqualTypeOf(new ToolLoopAgent({ model, tools: { search } }));
          // @ts-expect-error: prompt
          limits.subAgent(options, { model, promt: "go" });
          return await generateText(limits.subAgent(options, { model, prompt: "go", output }));
        },
      }),
    );
  });
});
