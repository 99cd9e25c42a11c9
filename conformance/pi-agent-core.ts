import type { Agent } from "@earendil-works/pi-agent-core";
import { type AgentLimits, limitAgent } from "../packages/turn-limit/src/adapters/pi-agent-core/index.ts";
import type { SeenRequest } from "../packages/turn-limit/src/testing/scripted-host.ts";
import {
  answerTo,
  failed,
  finalText,
  orphansIn,
  scriptedAgent,
} from "../packages/turn-limit/test/hosts/pi-agent-core.ts";
import type { Contender, Seen, Trial } from "./contender.ts";
import { ourLimits } from "./our-limits.ts";

const framework = "pi-agent-core";
const GUARD = 50;
/** Where each call is a process. */
const GUARD_OF_PROCESSES = 6;
const RETRIES = 2;

/** What a limiter does with the agent, and with the sub-agents that its tool makes. */
interface Limiter {
  agent(agent: Agent): void;
  subAgent(agent: Agent): void;
  /** Why the run ended. */
  reason(agent: Agent): string | undefined;
}

/** Retrying is up to the caller: pi-agent-core has `continue()` for it. */
async function play(trial: Trial, limiterOf: (requests: readonly SeenRequest[]) => Limiter): Promise<Seen> {
  const requests: SeenRequest[] = [];
  const limiter = limiterOf(requests);
  let executed = 0;
  let error: unknown;
  const agent = scriptedAgent({
    model: (context) => answerTo(context, requests, trial.model),
    async execute() {
      executed += 1;
      if (trial.subAgents) await delegate();
      await trial.work?.();
    },
  });
  limiter.agent(agent);

  async function delegate(): Promise<void> {
    const first = requests.length + 1;
    const subAgent = scriptedAgent({
      model: (context) =>
        answerTo(context, requests, ({ index }) => (index === first ? { calls: 1 } : { text: "did it" })),
      execute() {
        executed += 1;
      },
    });
    limiter.subAgent(subAgent);
    await subAgent.prompt("work");
  }

  for (let prompt = 0; prompt < (trial.prompts ?? 1); prompt += 1) {
    try {
      await agent.prompt("go");
      for (let retry = 0; retry < RETRIES && failed(agent); retry += 1) {
        agent.state.messages.pop();
        await agent.continue();
      }
    } catch (thrown) {
      error = thrown;
    }
  }
  return {
    requests: requests.length,
    executed,
    orphans: orphansIn(agent.state.messages),
    answer: finalText(agent.state.messages),
    reason: [error && String(error), limiter.reason(agent)].filter(Boolean).join("; ") || undefined,
  };
}

/** Nothing limits the agent except a guard of the trial, so that it ends at all. */
function guard({ processes }: Trial, requests: readonly SeenRequest[]): Limiter {
  const most = processes ? GUARD_OF_PROCESSES : GUARD;
  let guarded = false;
  const install = (agent: Agent) => {
    agent.finishTurn = () => {
      guarded ||= requests.length >= most;
      return guarded ? { action: "end" } : undefined;
    };
  };
  return {
    agent: install,
    subAgent: install,
    reason: (agent) =>
      guarded
        ? `none: ended by the trial's own guard after ${most} requests`
        : (agent.state.errorMessage ?? stopReasonOf(agent)),
  };
}

function stopReasonOf({ state }: Agent): string | undefined {
  const last = state.messages.at(-1);
  return last?.role === "assistant" ? `stopReason "${last.stopReason}"` : undefined;
}

function ours(trial: Trial): Limiter {
  let limits: AgentLimits;
  return {
    agent(agent) {
      limits = limitAgent(agent, ourLimits(trial));
    },
    subAgent: (agent) => limits.subAgent(agent),
    reason() {
      const { kind, limit } = limits.outcome ?? {};
      return limit ? `outcome ${kind} by ${limit}` : `outcome ${kind}`;
    },
  };
}

const goOn = "not played: a call that waits for a person cannot be saved, only the messages before it";

/** pi-agent-core has hooks to end a run with, and no limit on turns or tool calls of its own. */
export const contenders: Contender[] = [
  {
    framework,
    limiter: "no limiter of its own",
    ours: false,
    isLack: true,
    goOn,
    play: (trial) => play(trial, (requests) => guard(trial, requests)),
  },
  {
    framework,
    limiter: "turn-limit",
    ours: true,
    goOn,
    play: (trial) => play(trial, () => ours(trial)),
  },
];
