import { stepCountIs } from "ai";
import { limitAgent, type RunOptions } from "../packages/turn-limit/src/adapters/mastra/index.ts";
import {
  answerTo,
  orphansIn,
  type RunResult,
  runWithGenerate,
  scriptedAgent,
  scriptedModel,
} from "../packages/turn-limit/test/hosts/mastra.ts";
import type { Contender, Seen, Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "Mastra";

/** The plain retry of failed requests, which is off by default. */
const retries = { maxRetries: 2, errorProcessors: [] };

/** What a limiter makes of a run of an agent, and of a sub-agent's run within it. */
interface Limiter {
  options(): RunOptions;
  subAgent(requestContext: RunOptions["requestContext"]): RunOptions;
  reason(result: RunResult): string | undefined;
}

/** Plays the trial with `generate()`, on the same agent and conversation. */
async function play({ model, prompts = 1, subAgents, work }: Trial, limiter: Limiter): Promise<Seen> {
  const requests: Parameters<typeof answerTo>[1] = [];
  let executed = 0;
  const scripted = (script: Trial["model"]) =>
    scriptedModel(({ toolChoice, tools = [], ...options }) =>
      answerTo({ ...options, tools: toolChoice?.type === "none" ? [] : tools }, requests, script),
    );
  const subAgent = () => {
    let asked = 0;
    const twice: Trial["model"] = () => (++asked === 1 ? { calls: 1 } : { text: "done" });
    return scriptedAgent({
      model: scripted(twice),
      execute() {
        executed += 1;
      },
      ...retries,
    });
  };
  const agent = scriptedAgent({
    model: scripted(model),
    async execute(_id, { requestContext }) {
      executed += 1;
      if (subAgents) await subAgent().generate("go", limiter.subAgent(requestContext));
      await work?.();
    },
    ...retries,
  });
  const messages: Parameters<typeof runWithGenerate>[1] = [];
  let answer: string | undefined;
  let reason: string | undefined;
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    const result = await runWithGenerate(agent, messages, limiter.options());
    answer = result.text;
    reason = limiter.reason(result);
  }
  return { requests: requests.length, executed, orphans: orphansIn(messages), answer, reason };
}

function reasonOf({ error, tripwire, finishReason }: RunResult): string | undefined {
  if (error instanceof Error) return `${error.constructor.name}: ${error.message}`;
  if (tripwire) return `tripwire: ${tripwire}`;
  return finishReason && `finishReason: ${finishReason}`;
}

/** The last step is a final answer, the way Mastra's documentation shows: the model is told, and may not call tools. */
function answersInLastStep(turns: number): RunOptions {
  return {
    async prepareStep({ stepNumber, sendSignal }) {
      if (stepNumber !== turns - 1) return;
      await sendSignal?.({
        type: "reactive",
        contents: "This is your final step. Do not call any more tools. Give a complete final answer now.",
      });
      return { toolChoice: "none" };
    },
  };
}

const goOn =
  "not played: a run that waits goes on elsewhere with a storage of another package, which is not installed here";

function native(limiter: string, optionsFor: (turns: number) => RunOptions): Contender {
  return {
    framework,
    limiter,
    ours: false,
    goOn,
    async play(trial) {
      const { turns, wantsAnswer } = trial;
      if (turns === undefined) return "it limits steps of the loop, not tool calls";
      const options = () => ({ ...optionsFor(turns), ...(wantsAnswer && answersInLastStep(turns)) });
      return play(trial, { options, subAgent: options, reason: reasonOf });
    },
  };
}

/** Mastra's own limiters, and ours. */
export const contenders: Contender[] = [
  native("maxSteps: n", (turns) => ({ maxSteps: turns })),
  native("stopWhen: stepCountIs(n)", (turns) => ({
    stopWhen: stepCountIs(turns) as NonNullable<RunOptions["stopWhen"]>,
  })),
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    goOn,
    play(trial) {
      const limits = limitAgent(ourLimits(trial));
      return play(trial, {
        options: () => limits.options(),
        subAgent: (requestContext) => limits.subAgent(requestContext),
        reason: ({ error, ...result }) => {
          const outcome =
            limits.outcome && `outcome: ${limits.outcome.kind} (${limits.outcome.limit ?? "no limit"})`;
          return error ? reasonOf({ error, ...result }) : outcome;
        },
      });
    },
  },
];
