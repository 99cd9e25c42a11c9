import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type RunContext,
  type Runner,
  RunState,
  tool,
} from "@openai/agents";
import { z } from "zod";
import { limitRuns } from "../packages/turn-limit/src/adapters/openai-agents/index.ts";
import type { SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";
import {
  historyOf,
  orphansIn,
  quickRunner,
  scripted,
  workTool,
} from "../packages/turn-limit/test/hosts/openai-agents.ts";
import { type Contender, earlierRequests, type Left, type Seen, type Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "@openai/agents";

/** What comes of a run. */
interface Ran {
  finalOutput: string | undefined;
  history: AgentInputItem[];
  interruptions: unknown[];
  state: { toString(): string };
}

/** How a limiter runs the agent, and the sub-agents that its tool runs. */
interface Limiter {
  run(agent: Agent, input: "go" | RunState<unknown, Agent>, thread?: MemorySession): Promise<Ran>;
  runSubAgent(agent: Agent, context: RunContext | undefined): Promise<unknown>;
  /** What tells the caller why a run that threw nothing ended. */
  reason(): string | undefined;
}

async function play(trial: Trial, limiterOn: (runner: Runner) => Limiter): Promise<Seen> {
  const requests: SeenRequest[] = [];
  let executed = 0;
  const limiter = limiterOn(quickRunner(scripted(trial.model, requests)));
  const worker = (execute: (context: RunContext | undefined) => unknown) =>
    tool({
      name: "work",
      description: "Works.",
      parameters: z.object({ id: z.string() }),
      async execute(_call, context) {
        executed += 1;
        await execute(context as RunContext | undefined);
        return "done";
      },
    });

  async function delegate(context: RunContext | undefined): Promise<void> {
    const first = requests.length + 1;
    const model = scripted(({ index }) => (index === first ? { calls: 1 } : { text: "did it" }), requests);
    const subAgent = new Agent({ name: "Helper", model, tools: [worker(() => {})] });
    await limiter.runSubAgent(subAgent, context);
  }

  const agent = new Agent({
    name: "Worker",
    tools: [worker((context) => (trial.subAgents ? delegate(context) : trial.work?.()))],
  });
  const thread = new MemorySession();
  let answer: string | undefined;
  let reason: string | undefined;
  let orphans = 0;
  for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
    try {
      const result = await limiter.run(agent, "go", thread);
      answer = result.finalOutput || undefined;
      reason = limiter.reason();
      orphans = orphansIn(result.history);
    } catch (error) {
      answer = undefined;
      reason = [String(error), limiter.reason()].filter(Boolean).join("; ");
      orphans = orphansIn(historyOf(error));
    }
  }
  return {
    requests: requests.length,
    executed,
    orphans,
    answer,
    reason,
  };
}

/** Plays until a call waits for approval. What goes on elsewhere is the run state. */
async function goOn(
  trial: Trial,
  limiterOn: (runner: Runner) => Limiter,
  earlier: Left | undefined,
): Promise<Left> {
  const requests = earlierRequests(earlier);
  let executed = earlier?.executed ?? 0;
  const limiter = limiterOn(quickRunner(scripted(trial.model, requests)));
  const work = workTool({ approve: () => true }, async () => {
    executed += 1;
    return "done";
  });
  const agent = new Agent({ name: "Worker", tools: [work] });
  const state = earlier && (await RunState.fromString<unknown, Agent>(agent, String(earlier.saved)));
  for (const call of state?.getInterruptions() ?? []) state?.approve(call);
  try {
    const result = await limiter.run(agent, state ?? "go");
    return {
      requests: requests.length,
      executed,
      orphans: orphansIn(result.history),
      answer: result.finalOutput || undefined,
      reason: limiter.reason(),
      ...(result.interruptions.length > 0 && { saved: result.state.toString() }),
    };
  } catch (error) {
    const reason = [String(error), limiter.reason()].filter(Boolean).join("; ");
    return {
      requests: requests.length,
      executed,
      orphans: orphansIn(historyOf(error)),
      answer: undefined,
      reason,
    };
  }
}

/** The handler writes the final answer at the limit: the model is not asked again. */
function native({ turns, wantsAnswer }: Trial, runner: Runner): Limiter {
  const maxTurns = turns ?? null;
  let handled: string | undefined;
  const errorHandlers = {
    maxTurns({ error }: { error: Error }) {
      handled = `the handler got ${error.constructor.name}: ${error.message}`;
      return { finalOutput: "I could not finish within the turn limit." };
    },
  };
  return {
    run: (agent, input, session) =>
      runner.run(agent, input, {
        ...(session && { session }),
        maxTurns,
        ...(wantsAnswer && { errorHandlers }),
      }),
    runSubAgent: (agent, context) => runner.run(agent, "work", { ...(context && { context }), maxTurns }),
    reason: () => handled,
  };
}

function ours(trial: Trial, runner: Runner): Limiter {
  const limits = limitRuns(ourLimits(trial), runner);
  return {
    run: (agent, input, session) => limits.run(agent, input, { ...(session && { session }) }),
    runSubAgent: (agent, context) => limits.subAgent(context, agent, "work"),
    reason() {
      const { kind, limit } = limits.outcome ?? {};
      return limit ? `outcome ${kind} by ${limit}` : `outcome ${kind}`;
    },
  };
}

export const contenders: Contender[] = [
  {
    framework,
    limiter: "maxTurns",
    ours: false,
    play: async (trial) =>
      trial.steps === undefined
        ? play(trial, (runner) => native(trial, runner))
        : "has no limit on tool calls; maxFunctionToolConcurrency bounds only how many run at once",
    goOn: (trial, earlier) => goOn(trial, (runner) => native(trial, runner), earlier),
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    play: (trial) => play(trial, (runner) => ours(trial, runner)),
    // The run carries its limit.
    goOn: ({ pool: _, ...trial }, earlier) => goOn(trial, (runner) => ours(trial, runner), earlier),
  },
];
