import { Agent, type AgentExecutionOptionsBase, type MastraLanguageModel } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { createTool } from "@mastra/core/tools";
import type * as Adapter from "turn-limit/mastra";
import { z } from "zod";
import { scriptedModel } from "./language-model.ts";
import type { Limiter, Runner } from "./runner.ts";

type Options = AgentExecutionOptionsBase<unknown>;

function optionsOf(limiter: Limiter, turns: number, adapter: typeof Adapter): () => Options {
  if (limiter === "ours") {
    const limits = adapter.limitAgent({ turns, steps: turns });
    return () => limits.options();
  }
  return limiter === "native" ? () => ({ maxSteps: turns }) : () => ({ stopWhen: () => false });
}

/** Mastra. Without a limiter it has a stop condition that is never true, because its default is a limit of 5 steps. */
export const runner: Runner<typeof Adapter> = {
  framework: "Mastra",
  entry: "./mastra",
  native: "maxSteps: n",
  // A run of 1,000 turns takes half a minute without any limiter, and more than a gigabyte.
  lengths: [10, 200],
  prepare({ turns, limiter, work }, adapter) {
    const worker = createTool({
      id: "work",
      description: "Works",
      inputSchema: z.object({}),
      execute: work,
    });
    const { model, requests } = scriptedModel(turns);
    const agent = new Agent({
      id: "worker",
      name: "worker",
      instructions: "You work.",
      // Mastra knows the types of a slightly older version of the same specification.
      model: model as unknown as MastraLanguageModel,
      tools: { work: worker },
    });
    agent.__setLogger(noopLogger);
    const options = optionsOf(limiter, turns, adapter);
    return async () => {
      const before = requests();
      await agent.generate("go", options());
      return requests() - before;
    };
  },
};
