import type { Agent, AgentEvent, AgentMessage } from "@earendil-works/pi-agent-core";
import type { Admission, Driver } from "../../driver/driver.ts";
import type { LimitExceeded } from "../../errors/limit-exceeded.ts";
import { limitError, type Stop } from "../../governor/decision.ts";
import type { Failure } from "../../governor/run.ts";
import { notRun } from "../../governor/wording.ts";
import type { GovernedTools } from "./governed-tools.ts";
import { instruction, type LlmMessage, toolsFree, usageOf } from "./messages.ts";

type Answer = Extract<LlmMessage, { role: "assistant" }>;
type Hook =
  | "convertToLlm"
  | "streamFunction"
  | "beforeToolCall"
  | "finishTurn"
  | "prepareNextTurnWithContext"
  | "prepareRequest";
type Hooks = Pick<Agent, Hook>;

/** When an agent starts to work, when a prompt is delivered to it, when it wants a turn, and when it is idle again. */
export interface Lifecycle {
  admitTurn(signal: AbortSignal | undefined): Promise<Admission>;
  started(): void;
  prompted(): void;
  idle(signal: AbortSignal): void;
}

/** Puts the driver's limits around the hooks and tools that the agent has. */
export function govern(agent: Agent, driver: Driver, tools: GovernedTools, lifecycle: Lifecycle): void {
  const followUps = new WeakSet<AgentMessage>();
  let goesOn = false;
  let next: Admission | undefined;
  let sent: Admission | undefined;
  let model: Agent["state"]["model"] | undefined;
  let error: LimitExceeded | undefined;

  const around = (own: Hooks): Required<Hooks> => ({
    // Only here can a run end without an error in its transcript; that tools ran says that another turn will follow.
    async finishTurn(turn, signal) {
      const decision = (await own.finishTurn?.(turn, signal)) ?? undefined;
      if (!goesOn || decision?.action === "end" || signal?.aborted) return decision;
      next = await lifecycle.admitTurn(signal);
      return next.kind === "stop" ? { action: "end" } : decision;
    },
    // Appended where the turn is certain, and never steered: a queued message could cause a turn.
    async prepareNextTurnWithContext(turn, signal) {
      const update = own.prepareNextTurnWithContext
        ? await own.prepareNextTurnWithContext(turn, signal)
        : await agent.prepareNextTurn?.(signal);
      if (next?.kind !== "wrap-up") return update;
      const message = instruction(next.message);
      next = { kind: "proceed" };
      return { ...update, messages: [...(update?.messages ?? []), message] };
    },
    async prepareRequest(request, signal) {
      const update = (await own.prepareRequest?.(request, signal)) ?? undefined;
      signal?.throwIfAborted();
      const admission = next ?? (await lifecycle.admitTurn(signal));
      next = undefined;
      if (admission.kind === "stop") throw stopped(admission);
      sent = admission;
      const context = update?.context ?? request.context;
      const governed = tools.within(context);
      return governed === context ? update : { ...update, context: governed };
    },
    async convertToLlm(messages) {
      const converted = await own.convertToLlm(messages);
      if (sent?.kind === "wrap-up") return [...converted, instruction(sent.message)];
      return sent?.kind === "synthesize" ? toolsFree(converted, sent.message) : converted;
    },
    streamFunction(requested, context, options) {
      // Others may stream with the agent's function too, for example within a tool.
      if (options?.signal !== agent.signal) return own.streamFunction(requested, context, options);
      driver.requestSent();
      const { stop } = driver.governor.view;
      if (stop) throw stopped(stop);
      model = requested;
      const signal = options?.signal ? AbortSignal.any([options.signal, driver.signal]) : driver.signal;
      return own.streamFunction(requested, context, { ...options, signal });
    },
    async beforeToolCall(call, signal) {
      const result = await own.beforeToolCall?.(call, signal);
      if (result?.block || signal?.aborted) return result;
      const { toolCall, args } = call;
      const reason = driver.refusal({ id: toolCall.id, tool: toolCall.name, args });
      return reason === undefined ? result : { block: true, reason };
    },
  });

  function observe(event: AgentEvent, signal: AbortSignal): void {
    if (event.type === "message_start" && followUps.delete(event.message)) lifecycle.prompted();
    if (event.type === "message_end") ended(event.message);
    if (event.type === "tool_execution_end" && event.result.terminate !== true) goesOn = true;
    if (event.type === "agent_end") {
      const { stop } = driver.governor.view;
      error = stop ? limitError(stop) : undefined;
      lifecycle.idle(signal);
    }
  }

  function ended(message: AgentMessage): void {
    if (message.role === "assistant") answered(message);
    if (message.role === "toolResult" && message.usage)
      driver.spend("nested", usageOf(message.usage, undefined));
  }

  function answered({ stopReason, usage: taken }: Answer): void {
    const failure: Failure | undefined =
      stopReason === "aborted" ? "aborted" : stopReason === "error" ? "failed" : undefined;
    const usage = usageOf(taken, model);
    // An answer that was cut off for the tools-free turn may still come, and is not the answer of that turn.
    if (sent && isCutOff(sent)) driver.spend("nested", usage);
    else driver.turnEnded({ ...(failure && { failure }), ...(sent && { usage }) });
    sent = undefined;
    goesOn = false;
  }

  function isCutOff({ kind }: Admission): boolean {
    return driver.governor.view.synthesizing && kind !== "synthesize";
  }

  // Only an aborted run can end here without being taken for one that failed.
  function stopped(stop: Stop): Error {
    agent.abort();
    return new Error(notRun(stop));
  }

  // The hooks are wrapped again for each run, so that those which the agent gets later work too.
  async function run(start: () => Promise<void>): Promise<void> {
    if (agent.signal) return start();
    lifecycle.started();
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
