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
import { denial, type EventHandler, type HookAnswers } from "./hooks.ts";
import { asksAgain, combined, deniedIn, earlyEnd, isFromPerson, isWanted, succeededIn } from "./program.ts";
import { ProgramTurns } from "./program-turns.ts";
import { ToolCalls } from "./tool-calls.ts";
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

/** An event after which the program makes a request. */
interface TurnEvent {
  hook_event_name: "UserPromptSubmit" | "PostToolBatch" | "Stop";
  agent_id?: string;
}

/**
 * Where the program's loop stands.
 *
 * - `idle`: no run is under way
 * - `working`: the main loop is at work. `asksAgain`: the model gave no object where one is wanted, and is asked again
 * - `cut-off`: it must end in the middle of a turn, and is being interrupted
 * - `resting`: it has answered. Sub-agents in the background may be at work, and it will answer again
 * - `last turn`: the tools-free turn is due. The program has to end first: the session can be in one only
 * - `closed`: nobody reads the query any more
 */
type Phase =
  | { kind: "idle" | "cut-off" | "resting" | "closed" }
  | { kind: "working"; asksAgain?: true }
  | { kind: "last turn"; turn: Turn; reason: string | undefined };

/** Governs the program's loop, by its hooks and messages. */
export class GovernedLoop implements EventHandler {
  /** What the query has to throw in the end, for example because a limit raises. */
  error: unknown;
  readonly #run: Run;
  readonly #query: GovernedQuery;
  readonly #usage: SessionUsage;
  readonly #calls = new ToolCalls();
  readonly #turns: ProgramTurns;
  #phase: Phase = { kind: "idle" };
  #results: SDKResultMessage[] = [];
  /** Does the program say when it is idle? Older ones do not. */
  #tellsState = false;

  constructor(run: Run, usage: SessionUsage, query: GovernedQuery) {
    this.#run = run;
    this.#usage = usage;
    this.#query = query;
    this.#turns = new ProgramTurns(run, query.options.abortController?.signal);
  }

  get isClosed(): boolean {
    return this.#phase.kind === "closed";
  }

  /** Can the run go on with the tools-free turn when the program is cut off? */
  get canGoOn(): boolean {
    return this.#calls.areOpen;
  }

  /** Did we end the program's run? Then what the query throws does not matter. */
  get endedHere(): boolean {
    const { view, outcome, turn } = this.#run;
    if (this.error !== undefined || this.#phase.kind === "last turn") return true;
    return view.stop !== null || turn.signal.aborted || isEndOfLimit(outcome);
  }

  readonly answers: HookAnswers = {
    UserPromptSubmit: async (input) => {
      const { kind } = this.#phase;
      // A sub-agent in the background has ended, but the main loop is about to make the answer without tools.
      if (kind === "last turn") return { continue: false };
      // The prompt joins the turn that is under way, or is the tools-free turn's own.
      if (kind === "working" || kind === "cut-off") return {};
      if (isFromPerson(input)) await this.#begin(input.session_id);
      else this.#enter({ kind: "working" });
      return this.#nextTurn(input);
    },
    PreToolUse: async ({ tool_use_id: id, tool_name: tool, tool_input: args, agent_id }) => {
      if (this.#calls.isAnswer(id, tool)) return {};
      const call = await this.#turns.of(agent_id).call({ id, tool, args });
      if (call.kind === "refused") return denial(call.reason);
      const notStarted = tool === "Agent" ? await this.#startSubAgent(id, agent_id) : undefined;
      if (!notStarted) this.#calls.begin(id, call);
      const stop = notStarted ?? this.#run.view.stop;
      return stop ? denial(notRunAnymore(stop)) : {};
    },
    PostToolBatch: async (input) => {
      for (const { tool_use_id: id, tool_response } of input.tool_calls)
        if (!this.#calls.ended(id, tool_response)) this.#turns.notStarted(id);
      const { maxTurns = Infinity } = this.#query.options;
      const isLast =
        input.tool_calls.some(({ tool_use_id }) => this.#calls.isAccepted(tool_use_id)) ||
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
      if (this.#phase.kind === "working" && this.#phase.asksAgain) return this.sentOn({});
      // A hook from the settings has sent the agent on before, and may do so again.
      return { continue: !(stop_hook_active && this.#run.view.exhausted) };
    },
  };

  async sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    const { continue: goesOn = true, ...decided } = await this.#nextTurn({ hook_event_name: "Stop" });
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
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
    for (const id of deniedIn(message)) this.denied(id);
    if (message.type === "user") this.#seeResults(message);
    if (message.type === "system" && message.subtype === "session_state_changed") {
      this.#tellsState = true;
      if (message.state === "idle") this.idle();
    }
    const { kind } = this.#phase;
    if (message.type === "result" && kind === "last turn") this.#query.close();
    else if (message.type === "result" && kind !== "idle" && kind !== "closed") this.#answered(message);
    else if (isWanted(message, this.#query.options)) this.#query.deliver(message);
  }

  /** The program is idle, or has ended: the run is over, if its main loop has answered and no tools-free turn is due. */
  idle(): void {
    const { kind } = this.#phase;
    const result = combined(this.#results);
    this.#results = [];
    if (kind === "last turn") this.#query.close();
    if (!result || kind === "last turn" || kind === "closed") return;
    this.#enter({ kind: "idle" });
    this.#calls.forget();
    this.#turns.forget();
    const isAborted = this.#query.options.abortController?.signal.aborted;
    const outcome = this.#run.end(isAborted ? "aborted" : this.error ? "failed" : earlyEnd(result));
    this.#query.deliver({ ...result, ...(outcome && { outcome }) });
  }

  /** The run must end in the middle of a turn, or go on with the tools-free one. */
  cutOff(decision?: Stop | RefuseAndSynthesize): void {
    if (this.#phase.kind === "working") this.#enter({ kind: "cut-off" });
    if (decision?.kind !== "synthesize") void this.#query.interrupt();
    else this.#cutOffForAnswer(decision.reason).catch((error) => this.fail(error));
  }

  /** What the model has to be told in the tools-free turn, if that is due. It is made now. */
  beginLastTurn(): string | undefined {
    if (this.#phase.kind !== "last turn" || this.#run.view.stop) return undefined;
    const { turn, reason } = this.#phase;
    if (turn.sent()) return undefined;
    this.#enter({ kind: "working" });
    this.#turns.expect(turn);
    // In the transcript, the program says of a call that was cut off that the user did it.
    return reason === undefined ? turn.message : `${reason}\n\n${turn.message}`;
  }

  /** Nobody reads any further: whatever the program still does must end, and opens no other run. */
  close(): void {
    this.#enter({ kind: "closed" });
  }

  #enter(phase: Phase): void {
    if (!this.isClosed) this.#phase = phase;
  }

  async #begin(id: string): Promise<void> {
    this.idle();
    this.#enter({ kind: "working" });
    this.#run.begin({ id, context: this.#query.context });
    await this.#usage.begin();
  }

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await this.#usage.report();
    if (this.#mustEnd) return { continue: false };
    const boundary = await this.#boundaryOf(this.#turns.next(agent_id));
    if (boundary) return { continue: false, stopReason: notRunAnymore(boundary) };
    const message = agent_id === undefined ? this.#turns.takeWrapUp() : undefined;
    if (message === undefined) return {};
    return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message } };
  }

  /** Where an agent must end instead of taking a turn, if it must. `reason`: what the model reads if it was cut off. */
  async #boundaryOf(admission: Promise<Turn | Stop>, reason?: string): Promise<Boundary | undefined> {
    const turn = await admission;
    if (turn.kind === "stop") return turn;
    if (turn.lastBecauseOf) this.#enter({ kind: "last turn", turn, reason });
    // It is aborted where the time limit cannot be looked at.
    turn.signal.addEventListener("abort", this.#aborted);
    return turn.lastBecauseOf;
  }

  get #mustEnd(): boolean {
    const { kind } = this.#phase;
    if (this.#query.options.abortController?.signal.aborted || this.#run.turn.signal.aborted) return true;
    return kind === "cut-off" || kind === "last turn" || kind === "closed";
  }

  async #startSubAgent(call: string, parentId: string | undefined): Promise<Stop | undefined> {
    await this.#usage.report();
    return this.#turns.start(call, parentId);
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      if (!this.#turns.requestMade()) this.#countUnannounced().catch((error) => this.fail(error));
      if (!this.#mustEnd) this.#enter({ kind: "working" });
    }
    this.#usage.see(event);
  }

  /** No hook told of this request: the answer before it was cut short, or a hook from the settings sent the agent on. */
  async #countUnannounced(): Promise<void> {
    await this.#usage.report();
    if (this.isClosed) return;
    if (await this.#boundaryOf(this.#turns.admit(undefined))) await this.#query.interrupt();
  }

  #seeResults(message: Extract<SDKMessage, { type: "user" }>): void {
    const unasked = succeededIn(message).filter((id) => !this.#calls.succeeded(id));
    if (message.parent_tool_use_id === null)
      for (const id of unasked) this.#turns.of(undefined).unadmittedCall({ id }).executed();
    if (this.#phase.kind === "working" && asksAgain(message))
      this.#enter({ kind: "working", asksAgain: true });
  }

  async #cutOffForAnswer(reason: string): Promise<void> {
    await this.#usage.report();
    const { synthesizing, stop } = this.#run.view;
    if (synthesizing && !stop) await this.#boundaryOf(this.#turns.admit(undefined), reason);
    await this.#query.interrupt();
  }

  readonly #aborted = (): void => this.cutOff();

  /** The main loop has answered. */
  #answered(result: SDKResultMessage): void {
    this.#enter({ kind: "resting" });
    this.#usage.reportResult(result);
    this.#turns.rest(result.num_turns > 0);
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
