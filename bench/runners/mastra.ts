import { Agent, type AgentExecutionOptionsBase, type MastraLanguageModel } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { createTool } from "@mastra/core/tools";
import type * as Adapter from "turn-limit/mastra";
import { z } from "zod";
import { scriptedModel } from "./language-model.ts";
import type { Limiter, Runner } from "./runner.ts";

type Options = AgentExecutionOptionsBase<unknown>;

const nothing = () => undefined;
const emptyHooks: Options = {
  stopWhen: () => false,
  prepareStep: ({ model }) => ({ model: throughProxy(model) }),
  onIterationComplete: nothing,
  onFinish: nothing,
  onError: nothing,
  onAbort: nothing,
};

/** The model in the only form in which the host takes another object for it. Its methods read private members of its own. */
function throughProxy<Model extends object>(model: Model): Model {
  return new Proxy(model, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function optionsOf(limiter: Limiter, turns: number, adapter: typeof Adapter): () => Options {
  if (limiter === "ours") {
    const limits = adapter.limitAgent({ turns, steps: turns });
    return () => limits.options();
  }
  if (limiter === "hooks") return () => ({ ...emptyHooks });
  return limiter === "native" ? () => ({ maxSteps: turns }) : () => ({ stopWhen: () => false });
}

/** Mastra. Without a limiter it has a stop condition that is never true, because its default is a limit of 5 steps. */
export const runner: Runner<typeof Adapter> = {
  framework: "Mastra",
  entry: "./mastra",
  native: "maxSteps: n",
  hooks: "empty callbacks of a step",
  // A run of 1,000 turns takes half a minute without any limiter, and more than a gigabyte.
  lengths: [10, 100],
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
