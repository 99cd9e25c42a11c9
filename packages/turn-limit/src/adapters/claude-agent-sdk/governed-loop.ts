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
import type { Boundary } from "../../core/limits/boundary.ts";
import { notRunAnymore } from "../../core/words.ts";
import type { Run } from "../../run/run.ts";
import type { Turn } from "../../run/turn.ts";
import { deniedIn } from "./denials.ts";
import { denial, type HookAnswers } from "./options.ts";
import { asksAgain, isFromPerson, isWanted } from "./program-messages.ts";
import { ProgramTurns } from "./program-turns.ts";
import { programEnd, type RunEnd, RunResults } from "./run-results.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { UsageReports } from "./usage-reports.ts";

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
  interrupt(): Promise<void>;
  /** From now on no prompt is accepted. */
  close(): void;
}

/** An event after which the program makes a request. */
interface TurnEvent {
  hook_event_name: "UserPromptSubmit" | "PostToolBatch" | "Stop";
  agent_id?: string;
}

/**
 * Where the program's loop stands.
 *
 * - `idle`: no run is under way
 * - `working`: the main loop is at work
 * - `cut-off`: it must end in the middle of a turn, and is being interrupted
 * - `resting`: it has answered. Sub-agents in the background may be at work, and it will answer again
 * - `last turn`: the tools-free turn is due. The program has to end first: the session can be in one only
 * - `closed`: nobody reads the query any more
 */
type Phase =
  | { kind: "idle" | "working" | "cut-off" | "resting" | "closed" }
  | { kind: "last turn"; turn: Turn; reason?: string };

/** Governs the program's loop, by its hooks and messages. */
export class GovernedLoop {
  /** What the query has to throw in the end, for example because a limit raises. */
  error: unknown;
  readonly #run: Run;
  readonly #query: GovernedQuery;
  readonly #usage: UsageReports;
  readonly #calls: ToolCalls;
  readonly #turns: ProgramTurns;
  readonly #results = new RunResults();
  readonly #signal: AbortSignal | undefined;
  #phase: Phase = { kind: "idle" };
  /** Does the program say when it is idle? Older ones do not. */
  #tellsState = false;
  /** The model gave no object where one is wanted, and the program asks it again. */
  #isAskedAgain = false;

  constructor(run: Run, query: GovernedQuery, calls: ToolCalls, usage: UsageReports) {
    this.#run = run;
    this.#query = query;
    this.#calls = calls;
    this.#usage = usage;
    this.#signal = query.options.abortController?.signal;
    this.#turns = new ProgramTurns(run, this.#signal);
  }

  get isClosed(): boolean {
    return this.#phase.kind === "closed";
  }

  /** Did we end the program's run? Then what the query throws does not matter. */
  get endedHere(): boolean {
    if (this.error !== undefined || this.#run.view.stop || this.#run.turn.signal.aborted) return true;
    return this.#phase.kind === "last turn" || isEndOfLimit(this.#run.outcome);
  }

  /** What the model has to be told in the tools-free turn, if that is due. It is made now. */
  beginLastTurn(): string | undefined {
    if (this.#phase.kind !== "last turn" || this.#run.view.stop) return undefined;
    const { turn, reason } = this.#phase;
    if (turn.sent()) return undefined;
    this.#phase = { kind: "working" };
    this.#turns.expect(turn);
    // In the transcript, the program says of a call that was cut off that the user did it.
    return reason === undefined ? turn.message : `${reason}\n\n${turn.message}`;
  }

  /** A message came. */
  see(message: SDKMessage): void {
    if (message.type === "stream_event" && message.parent_tool_use_id === null) this.#streamed(message.event);
    deniedIn(message).forEach(this.#calls.denied);
    if (message.type === "user") {
      for (const id of this.#calls.unaskedIn(message)) this.#turns.of().unadmittedCall({ id }).executed();
      this.#isAskedAgain ||= asksAgain(message);
    }
    if (message.type === "system" && message.subtype === "session_state_changed")
      this.#stateIs(message.state);
    if (message.type === "result") this.#answered(message);
    else if (isWanted(message, this.#query.options)) this.#query.deliver(message);
  }

  /** Nobody reads any further: whatever the program still does must end, and opens no other run. */
  close(): void {
    this.#phase = { kind: "closed" };
  }

  /** The program has ended. */
  programEnded(): void {
    if (this.#phase.kind !== "last turn") this.#endRun();
  }

  /** The run must end in the middle of a turn, or go on with the tools-free one. */
  cutOff(decision: Stop | RefuseAndSynthesize): void {
    if (this.#phase.kind === "working") this.#phase = { kind: "cut-off" };
    this.#interrupt(decision).catch(this.fail);
  }

  readonly fail = (error: unknown): void => {
    this.error = error;
    void this.#query.interrupt();
  };

  readonly answers: HookAnswers = {
    UserPromptSubmit: async (input) => {
      const { kind } = this.#phase;
      // A sub-agent in the background has ended, but the main loop is about to make the answer without tools.
      if (kind === "last turn") return { continue: false };
      // The prompt joins the turn that is under way, or is the tools-free turn's own.
      if (kind === "working" || kind === "cut-off") return {};
      if (isFromPerson(input)) await this.#begin(input.session_id);
      else this.#phase = { kind: "working" };
      return this.#nextTurn(input);
    },
    PreToolUse: async ({ tool_use_id: id, tool_name: tool, tool_input: args, agent_id }) => {
      if (this.#calls.isAnswer(id, tool)) return {};
      const call = await this.#turns.of(agent_id).call({ id, tool, args });
      if (call.kind === "refused") return denial(call.reason);
      const first = tool === "Agent" ? await this.#startSubAgent(id, agent_id) : undefined;
      if (first?.kind === "stop") return denial(notRunAnymore(first));
      this.#calls.begin(id, call);
      const { stop } = this.#run.view;
      return stop ? denial(notRunAnymore(stop)) : {};
    },
    PostToolUse: async ({ tool_use_id }) => this.#hasRun(tool_use_id),
    PostToolUseFailure: async ({ tool_use_id }) => this.#hasRun(tool_use_id),
    PostToolBatch: async (input) => {
      for (const { tool_use_id: id, tool_response } of input.tool_calls)
        if (!this.#calls.ended(id, tool_response)) this.#turns.notStarted(id);
      const { maxTurns = Infinity } = this.#query.options;
      const isLast =
        this.#calls.haveAnswer(input.tool_calls.map(({ tool_use_id }) => tool_use_id)) ||
        (input.agent_id === undefined && this.#turns.requests >= maxTurns);
      return isLast ? {} : this.#nextTurn(input);
    },
    SubagentStart: async ({ agent_id }) => {
      this.#turns.started(agent_id);
      return {};
    },
    SubagentStop: async ({ agent_id }) => {
      this.#turns.ended(agent_id);
      return {};
    },
    Stop: async ({ stop_hook_active }) => {
      if (this.#isAskedAgain) return this.sentOn({});
      // A hook from the settings has sent the agent on before, and may do so again.
      return { continue: !(stop_hook_active && this.#run.view.exhausted) };
    },
  };

  /** Hooks send the agent on: several of them may, into the same turn. */
  async sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    const { continue: goesOn = true, ...decided } = await this.#nextTurn({ hook_event_name: "Stop" });
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
  }

  #hasRun(id: string): HookJSONOutput {
    this.#calls.hasRun(id);
    return {};
  }

  async #begin(id: string): Promise<void> {
    this.#endRun();
    this.#phase = { kind: "working" };
    this.#run.begin({ id, context: this.#query.context });
    await this.#usage.begin();
  }

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await this.#turnAnswered(agent_id);
    if (this.#mustEnd) return { continue: false };
    const turn = await (agent_id === undefined ? this.#turns.next() : this.#turns.nextOf(agent_id));
    if (turn.kind === "stop") return end(turn);
    if (turn.lastBecauseOf) {
      this.#phase = { kind: "last turn", turn };
      return end(turn.lastBecauseOf);
    }
    // Where the time limit cannot be looked at.
    turn.signal.addEventListener("abort", this.#aborted);
    const message = agent_id === undefined ? this.#turns.takeWrapUp() : undefined;
    if (message === undefined) return {};
    return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message } };
  }

  async #startSubAgent(call: string, parentId: string | undefined): Promise<Turn | Stop> {
    await this.#turnAnswered(parentId);
    return this.#turns.start(call);
  }

  async #turnAnswered(agentId?: string): Promise<void> {
    await this.#usage.report();
    this.#turns.of(agentId).answered();
  }

  get #mustEnd(): boolean {
    const { kind } = this.#phase;
    if (this.#signal?.aborted || this.#run.turn.signal.aborted) return true;
    return kind === "cut-off" || kind === "last turn" || kind === "closed";
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      if (!this.#turns.requestSeen()) this.#countUnannounced().catch(this.fail);
      this.#isAskedAgain = false;
    }
    this.#usage.see(event);
  }

  /** No hook told of this request: the answer before it was cut short, or a hook from the settings sent the agent on. */
  async #countUnannounced(): Promise<void> {
    await this.#turnAnswered();
    if (this.isClosed) return;
    const turn = await this.#turns.admit();
    if (turn.kind === "turn" && turn.tools) return;
    if (turn.kind === "turn") this.#phase = { kind: "last turn", turn };
    await this.#query.interrupt();
  }

  readonly #aborted = (): void => {
    if (this.#phase.kind === "working") this.#phase = { kind: "cut-off" };
    this.#query.interrupt().catch(this.fail);
  };

  async #interrupt(decision: Stop | RefuseAndSynthesize): Promise<void> {
    if (decision.kind !== "stop") {
      await this.#turnAnswered();
      if (this.#run.view.synthesizing && !this.#run.view.stop) {
        const turn = await this.#turns.admit();
        if (turn.kind === "turn") this.#phase = { kind: "last turn", turn, reason: decision.reason };
      }
    }
    await this.#query.interrupt();
  }

  /** The main loop has answered. */
  #answered(result: SDKResultMessage): void {
    const { kind } = this.#phase;
    if (kind === "idle" || kind === "closed") this.#query.deliver(result);
    else if (kind === "last turn") this.#awaitLastTurn();
    else this.#rest(result);
  }

  #rest(result: SDKResultMessage): void {
    this.#phase = { kind: "resting" };
    this.#turns.rest(result.num_turns > 0);
    this.#usage.reportResult(result);
    this.#turns.of().answered();
    this.#results.add(result);
    const { stop } = this.#run.view;
    this.error ??= stop ? limitError(stop) : undefined;
    if (this.error) this.#query.close();
    if (!this.#tellsState) this.#endRun();
  }

  #stateIs(state: "idle" | "running" | "requires_action"): void {
    this.#tellsState = true;
    if (state !== "idle") return;
    if (this.#phase.kind === "last turn") this.#awaitLastTurn();
    else this.#endRun();
  }

  #awaitLastTurn(): void {
    this.#results.take();
    this.#query.close();
  }

  /** The run is over, if its main loop has answered. */
  #endRun(): void {
    const result = this.#results.take();
    if (!result || this.isClosed) return;
    this.#phase = { kind: "idle" };
    this.#calls.forget();
    this.#turns.forget();
    const outcome = this.#run.end(this.#endOf(result));
    this.#query.deliver({ ...result, ...(outcome && { outcome }) });
  }

  #endOf(result: SDKResultMessage): RunEnd {
    if (this.#signal?.aborted) return "aborted";
    return this.error ? "failed" : programEnd(result);
  }
}

function end(boundary: Boundary): SyncHookJSONOutput {
  return { continue: false, stopReason: notRunAnymore(boundary) };
}

function isEndOfLimit(outcome: Outcome | undefined): boolean {
  const { kind, limit } = outcome ?? {};
  return limit !== undefined && (kind === "stopped" || kind === "declined" || kind === "limit-overrun");
}
