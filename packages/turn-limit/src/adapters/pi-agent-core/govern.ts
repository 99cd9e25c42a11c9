import type {
  Agent,
  AgentEvent,
  AgentMessage,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@earendil-works/pi-agent-core";
import type { LimitExceeded } from "../../core/errors/limit-exceeded.ts";
import type { Stop, WrapUp } from "../../core/governor/decision.ts";
import type { Failure } from "../../core/governor/run.ts";
import { notRun } from "../../core/governor/wording.ts";
import type { Admission, Driver } from "../../pools/old-driver/driver.ts";
import { eitherSignal } from "../shared/either-signal.ts";
import type { GovernedTools } from "./governed-tools.ts";
import { type LlmMessage, told } from "./messages.ts";
import { usageOf } from "./usage.ts";

type Answer = Extract<LlmMessage, { role: "assistant" }>;
type Hook = "convertToLlm" | "streamFunction" | "beforeToolCall" | "finishTurn" | "prepareRequest";
type Hooks = Pick<Agent, Hook>;
type FinishTurn = NonNullable<Agent["finishTurn"]>;
type TurnDecision = Exclude<Awaited<ReturnType<FinishTurn>>, void> | undefined;
type PrepareRequest = NonNullable<Agent["prepareRequest"]>;
type Request = Parameters<PrepareRequest>[0];
type RequestUpdate = Exclude<Awaited<ReturnType<PrepareRequest>>, void> | undefined;

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
  let sent: Exclude<Admission, Stop> | undefined;
  // What the model was told in a request that failed: told once more if the request is made again.
  let unheard: WrapUp | undefined;
  let model: Agent["state"]["model"] | undefined;
  let error: LimitExceeded | undefined;

  // Only here can a run end without an error in its transcript; that tools ran says that another turn will follow.
  function turnFinished(decision: TurnDecision, signal: AbortSignal | undefined) {
    if (!goesOn || decision?.action === "end" || signal?.aborted) return decision;
    return lifecycle.admitTurn(signal).then((admission): TurnDecision => {
      next = admission;
      return admission.kind === "stop" ? { action: "end" } : decision;
    });
  }

  function requestPrepared(request: Request, update: RequestUpdate, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    if (next) return send(request, update, next);
    return lifecycle.admitTurn(signal).then((admission) => send(request, update, admission));
  }

  function send({ context: given }: Request, update: RequestUpdate, admission: Admission): RequestUpdate {
    next = undefined;
    if (admission.kind === "stop") throw stopped(admission);
    sent = admission.kind === "proceed" ? (unheard ?? admission) : admission;
    const context = update?.context ?? given;
    const governed = tools.within(context);
    return governed === context ? update : { ...update, context: governed };
  }

  async function refused({
    toolCall: { id, name },
    args,
  }: BeforeToolCallContext): Promise<BeforeToolCallResult | undefined> {
    const reason = await driver.refusal({ id, tool: name, args });
    return reason === undefined ? undefined : { block: true, reason };
  }

  // A hook of ours waits only for what there is to wait for, since it is called in every turn.
  const around = (own: Hooks): Required<Hooks> => ({
    finishTurn: own.finishTurn
      ? async (turn, signal) => turnFinished((await own.finishTurn?.(turn, signal)) ?? undefined, signal)
      : (_, signal) => turnFinished(undefined, signal),
    prepareRequest: own.prepareRequest
      ? async (request, signal) =>
          requestPrepared(request, (await own.prepareRequest?.(request, signal)) ?? undefined, signal)
      : (request, signal) => requestPrepared(request, undefined, signal),
    // What the model is told is in this one request, and not in the transcript: the next prompt is not to read it.
    convertToLlm(messages) {
      const converted = own.convertToLlm(messages);
      return !sent || sent.kind === "proceed" ? converted : told(converted, sent);
    },
    streamFunction(requested, context, options) {
      // Others may stream with the agent's function too, for example within a tool.
      if (options?.signal !== agent.signal) return own.streamFunction(requested, context, options);
      driver.requestSent();
      const { stop } = driver.governor.view;
      if (stop) throw stopped(stop);
      model = requested;
      if (!driver.mayCutOff) return own.streamFunction(requested, context, options);
      const signal = eitherSignal(options?.signal, driver.signal);
      return own.streamFunction(requested, context, { ...options, signal });
    },
    beforeToolCall: own.beforeToolCall
      ? async (call, signal) => {
          const result = await own.beforeToolCall?.(call, signal);
          return result?.block || signal?.aborted ? result : ((await refused(call)) ?? result);
        }
      : async (call, signal) => (signal?.aborted ? undefined : refused(call)),
  });

  function observe(event: AgentEvent, signal: AbortSignal): void {
    if (event.type === "message_start" && followUps.delete(event.message)) lifecycle.prompted();
    if (event.type === "message_end") ended(event.message);
    if (event.type === "tool_execution_end" && event.result.terminate !== true) goesOn = true;
    if (event.type === "agent_end") {
      error = driver.raisedError;
      lifecycle.idle(signal);
    }
  }

  function ended(message: AgentMessage): void {
    if (message.role === "assistant") answered(message);
    if (message.role === "toolResult" && message.usage)
      driver.spend("nested", usageOf(message.usage, undefined));
  }

  function answered({ stopReason, usage: taken, model: id, provider }: Answer): void {
    const failure: Failure | undefined =
      stopReason === "aborted" ? "aborted" : stopReason === "error" ? "failed" : undefined;
    const usage = usageOf(taken, model);
    // An answer that was cut off for the tools-free turn may still come, and is not the answer of that turn.
    if (sent && isCutOff(sent)) driver.spend("nested", usage, { id, provider });
    else driver.turnEnded({ ...(failure && { failure }), ...(sent && { usage }) }, { id, provider });
    unheard = failure && sent?.kind === "wrap-up" ? sent : undefined;
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
    const { convertToLlm, streamFunction, beforeToolCall, finishTurn, prepareRequest } = agent;
    const own = { convertToLlm, streamFunction, beforeToolCall, finishTurn, prepareRequest } as Hooks;
    const ours = around(own);
    Object.assign(agent, ours);
    try {
      await start();
    } finally {
      for (const name of Object.keys(ours) as Hook[]) {
        if (agent[name] === ours[name]) Object.assign(agent, { [name]: own[name] });
      }
    }
    await driver.poolsSettled();
    if (error) throw error;
  }

  const { prompt, continue: goOn, followUp } = agent;
  agent.prompt = async (...args: unknown[]) => {
    if (!agent.signal) {
      unheard = undefined;
      lifecycle.prompted();
    }
    await run(() => Reflect.apply(prompt, agent, args));
  };
  agent.continue = () => run(() => goOn.call(agent));
  agent.followUp = (message) => {
    if (message.role === "user") followUps.add(message);
    followUp.call(agent, message);
  };
  agent.subscribe(observe);
}
