import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type RunContext,
  type Runner,
  tool,
} from "@openai/agents";
import { z } from "zod";
import { limitRuns } from "../packages/turn-limit/src/adapters/openai-agents.ts";
import type { SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";
import {
  historyOf,
  orphansIn,
  quickRunner,
  scripted,
} from "../packages/turn-limit/test/hosts/openai-agents.ts";
import type { Contender, Seen, Trial } from "./contender.ts";

const framework = "@openai/agents";

/** How a limiter runs the agent, and the sub-agents that its tool runs. */
interface Limiter {
  run(
    agent: Agent,
    thread: MemorySession,
  ): Promise<{ finalOutput: string | undefined; history: AgentInputItem[] }>;
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
    tools: [worker((context) => trial.subAgents && delegate(context))],
  });
  const thread = new MemorySession();
  let answer: string | undefined;
  let reason: string | undefined;
  let orphans = 0;
  for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
    try {
      const result = await limiter.run(agent, thread);
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
    run: (agent, thread) =>
      runner.run(agent, "go", { session: thread, maxTurns, ...(wantsAnswer && { errorHandlers }) }),
    runSubAgent: (agent, context) => runner.run(agent, "work", { ...(context && { context }), maxTurns }),
    reason: () => handled,
  };
}

function ours({ turns, steps, wantsAnswer }: Trial, runner: Runner): Limiter {
  const options = {
    turns: { max: turns ?? "unlimited", headless: wantsAnswer ? "synthesize" : "stop" },
    steps: steps ?? "unlimited",
  } as const;
  const limits = limitRuns(options, runner);
  return {
    run: (agent, thread) => limits.run(agent, "go", { session: thread }),
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
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    play: (trial) => play(trial, (runner) => ours(trial, runner)),
  },
];
