import type {
  HookJSONOutput,
  Options,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import { limitError, type RefuseAndSynthesize, type Stop } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import { notRunAnymore } from "../../core/words.ts";
import type { Run } from "../../run/run.ts";
import type { FinalTool } from "../shared/hosted-agent.ts";
import { denial, type EventHandler, type HookAnswers, type StopInput } from "./hooks.ts";
import { LoopPhase } from "./loop-phase.ts";
import {
  ANSWER,
  asksAgain,
  canBeLast,
  combined,
  earlyEnd,
  failedIn,
  forLastTurn,
  isFromPerson,
  isWanted,
  notRunIn,
  succeededIn,
  summaryIn,
} from "./program.ts";
import { ToolCalls } from "./tool-calls.ts";
import { TurnAdmission, type TurnEvent } from "./turn-admission.ts";
import type { SessionUsage } from "./usage.ts";

/** The SDK's result message, with how the run of its prompt ended. */
export type LimitedResult = SDKResultMessage & { outcome?: Outcome };

/** A message of a query with limits. */
export type LimitedMessage = Exclude<SDKMessage, SDKResultMessage> | LimitedResult;

/** What the loop needs from the query that it governs. */
export interface GovernedQuery {
  readonly options: Options;
  /** What the caller gave with the query. */
  readonly context: unknown;
  /** Gives the caller a message. */
  deliver(message: LimitedMessage): void;
  /** Must not throw. */
  interrupt(): Promise<void>;
  /** From now on no prompt is accepted. */
  close(): void;
}

/** Governs the program's loop, by its hooks and messages. */
export class GovernedLoop implements EventHandler {
  /** What the query has to throw in the end, for example because a limit raises. */
  error: unknown;
  readonly #run: Run;
  readonly #query: GovernedQuery;
  readonly #usage: SessionUsage;
  readonly #calls = new ToolCalls();
  readonly #phase = new LoopPhase();
  readonly #turns: TurnAdmission;
  #results: SDKResultMessage[] = [];
  /** Does the program say when it is idle? Older ones do not. */
  #tellsState = false;
  /** The tools that the program says it offers. */
  #offered: readonly string[] = [];

  constructor(run: Run, usage: SessionUsage, query: GovernedQuery) {
    this.#run = run;
    this.#usage = usage;
    this.#query = query;
    const signal = query.options.abortController?.signal;
    const onAborted = () => this.cutOff();
    const finalTool = () => this.#finalTool();
    this.#turns = new TurnAdmission({ run, usage, phase: this.#phase, signal, finalTool, onAborted });
  }

  get isClosed(): boolean {
    return this.#phase.isClosed;
  }

  /** Can the run go on with the tools-free turn when the program is cut off? */
  get canGoOn(): boolean {
    return this.#calls.areOpen;
  }

  /** Did we end the program's run? Then what the query throws does not matter. */
  get endedHere(): boolean {
    const { view, outcome, turn } = this.#run;
    if (this.error !== undefined || this.#phase.now.kind === "last turn" || this.isClosed) return true;
    return view.stop !== null || turn.signal.aborted || isEndOfLimit(outcome);
  }

  readonly answers: HookAnswers = {
    UserPromptSubmit: async (input) => {
      const { kind } = this.#phase.now;
      // A sub-agent in the background has ended, but the main loop is about to make the answer without tools.
      if (kind === "last turn") return { continue: false };
      // The prompt joins the turn that is under way, or is the tools-free turn's own.
      if (this.#phase.isAtWork || kind === "cut-off") return {};
      if (isFromPerson(input)) await this.#begin(input.session_id);
      else this.#phase.enter({ kind: "working" });
      return this.#turns.next(input);
    },
    PreToolUse: async ({ tool_use_id: id, tool_name: tool, tool_input: args, agent_id }) => {
      if (this.#calls.isAnswer(id, tool)) return {};
      const call = await this.#turns.turnOf(agent_id).call({ id, tool, args });
      if (call.kind === "refused") return denial(call.reason);
      const notStarted = tool === "Agent" ? await this.#turns.startSubAgent(id, agent_id) : undefined;
      if (!notStarted) this.#calls.begin(id, call);
      const stop = notStarted ?? this.#run.view.stop;
      return stop ? denial(notRunAnymore(stop)) : {};
    },
    PostToolBatch: async (input) => {
      for (const { tool_use_id: id, tool_response } of input.tool_calls)
        if (!this.#calls.ended(id, tool_response)) this.#turns.subAgents.notStarted(id);
      const { maxTurns = Infinity } = this.#query.options;
      const isLast =
        input.tool_calls.some(({ tool_use_id }) => this.#calls.isAccepted(tool_use_id)) ||
        (input.agent_id === undefined && this.#turns.main.requests >= maxTurns);
      return isLast ? {} : this.#turns.next(input);
    },
    // A person's `/compact` is no prompt of a run, and has its price.
    PreCompact: async () => {
      if (this.#phase.now.kind === "idle") await this.#usage.begin();
      return {};
    },
    SubagentStart: async ({ agent_id }) => {
      this.#turns.subAgents.started(agent_id);
      return {};
    },
    SubagentStop: async ({ agent_id, stop_hook_active }) => {
      const isUnannounced = this.#turns.subAgents.answered(agent_id, stop_hook_active);
      return { continue: !(isUnannounced && (await this.#turns.unannouncedOf(agent_id))) };
    },
    Stop: async ({ stop_hook_active }) => {
      if (this.#phase.asksAgain) return this.#sentOn({ hook_event_name: "Stop" }, {});
      // A hook from the settings has sent the agent on before, and may do so again.
      const mayGoOn = !this.#run.view.exhausted || this.#turns.main.isAnnounced;
      return { continue: mayGoOn || !stop_hook_active };
    },
  };

  async sentOn(input: StopInput, output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    if (input.hook_event_name === "Stop") return this.#sentOn({ hook_event_name: "Stop" }, output);
    const { hook_event_name, agent_id } = input;
    // Of the summaries that the program makes, it tells no more than their end.
    if (!this.#turns.subAgents.isKnown(agent_id)) return output;
    return this.#sentOn({ hook_event_name, agent_id }, output);
  }

  endedByHook(agentId: string | undefined): void {
    // Of the main loop, the program says when it makes a request.
    if (agentId !== undefined) this.#turns.subAgents.endedByHook(agentId);
  }

  denied(id: string): void {
    this.#calls.denied(id);
  }

  fail(error: unknown): void {
    this.error = error;
    void this.#query.interrupt();
  }

  /** A message came. */
  see(message: SDKMessage): void {
    if (message.type === "stream_event" && message.parent_tool_use_id === null) this.#streamed(message.event);
    for (const id of notRunIn(message)) this.denied(id);
    if (message.type === "user") this.#seeResults(message);
    if (message.type === "system") this.#told(message);
    const { kind } = this.#phase.now;
    if (message.type === "result" && kind === "last turn") this.#query.close();
    else if (message.type === "result" && kind !== "idle" && kind !== "closed") this.#answered(message);
    else {
      if (message.type === "result" && kind === "idle") this.#usage.reportBetweenRuns(message);
      if (isWanted(message, this.#query.options)) this.#query.deliver(message);
    }
  }

  /** The program is idle, or has ended: the run is over, if its main loop has answered and no tools-free turn is due. */
  idle(): void {
    const { kind } = this.#phase.now;
    const result = combined(this.#results);
    this.#results = [];
    if (kind === "last turn") this.#query.close();
    if (!result || kind === "last turn" || kind === "closed") return;
    this.#phase.enter({ kind: "idle" });
    this.#end();
    const isAborted = this.#query.options.abortController?.signal.aborted;
    const outcome = this.#run.end(isAborted ? "aborted" : this.error ? "failed" : earlyEnd(result));
    this.#query.deliver({ ...result, ...(outcome && { outcome }) });
  }

  /** The run must end in the middle of a turn, or go on with the tools-free one. */
  cutOff(decision?: Stop | RefuseAndSynthesize): void {
    if (this.#phase.isAtWork) this.#phase.enter({ kind: "cut-off" });
    if (decision?.kind !== "synthesize") void this.#query.interrupt();
    else this.#cutOffForAnswer(decision.reason).catch((error) => this.fail(error));
  }

  /** What the model has to be told in the last turn, if that is due, and how the program is started for it. It is made now. */
  beginLastTurn(sessionId: string): { prompt: string; options: Options } | undefined {
    const { now } = this.#phase;
    if (now.kind !== "last turn" || this.#run.view.stop) return undefined;
    const { turn, reason } = now;
    this.#phase.enter({ kind: "answering" });
    this.#turns.main.expect(turn);
    // In the transcript, the program says of a call that was cut off that the user did it.
    const prompt = [reason, turn.message].filter((text) => text !== undefined).join("\n\n");
    const tools = { finalTool: turn.finalTool, known: this.#offered };
    return { prompt, options: forLastTurn(this.#query.options, sessionId, tools) };
  }

  /** Nobody reads any further: whatever the program still does must end, and opens no other run. */
  close(): void {
    this.#phase.enter({ kind: "closed" });
    this.#end();
  }

  /** What the run did not get to is given back. */
  #end(): void {
    this.#calls.end();
    this.#turns.end();
  }

  #finalTool(): FinalTool {
    const { options } = this.#query;
    if (options.outputFormat) return ANSWER;
    // Before its first turn the program has not said what it offers.
    const isKnown = this.#offered.length > 0;
    return (name) => (!isKnown || this.#offered.includes(name)) && canBeLast(name, options);
  }

  async #begin(id: string): Promise<void> {
    this.idle();
    this.#phase.enter({ kind: "working" });
    this.#run.begin({ id, context: this.#query.context });
    await this.#usage.begin();
  }

  /** A hook sends an agent on. */
  async #sentOn(event: TurnEvent, output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    // After the tools-free turn there is no other.
    if (this.#phase.now.kind === "answering") return { continue: false };
    const { continue: goesOn = true, ...decided } = await this.#turns.next(event);
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") this.#turns.main.wasMade();
    this.#usage.see(event);
    if (event.type === "message_stop") this.#turns.main.answered(this.#usage.model);
  }

  #told(message: Extract<SDKMessage, { type: "system" }>): void {
    if (message.subtype === "init") this.#offered = message.tools;
    if (message.subtype === "session_state_changed") {
      this.#tellsState = true;
      if (message.state === "idle") this.idle();
    }
    if (message.subtype === "api_retry") this.#turns.main.wasMade();
    const summary = summaryIn(message);
    if (summary) this.#turns.main.summary(summary);
    if (message.subtype === "status" && message.status === "requesting") this.#requested();
  }

  /** The main loop makes a request. */
  #requested(): void {
    const isAnnounced = this.#turns.main.requested();
    this.#phase.requested();
    if (!isAnnounced) this.#countUnannounced().catch((error) => this.fail(error));
  }

  async #countUnannounced(): Promise<void> {
    if (await this.#turns.unannounced()) await this.#query.interrupt();
  }

  #seeResults(message: Extract<SDKMessage, { type: "user" }>): void {
    for (const id of failedIn(message)) this.#calls.failed(id);
    const unasked = succeededIn(message).filter((id) => !this.#calls.succeeded(id));
    if (message.parent_tool_use_id === null)
      for (const id of unasked) this.#run.turn.unadmittedCall({ id }).executed();
    if (asksAgain(message)) this.#phase.askAgain();
  }

  async #cutOffForAnswer(reason: string): Promise<void> {
    await this.#turns.last(reason);
    await this.#query.interrupt();
  }

  /** The main loop has answered. */
  #answered(result: SDKResultMessage): void {
    this.#phase.enter({ kind: "resting" });
    this.#usage.reportResult(result);
    this.#turns.main.rest(result.num_turns > 0);
    this.#results.push(result);
    const { stop } = this.#run.view;
    this.error ??= stop ? limitError(stop) : undefined;
    if (this.error) this.#query.close();
    if (!this.#tellsState) this.idle();
  }
}

function isEndOfLimit(outcome: Outcome | undefined): boolean {
  const { kind, limit } = outcome ?? {};
  return limit !== undefined && (kind === "stopped" || kind === "declined" || kind === "limit-overrun");
}
