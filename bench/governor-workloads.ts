import type { createGovernor } from "turn-limit";

/** What the workloads need of a build. Only events that every build knows. */
export interface Core {
  createGovernor: typeof createGovernor;
}

/** Runs so many prompts, each of {@link turnsPerPrompt} turns. */
export type Prompts = (prompts: number) => void;

export interface Workload {
  what: string;
  /** Some milliseconds, of which reading the clock is a small part. */
  promptsPerSample: number;
  prepare(core: Core): Prompts;
}

export const turnsPerPrompt = 50;
const usage = { input: 100, output: 20, cost: 0.001 };
const ample = 1_000_000_000;

export const workloads: Record<string, Workload> = {
  plain: {
    what: "its request, usage and a tool call with its result",
    promptsPerSample: 100,
    prepare: plain,
  },
  three: { what: "with limits of tokens, cost and time", promptsPerSample: 80, prepare: threeLimits },
  fifty: {
    what: "with 40 tools and 10 limits of one's own, and a step",
    promptsPerSample: 8,
    prepare: fiftyLimits,
  },
};

function plain({ createGovernor }: Core): Prompts {
  const governor = createGovernor({ turns: turnsPerPrompt, steps: turnsPerPrompt });
  return (prompts) => {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      governor.prompt();
      for (let turn = 0; turn < turnsPerPrompt; turn += 1) {
        requireProceed(governor.beforeTurn());
        governor.requestSent();
        governor.turnEnded({ usage });
        requireProceed(governor.beforeStep({ id: "call", tool: "work" }));
        governor.stepExecuted();
        governor.stepEnded({ id: "call", result: "done" });
      }
      governor.settled();
    }
  };
}

function threeLimits({ createGovernor }: Core): Prompts {
  const governor = createGovernor({ turns: turnsPerPrompt, tokens: ample, cost: ample, time: ample });
  let now = 0;
  const tick = () => {
    now += 1;
    governor.timeIs(now);
  };
  return (prompts) => {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      tick();
      governor.prompt();
      for (let turn = 0; turn < turnsPerPrompt; turn += 1) {
        tick();
        requireProceed(governor.beforeTurn());
        tick();
        governor.turnEnded({ usage });
      }
    }
  };
}

function fiftyLimits({ createGovernor }: Core): Prompts {
  const names = Array.from({ length: 40 }, (_, index) => `tool-${index}`);
  const tools = Object.fromEntries(names.map((name) => [name, ample]));
  const limits = Array.from({ length: 10 }, (_, index) => ({
    name: `own ${index}`,
    max: ample,
    used: ({ turns, steps }: { turns: number; steps: number }) => turns + steps,
  }));
  const governor = createGovernor({ turns: turnsPerPrompt, tools, limits });
  return (prompts) => {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      governor.prompt();
      for (let turn = 0; turn < turnsPerPrompt; turn += 1) {
        requireProceed(governor.beforeTurn());
        governor.turnEnded({ usage });
        requireProceed(governor.beforeStep({ tool: names[turn % names.length] }));
      }
    }
  };
}

function requireProceed({ kind }: { kind: string }): void {
  if (kind !== "proceed") throw new Error(`The governor decided ${kind}`);
}
