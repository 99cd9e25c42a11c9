import type {
  Agent,
  AgentEvent,
  AgentMessage,
  BeforeToolCallContext,
  BeforeToolCallResult,
} from "@earendil-works/pi-agent-core";
import type { LimitExceeded } from "../../core/errors/limit-exceeded.ts";
import type { Stop } from "../../core/governor/decision.ts";
import type { Failure } from "../../core/governor/run-state.ts";
import { notRun } from "../../core/words.ts";
import type { Call, Refused } from "../../run/call.ts";
import type { Run } from "../../run/run.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";
import { reported } from "../shared/reported-usage.ts";
import { streamUntil } from "./bounded-stream.ts";
import type { GovernedTools } from "./governed-tools.ts";
import { type Answer, told, usageOf } from "./messages.ts";

type Hook = "convertToLlm" | "streamFunction" | "beforeToolCall" | "finishTurn" | "prepareRequest";
type Hooks = Pick<Agent, Hook>;
type FinishTurn = NonNullable<Agent["finishTurn"]>;
type TurnDecision = Exclude<Awaited<ReturnType<FinishTurn>>, void> | undefined;
type PrepareRequest = NonNullable<Agent["prepareRequest"]>;
type Request = Parameters<PrepareRequest>[0];
type RequestUpdate = Exclude<Awaited<ReturnType<PrepareRequest>>, void> | undefined;

type Blocked = BeforeToolCallResult | undefined;

/** May the run go on with the request that failed? Nobody knows whether it will be continued. */
export function mayBeContinued({ facts }: Run): boolean {
  return facts.request === "retry-due" && !facts.stop;
}

/** Puts the limits of a run around the hooks and tools that the agent has. `tools`: those of all agents of the run. */
export function govern(agent: Agent, hosted: HostedAgent, tools: GovernedTools): void {
  const { run } = hosted;
  const followUps = new WeakSet<AgentMessage>();
  let phase: "prepared" | "sent" | "answered" | "tools ran" = "prepared";
  let model: Agent["state"]["model"] | undefined;
  let error: LimitExceeded | undefined;

  const hasTool = (name: string) => agent.state.tools.some((tool) => tool.name === name);

  // Only here can a run end without an error in its transcript; that tools ran says that another turn will follow.
  function turnFinished(decision: TurnDecision, signal: AbortSignal | undefined) {
    if (phase !== "tools ran" || decision?.action === "end" || signal?.aborted) return decision;
    const after = (next: Turn | TurnStop): TurnDecision =>
      next.kind === "stop" ? { action: "end" } : decision;
    const next = hosted.decideNext(signal, undefined, hasTool);
    return next instanceof Promise ? next.then(after) : after(next);
  }

  function requestPrepared(request: Request, update: RequestUpdate, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    const next = hosted.decideNext(signal, undefined, hasTool);
    return next instanceof Promise
      ? next.then((decided) => send(request, update, decided))
      : send(request, update, next);
  }

  function send({ context: given }: Request, update: RequestUpdate, next: Turn | TurnStop): RequestUpdate {
    hosted.begin(next);
    if (next.kind === "stop") throw stopped(next);
    phase = "sent";
    const context = update?.context ?? given;
    const governed = tools.within(context);
    return governed === context ? update : { ...update, context: governed };
  }

  function refused({ toolCall: { id, name }, args }: BeforeToolCallContext): Blocked | Promise<Blocked> {
    const after = (call: Call | Refused): Blocked => {
      if (call.kind === "refused") return { block: true, reason: call.reason };
      tools.calls.add(id, call);
      return undefined;
    };
    const call = hosted.turn.call({ id, tool: name, args });
    return call instanceof Promise ? call.then(after) : after(call);
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
      const text = phase === "sent" ? hosted.message : undefined;
      return text === undefined ? converted : told(converted, text, hosted.turn);
    },
    streamFunction(requested, context, options) {
      // Others may stream with the agent's function too, for example within a tool.
      if (options?.signal !== agent.signal) return own.streamFunction(requested, context, options);
      hosted.turn.sent();
      const { stop } = run;
      if (stop) throw stopped(stop);
      model = requested;
      const signal = hosted.signalBeside(options?.signal);
      const start = () => own.streamFunction(requested, context, signal ? { ...options, signal } : options);
      return hosted.mayBeCutOff ? streamUntil(hosted, requested, start) : start();
    },
    beforeToolCall: own.beforeToolCall
      ? async (call, signal) => {
          const result = await own.beforeToolCall?.(call, signal);
          return result?.block || signal?.aborted ? result : ((await refused(call)) ?? result);
        }
      : async (call, signal) => (signal?.aborted ? undefined : refused(call)),
  });

  function observe(event: AgentEvent, signal: AbortSignal): void {
    if (event.type === "message_start" && followUps.delete(event.message)) hosted.beginRun({});
    if (event.type === "message_end") ended(event.message);
    if (event.type === "tool_execution_end" && event.result.terminate !== true) phase = "tools ran";
    if (event.type !== "agent_end") return;
    error = hosted.raised;
    if (signal.aborted) hosted.end("aborted");
    else if (hosted.isNested || !mayBeContinued(run)) hosted.end();
    else run.turn.rest();
  }

  function ended(message: AgentMessage): void {
    if (message.role === "assistant") answered(message);
    if (message.role === "toolResult" && message.usage)
      run.spend("nested", usageOf(message.usage, undefined));
  }

  function answered({ stopReason, usage: taken, model: id, provider }: Answer): void {
    const failure: Failure | undefined =
      stopReason === "aborted" ? "aborted" : stopReason === "error" ? "failed" : undefined;
    const { turn } = hosted;
    const { usage } = phase === "sent" ? reported(usageOf(taken, model)) : {};
    const answer = { usage, model: { id, provider } };
    // An answer that was cut off for the tools-free turn may still come, and is not the answer of that turn.
    if (usage && run.facts.synthesizing && turn.tools) run.spend("nested", usage, { model: answer.model });
    else if (failure) turn.failed(failure, answer);
    else turn.answered(answer);
    phase = "answered";
  }

  // Only an aborted run can end here without being taken for one that failed.
  function stopped(stop: Stop): Error {
    agent.abort();
    return new Error(notRun(stop));
  }

  // The hooks are wrapped again for each run, so that those which the agent gets later work too.
  async function work(start: () => Promise<void>): Promise<void> {
    if (agent.signal) return start();
    error = undefined;
    phase = "prepared";
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
    await run.shared.done();
    if (error) throw error;
  }

  const { prompt, continue: goOn, followUp } = agent;
  agent.prompt = async (...args: unknown[]) => {
    if (!agent.signal) hosted.beginRun({});
    await work(() => Reflect.apply(prompt, agent, args));
  };
  agent.continue = () => work(() => goOn.call(agent));
  agent.followUp = (message) => {
    if (message.role === "user") followUps.add(message);
    followUp.call(agent, message);
  };
  agent.subscribe(observe);
}
