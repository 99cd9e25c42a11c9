import type { Agent, AgentEvent, AgentMessage } from "@earendil-works/pi-agent-core";
import type { StepLimitExceeded } from "../../errors/StepLimitExceeded.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import { type LlmMessage, told, toolsFree } from "./tools-free.ts";

type Answer = Extract<LlmMessage, { role: "assistant" }>;
type Hook =
  | "convertToLlm"
  | "beforeToolCall"
  | "finishTurn"
  | "prepareNextTurnWithContext"
  | "prepareRequest";
type Hooks = Pick<Agent, Hook>;

/** When the runs of an agent begin and end. */
export interface Lifecycle {
  prompted(): void;
  idle(signal: AbortSignal): void;
}

/** Puts the limits of `runs` around the hooks that the agent has. */
export function govern(agent: Agent, runs: GovernedRuns, lifecycle: Lifecycle): void {
  const followUps = new WeakSet<AgentMessage>();
  let goesOn = false;
  let next: Admission | undefined;
  let sent: Admission | undefined;
  let error: StepLimitExceeded | undefined;

  const around = (own: Hooks): Required<Hooks> => ({
    // Only here can a run end without an error in its transcript; that tools ran says that another turn will follow.
    async finishTurn(turn, signal) {
      const decision = (await own.finishTurn?.(turn, signal)) ?? undefined;
      if (!goesOn || decision?.action === "end" || signal?.aborted) return decision;
      next = await runs.admitTurn(signal);
      return next.kind === "stop" ? { action: "end" } : decision;
    },
    // Appended where the turn is certain, and never steered: a queued message could cause a turn.
    async prepareNextTurnWithContext(turn, signal) {
      const update = own.prepareNextTurnWithContext
        ? await own.prepareNextTurnWithContext(turn, signal)
        : await agent.prepareNextTurn?.(signal);
      if (next?.kind !== "wrap-up") return update;
      const message = told(next.message);
      next = { kind: "proceed" };
      return { ...update, messages: [...(update?.messages ?? []), message] };
    },
    async prepareRequest(request, signal) {
      const update = (await own.prepareRequest?.(request, signal)) ?? undefined;
      signal?.throwIfAborted();
      const admission = next ?? (await runs.admitTurn(signal));
      next = undefined;
      if (admission.kind === "stop") {
        agent.abort();
        throw new Error(`The limit of ${admission.max} ${admission.limit} is reached`);
      }
      sent = admission;
      return update;
    },
    async convertToLlm(messages) {
      const converted = await own.convertToLlm(messages);
      if (sent?.kind === "wrap-up") return [...converted, told(sent.message)];
      return sent?.kind === "synthesize" ? toolsFree(converted, sent.message) : converted;
    },
    async beforeToolCall(call, signal) {
      const result = await own.beforeToolCall?.(call, signal);
      if (result?.block || signal?.aborted) return result;
      const reason = runs.refusal();
      return reason === undefined ? result : { block: true, reason };
    },
  });

  function observe(event: AgentEvent, signal: AbortSignal): void {
    if (event.type === "message_start" && followUps.delete(event.message)) lifecycle.prompted();
    if (event.type === "message_end" && event.message.role === "assistant") answered(event.message);
    if (event.type === "tool_execution_end" && event.result.terminate !== true) goesOn = true;
    if (event.type === "agent_end") {
      const { stop } = runs.governor;
      error = stop ? errorOf(stop) : undefined;
      lifecycle.idle(signal);
    }
  }

  function answered({ stopReason, usage: { cost, input, output, cacheRead, cacheWrite } }: Answer): void {
    const mishap: Mishap | undefined =
      stopReason === "aborted" ? "aborted" : stopReason === "error" ? "failed" : undefined;
    const usage = { input, output, cacheRead, cacheWrite, cost: cost.total };
    runs.turnEnded({ ...(mishap && { mishap }), ...(sent && { usage }) });
    sent = undefined;
    goesOn = false;
  }

  // The hooks are taken anew for each run: those that the agent is given later are kept, and so are the limits.
  async function run(start: () => Promise<void>): Promise<void> {
    if (agent.signal) return start();
    next = sent = error = undefined;
    goesOn = false;
    const own: Hooks = { ...agent };
    const ours = around(own);
    Object.assign(agent, ours);
    try {
      await start();
    } finally {
      for (const name of Object.keys(ours) as Hook[]) {
        if (agent[name] === ours[name]) Object.assign(agent, { [name]: own[name] });
      }
    }
    if (error) throw error;
  }

  const { prompt, continue: goOn, followUp } = agent;
  agent.prompt = async (...args: unknown[]) => {
    if (!agent.signal) lifecycle.prompted();
    await run(() => Reflect.apply(prompt, agent, args));
  };
  agent.continue = () => run(() => goOn.call(agent));
  agent.followUp = (message) => {
    if (message.role === "user") followUps.add(message);
    followUp.call(agent, message);
  };
  agent.subscribe(observe);
}
