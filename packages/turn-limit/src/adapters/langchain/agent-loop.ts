import type { ToolCall } from "@langchain/core/messages";
import { AIMessage, type BaseMessage, HumanMessage, type Runtime } from "langchain";
import type { Failure } from "../../core/governor/run-state.ts";
import type { Call } from "../../run/call.ts";
import type { Turn } from "../../run/turn.ts";
import type { Executed } from "../../run/work.ts";
import type { FinalTool, HostedAgent } from "../shared/hosted-agent.ts";
import { failureOf, isHandover, isInterrupt } from "./errors.ts";
import type { AgentGraph } from "./graph.ts";
import { pendingCalls, reportOf, resultOf } from "./messages.ts";
import { type CallRequest, type TurnCall, TurnCalls } from "./turn-calls.ts";

/** The loop of one agent, the one that was prompted or one that a tool runs, under the limits of its run. */
export class AgentLoop {
  readonly hosted: HostedAgent;
  readonly graph: AgentGraph;
  /** Was it ended without an answer? */
  hasEnded = false;
  #calls: TurnCalls;
  // The node of the graph that makes the request tells whether it is the same one, made again.
  #open: { task: unknown; turn: Turn } | undefined;
  // Calls that had no result when the run was resumed. Those that another process ran are not made again here.
  #pendingElsewhere: ToolCall[] = [];
  /** Must its answers have a form? Then LangChain asks for one after the calls, whatever the tools say. */
  hasForm = false;
  // Where LangChain goes after the calls of the turn under way that have returned.
  #after = { model: false, end: false };
  // How often LangChain is going to end the agent although it also makes its request again.
  #falseEnds = 0;

  constructor(hosted: HostedAgent, graph: AgentGraph) {
    this.hosted = hosted;
    this.graph = graph;
    this.#calls = new TurnCalls(hosted.turn);
  }

  /** The run goes on in this process. `messages`: what the thread had of it when it was resumed. */
  restored(messages: BaseMessage[]): void {
    this.#pendingElsewhere = pendingCalls(messages);
  }

  /** Counts the calls of the last answer that were run before the run was resumed here. */
  recordCallsElsewhere(messages: BaseMessage[]): void {
    for (const call of this.#pendingElsewhere) {
      if (!this.#calls.has(call.id)) recordCall(this.#calls.turn, call, messages);
    }
    this.#pendingElsewhere = [];
  }

  /** Counts what an agent that a tool runs did, if it began in another process. */
  recordTurnsElsewhere(messages: BaseMessage[]): void {
    if (!this.hosted.isNested || this.graph.wasInvoked) return;
    this.graph.invoked();
    const since = messages.slice(messages.findLastIndex(HumanMessage.isInstance) + 1);
    for (const answer of since.filter(AIMessage.isInstance)) {
      const turn = this.hosted.recordTurn();
      if (!turn) return;
      turn.sent();
      turn.answered(reportOf(answer));
      for (const call of answer.tool_calls ?? []) recordCall(turn, call, since);
    }
  }

  /**
   * The turn of the agent's next request, or the same one if it is made again after an interrupt. `undefined`: the agent
   * must end.
   */
  async nextTurn({ configurable, signal }: Runtime, finalTool?: FinalTool): Promise<Turn | undefined> {
    const task: unknown = configurable?.checkpoint_ns;
    if (this.#open && this.#open.task === task) return this.#open.turn;
    const turn = await this.hosted.decideNext(signal, undefined, finalTool);
    this.hosted.begin(turn);
    if (turn.kind === "stop") return undefined;
    this.graph.modelRuns();
    this.#underWay(task, turn);
    turn.sent();
    return turn;
  }

  /**
   * A model is asked in the turn under way, perhaps once more: then the turn is another one. `undefined`: it must not be, and
   * the agent must end.
   */
  async attempt({ configurable, signal }: Runtime): Promise<Turn | undefined> {
    const { turn } = this.hosted;
    const next = await this.hosted.attempt(signal);
    if (next === turn) return turn;
    signal?.throwIfAborted();
    this.#open = undefined;
    if (next.kind === "stop") return undefined;
    this.#underWay(configurable?.checkpoint_ns, next);
    return next;
  }

  /** The request was answered. */
  answered(message: AIMessage | undefined, model: object): void {
    this.#open = undefined;
    this.hosted.turn.answered(reportOf(message, model));
  }

  /** The answer does not have its form. LangChain asks for it again, and at the same time ends the agent, which goes on. */
  corrected(): void {
    this.#falseEnds += 1;
  }

  /**
   * A call with a task of its own has returned. LangChain goes on from each of them by itself: from one whose result is the
   * answer to the end, and from another one of the same turn to the model.
   */
  returned(isAnswer: boolean): void {
    const isEnd = isAnswer && !this.hasForm;
    const before = this.#after;
    this.#after = { model: before.model || !isEnd, end: before.end || isEnd };
    if (this.#after.model && this.#after.end && !(before.model && before.end)) this.#falseEnds += 1;
  }

  /** LangChain ends the agent. Is it done? */
  isDone(): boolean {
    if (this.#falseEnds === 0) return true;
    this.#falseEnds -= 1;
    return false;
  }

  /** The request got no answer. It may be made again: after an interrupt, or by middleware further out. */
  unanswered(runtime: Runtime, error: unknown): void {
    if (isInterrupt(error)) return;
    this.#open = undefined;
    this.hosted.turn.failed(failureOf(error));
    this.#endUnlessHandled(runtime);
  }

  /**
   * The result of a tool call, or why it was not run or was cut off. Made again, after an interrupt or by middleware
   * further out, it is the same call.
   */
  async call<Result>(
    request: CallRequest,
    run: (cutOff: AbortSignal | undefined) => Promise<Result>,
  ): Promise<Executed<Result>> {
    const { turn } = this.#calls;
    const call = this.#calls.of(request);
    call.admitted ??= await turn.call(call.step);
    const { admitted } = call;
    if (admitted.kind === "refused") return { kind: "cut-off", reason: admitted.reason };
    return admitted.execute(async (cutOff) => {
      try {
        return await run(cutOff);
      } catch (error) {
        if (isInterrupt(error) && !isHandover(error)) await this.#interrupted(call, admitted);
        throw error;
      }
    });
  }

  /** A tool call threw, which may end the run. */
  callFailed(runtime: Runtime, error: unknown, failure: Failure): void {
    if (!isInterrupt(error)) this.#endUnlessHandled(runtime, failure);
  }

  #underWay(task: unknown, turn: Turn): void {
    this.#after = { model: false, end: false };
    this.#calls = new TurnCalls(turn);
    this.#open = { task, turn };
  }

  // A call that waits for a person holds nothing of a pool. It asks again when it goes on, which may be in another process.
  async #interrupted(call: TurnCall, admitted: Call): Promise<void> {
    const { shared } = this.hosted.run;
    if (!shared.isUsed) return;
    admitted.denied();
    call.admitted = undefined;
    await shared.settle();
  }

  // LangGraph aborts the node if nobody handles its error. The end of an agent that a tool runs is not the run's.
  #endUnlessHandled({ signal }: Runtime, failure?: Failure): void {
    const { isNested, run } = this.hosted;
    if (!isNested) signal?.addEventListener("abort", () => run.end(failure), { once: true });
  }
}

function recordCall(turn: Turn, call: ToolCall, messages: BaseMessage[]): void {
  const result = resultOf(call, messages);
  if (result) turn.recordCall({ tool: call.name, args: call.args }, result.content);
}
