import {
  isStepCount,
  type ModelMessage,
  type StopCondition,
  ToolLoopAgent,
  type ToolLoopAgentSettings,
  type ToolSet,
} from "ai";
import { limitToolLoop } from "../packages/turn-limit/src/adapters/ai-sdk/index.ts";
import type { SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";
import { approvals, orphansIn, scriptedModel, workTool } from "../packages/turn-limit/test/hosts/ai-sdk.ts";
import { type Contender, earlierRequests, type Left, type Seen, type Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "AI SDK";

type Settings = ToolLoopAgentSettings<never, { work: ReturnType<typeof workTool> }>;
type ToolOptions = Parameters<ReturnType<typeof limitToolLoop>["subAgent"]>[0];

/** What a limiter adds to the settings of an agent, and to those of a sub-agent in a tool. */
interface Limiter {
  agent(settings: Settings): Settings;
  subAgent(settings: Settings, toolOptions: ToolOptions): Settings;
  reason?(): string | undefined;
}

/** Plays the trial with `generate()`, on the same agent and conversation. */
async function play({ model, prompts = 1, subAgents, work: more }: Trial, limiter: Limiter): Promise<Seen> {
  const requests: SeenRequest[] = [];
  const messages: ModelMessage[] = [];
  let executed = 0;
  let answer: string | undefined;
  let reason: string | undefined;

  async function delegate(toolOptions: ToolOptions): Promise<void> {
    let asked = 0;
    const twice: Trial["model"] = () => (++asked === 1 ? { calls: 1 } : { text: "done" });
    const work = workTool(() => {
      executed += 1;
    });
    const settings = { model: scriptedModel(requests, twice), tools: { work } };
    await new ToolLoopAgent(limiter.subAgent(settings, toolOptions)).generate({ prompt: "help" });
  }

  const work = workTool(async (_, toolOptions) => {
    executed += 1;
    if (subAgents) await delegate(toolOptions);
    await more?.();
  });
  const agent = new ToolLoopAgent(limiter.agent({ model: scriptedModel(requests, model), tools: { work } }));
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    messages.push({ role: "user", content: "go" });
    try {
      const result = await agent.generate({
        messages: [...messages],
        // Counts what was done before an error, too: a caller of `generate()` gets it here.
        onStepEnd: (step) => void messages.push(...step.response.messages),
      });
      answer = result.text || undefined;
      reason = `finishReason ${result.finishReason}`;
    } catch (error) {
      answer = undefined;
      reason = String(error).split("\n", 1)[0];
    }
    reason = [reason, limiter.reason?.()].filter(Boolean).join("; ");
  }
  return { requests: requests.length, executed, orphans: orphansIn(messages), answer, reason };
}

/** Plays until a call waits for approval. What goes on elsewhere are the messages. */
async function goOn({ model }: Trial, limiter: Limiter, earlier: Left | undefined): Promise<Left> {
  const requests = earlierRequests(earlier);
  let executed = earlier?.executed ?? 0;
  const messages = (earlier?.saved ?? [{ role: "user", content: "go" }]) as ModelMessage[];
  const work = workTool(() => {
    executed += 1;
  });
  const tools = { work: { ...work, needsApproval: true } };
  const agent = new ToolLoopAgent(limiter.agent({ model: scriptedModel(requests, model), tools }));
  const approved = approvals(messages, () => true);
  if (approved.length > 0) messages.push({ role: "tool", content: approved });
  const result = await agent.generate({ messages: [...messages] });
  messages.push(...result.responseMessages);
  const waits = approvals(messages, () => true).length > 0;
  return {
    requests: requests.length,
    executed,
    orphans: orphansIn(messages),
    answer: result.text || undefined,
    reason: [`finishReason ${result.finishReason}`, limiter.reason?.()].filter(Boolean).join("; "),
    ...(waits && { saved: messages }),
  };
}

/** One of the SDK's own stop conditions, for sub-agents too. */
function native(stopWhen: StopCondition<ToolSet>, prepareStep?: Settings["prepareStep"]): Limiter {
  const limited = (settings: Settings): Settings => ({
    ...settings,
    stopWhen: stopWhen as NonNullable<Settings["stopWhen"]>,
    ...(prepareStep && { prepareStep }),
  });
  return { agent: limited, subAgent: limited };
}

/** Counts over all steps, as the documentation does. */
function hasToolCalls(max: number): StopCondition<ToolSet> {
  return ({ steps }) => steps.flatMap((step) => step.toolCalls).length >= max;
}

function ours(trial: Trial): Limiter {
  const limits = limitToolLoop(ourLimits(trial));
  return {
    agent: (settings) => limits.govern(settings),
    subAgent: (settings, toolOptions) => limits.subAgent(toolOptions, settings),
    reason() {
      const { kind, limit } = limits.outcome ?? {};
      return limit ? `outcome ${kind} by ${limit}` : `outcome ${kind}`;
    },
  };
}

/** The SDK's own ways, and ours. Its way to a final answer is to allow no tools in the last step, in `prepareStep`. */
export const contenders: Contender[] = [
  {
    framework,
    limiter: "stopWhen: isStepCount(n)",
    ours: false,
    async play(trial) {
      const { turns, wantsAnswer } = trial;
      if (turns === undefined) return "limits model requests, not tool calls";
      return play(
        trial,
        native(
          isStepCount(turns),
          wantsAnswer
            ? ({ stepNumber }) => (stepNumber === turns - 1 ? { toolChoice: "none" } : {})
            : undefined,
        ),
      );
    },
    goOn: (trial, earlier) => goOn(trial, native(isStepCount(trial.turns ?? 0)), earlier),
  },
  {
    framework,
    limiter: "stopWhen: a condition that counts tool calls",
    ours: false,
    goOn: "limits tool calls, not turns",
    play: async (trial) =>
      trial.steps === undefined
        ? "limits tool calls, not turns"
        : play(trial, native(hasToolCalls(trial.steps))),
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    play: (trial) => play(trial, ours(trial)),
    goOn: (trial, earlier) => goOn(trial, ours(trial), earlier),
  },
];
