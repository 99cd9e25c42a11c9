import { setImmediate } from "node:timers/promises";
import type {
  HookJSONOutput,
  Options,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { GovernorView } from "../../core/governor/view.ts";
import { notRunAnymore } from "../../core/governor/wording.ts";
import type { Usage } from "../../core/meter/usage.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { deniedIn, tellingDialog, tellingHooks } from "./denials.ts";
import {
  type Dialogs,
  denial,
  governedDialogs,
  governedHooks,
  governedStops,
  type HookAnswers,
} from "./options.ts";
import { asksAgain, isFromPerson, isWanted } from "./program-messages.ts";
import { programEnd, type RunEnd, RunResults } from "./run-results.ts";
import { ToolCalls } from "./tool-calls.ts";
import { TurnGate } from "./turn-gate.ts";
import { UsageReports } from "./usage-reports.ts";

/** The SDK's result message, with how the run of its prompt ended. */
export type LimitedResult = SDKResultMessage & { outcome?: Outcome };

/** A message of a query with limits. */
export type LimitedMessage = Exclude<SDKMessage, SDKResultMessage> | LimitedResult;

/** What the loop needs from the query that it governs. */
export interface GovernedQuery {
  /** What the caller gave with the query. */
  context: unknown;
  /** Gives the caller a message. */
  deliver(message: LimitedMessage): void;
  interrupt(): Promise<void>;
  /** What the session has used by now, if the program says. */
  total(): Promise<Usage | undefined>;
  /** From now on no prompt is accepted. */
  close(): void;
}

/** An event after which the program makes a request. */
interface TurnEvent {
  hook_event_name: "UserPromptSubmit" | "PostToolBatch" | "Stop";
  agent_id?: string;
}

/** Governs the program's loop, by its hooks and messages. */
export class GovernedLoop {
  readonly hooks: NonNullable<Options["hooks"]>;
  readonly dialogs: Dialogs;
  /** The session that the messages are of. */
  sessionId = "";
  /** What the query has to throw in the end, for example because a limit raises. */
  error: unknown;
  /** Did we end the program's run? Then what the query throws does not matter. */
  endedHere = false;

  readonly #driver: Driver;
  readonly #view: GovernorView;
  readonly #options: Options;
  readonly #query: GovernedQuery;
  readonly #signal: AbortSignal | undefined;
  readonly #gate: TurnGate;
  readonly #usage: UsageReports;
  readonly #calls: ToolCalls;
  readonly #results = new RunResults();
  /** Has the main loop given its answer, and not begun to work again? Sub-agents may be at work. */
  #isAtRest = false;
  /** Was a turn admitted for which the program made no request? */
  #isTurnLeft = false;
  /** Does the program say when it is idle? Older ones do not. */
  #tellsState = false;
  /** The model gave no object where one is wanted, and the program asks it again. */
  #isAskedAgain = false;
  /** Requests of the main loop since its last answer. */
  #requests = 0;
  #sentOnTurn: Promise<SyncHookJSONOutput> | undefined;
  #followed: AbortSignal | undefined;
  #isAnnounced = false;
  #isCutOff = false;
  #isClosed = false;
  #cutOffReason: string | undefined;

  constructor(driver: Driver, options: Options, query: GovernedQuery, price: AdapterOptions["price"]) {
    this.#driver = driver;
    this.#view = driver.governor.view;
    this.#options = options;
    this.#query = query;
    this.#signal = options.abortController?.signal;
    this.#gate = new TurnGate(driver, this.#signal);
    this.#usage = new UsageReports(driver, options, query.total, price);
    this.#calls = new ToolCalls(driver, this.#cutOff);
    const { Stop = [], PreToolUse = [], ...hooks } = options.hooks ?? {};
    const governed = {
      Stop: governedStops(Stop, (output) => this.#sentOn(output)),
      PreToolUse: tellingHooks(PreToolUse, this.#calls.denied),
    };
    this.hooks = governedHooks({ ...hooks, ...governed }, this.#answers, this.#fail, () => this.#isClosed);
    this.dialogs = governedDialogs(
      options.canUseTool
        ? { ...options, canUseTool: tellingDialog(options.canUseTool, this.#calls.denied) }
        : options,
      driver,
    );
  }

  /** What the model has to be told in the tools-free turn, if that is due. */
  takeSynthesis(): string | undefined {
    const message = this.#gate.takeSynthesis();
    this.#isAnnounced = message !== undefined;
    this.endedHere = this.#isCutOff = this.#isAtRest = false;
    const reason = this.#cutOffReason;
    // In the transcript, the program says of a call that was cut off that the user did it.
    return message !== undefined && reason !== undefined ? `${reason}\n\n${message}` : message;
  }

  /** A message came. */
  see(message: SDKMessage): void {
    this.sessionId = message.session_id ?? this.sessionId;
    if (message.type === "stream_event" && message.parent_tool_use_id === null) this.#streamed(message.event);
    deniedIn(message).forEach(this.#calls.denied);
    if (message.type === "user") {
      this.#calls.see(message);
      this.#isAskedAgain ||= asksAgain(message);
    }
    if (message.type === "system" && message.subtype === "session_state_changed")
      this.#stateIs(message.state);
    if (message.type === "result") this.#answered(message);
    else if (isWanted(message, this.#options)) this.#query.deliver(message);
  }

  /** Nobody reads any further: whatever the program still does must end, and opens no other run. */
  close(): void {
    this.#isClosed = true;
  }

  /** The program has ended. */
  programEnded(): void {
    if (!this.#gate.isSynthesisDue) this.#endRun();
  }

  readonly #answers: HookAnswers = {
    UserPromptSubmit: async (input) => {
      await setImmediate(); // By then all messages before the prompt have been seen.
      // A sub-agent in the background has ended, but the main loop is about to make the answer without tools.
      if (this.#gate.isSynthesisDue) return { continue: false };
      // The prompt joins the turn that is under way, or is the tools-free turn's own.
      if (this.#view.status !== "idle" && !this.#isAtRest) return {};
      this.endedHere = false;
      if (isFromPerson(input)) await this.#begin(input.session_id);
      else if (this.#isTurnLeft) return this.#useTurnLeft();
      return this.#nextTurn(input);
    },
    // Nothing is awaited before the refusal: the hooks are called in the model's order.
    PreToolUse: async ({ tool_use_id: id, tool_name: tool, tool_input: args }) => {
      if (this.#calls.isAnswer({ id, tool })) return {};
      const refused =
        (await this.#calls.refusal({ id, tool, args })) ??
        (tool === "Agent" ? await this.#subAgentRefusal() : undefined) ??
        this.#calls.begin({ id, tool, args });
      if (refused === undefined) return {};
      return denial(refused);
    },
    PostToolUse: async ({ tool_use_id }) => this.#hasRun(tool_use_id),
    PostToolUseFailure: async ({ tool_use_id }) => this.#hasRun(tool_use_id),
    PostToolBatch: async (input) => {
      await setImmediate();
      for (const { tool_use_id, tool_response } of input.tool_calls)
        this.#calls.ended(tool_use_id, tool_response);
      const isLast =
        this.#calls.haveAnswer(input.tool_calls.map(({ tool_use_id }) => tool_use_id)) ||
        (input.agent_id === undefined && this.#requests >= (this.#options.maxTurns ?? Infinity));
      return isLast ? {} : this.#nextTurn(input);
    },
    Stop: async ({ stop_hook_active }) => {
      await setImmediate();
      if (this.#isAskedAgain) return this.#sentOn({});
      // A hook from the settings has sent the agent on before, and may do so again.
      return { continue: !(stop_hook_active && this.#view.exhausted) };
    },
  };

  #hasRun(id: string): HookJSONOutput {
    this.#calls.hasRun(id);
    return {};
  }

  /** Hooks send the agent on: several of them may, into the same turn. */
  async #sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    this.#sentOnTurn ??= this.#nextTurn({ hook_event_name: "Stop" });
    const { continue: goesOn = true, ...decided } = await this.#sentOnTurn;
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
  }

  #useTurnLeft(): HookJSONOutput {
    this.#isTurnLeft = this.#isAtRest = false;
    return {};
  }

  async #begin(id: string): Promise<void> {
    this.#endRun();
    this.#driver.begin({ id, context: this.#query.context });
    this.#followSignal();
    await this.#usage.begin();
  }

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await setImmediate();
    await this.#usage.answered();
    if (this.#signal?.aborted || this.#isCutOff || this.#isClosed) return { continue: false };
    const isSubAgent = agent_id !== undefined;
    const boundary = await (isSubAgent ? this.#gate.passSubAgent() : this.#gate.pass());
    this.#followSignal();
    if (boundary) return { continue: false, stopReason: notRunAnymore(boundary) };
    // The main loop has to wrap up, so it is told, whichever agent's turn made that due.
    if (isSubAgent) return {};
    this.#isAnnounced = true;
    this.#isAtRest = false;
    const message = this.#gate.takeWrapUp();
    if (message === undefined) return {};
    return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message } };
  }

  async #subAgentRefusal(): Promise<string | undefined> {
    await this.#usage.answered();
    const boundary = await this.#gate.passSubAgent();
    return boundary && notRunAnymore(boundary);
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      if (!this.#isAnnounced) this.#countUnannounced().catch(this.#fail);
      this.#isAnnounced = this.#isAskedAgain = false;
      this.#requests += 1;
      this.#sentOnTurn = undefined;
    }
    this.#usage.see(event);
  }

  /** No hook told of this request: the answer before it was cut short, or a hook from the settings sent the agent on. */
  async #countUnannounced(): Promise<void> {
    await this.#usage.answered();
    if (this.#isClosed || !(await this.#gate.pass())) return;
    this.endedHere = true;
    await this.#query.interrupt();
  }

  /** The driver has a new signal for each run. */
  #followSignal(): void {
    const { signal } = this.#driver;
    if (signal === this.#followed) return;
    this.#followed = signal;
    signal.addEventListener("abort", () => this.#cutOff(), { once: true });
  }

  /** The run must end in the middle of a turn, or go on with the tools-free one. */
  readonly #cutOff = (reason?: string): void => {
    if (this.#isCutOff) return;
    this.#isCutOff = this.endedHere = true;
    this.#cutOffReason = reason;
    this.#interrupt().catch(this.#fail);
  };

  async #interrupt(): Promise<void> {
    if (this.#view.synthesizing && !this.#view.stop) {
      await this.#usage.answered();
      await this.#gate.admit();
    }
    await this.#query.interrupt();
  }

  readonly #fail = (error: unknown): void => {
    this.error = error;
    void this.#query.interrupt();
  };

  /** The main loop has answered. Sub-agents in the background may be at work, and it will answer again. */
  #answered(result: SDKResultMessage): void {
    this.#requests = 0;
    if (this.#view.status === "idle") this.#query.deliver(result);
    else if (this.#gate.isSynthesisDue) this.#awaitSynthesis();
    else this.#keep(result);
  }

  #keep(result: SDKResultMessage): void {
    this.#isAtRest = true;
    // When several sub-agents are done at once, the program asks the model about all of them in one request.
    this.#isTurnLeft = this.#isAnnounced && result.num_turns === 0;
    this.#usage.over(result);
    this.#results.add(result);
    this.error ??= this.#driver.raisedError;
    this.endedHere ||= this.#view.stop !== null || this.error !== undefined;
    if (this.error) this.#query.close();
    if (!this.#tellsState) this.#endRun();
  }

  #stateIs(state: "idle" | "running" | "requires_action"): void {
    this.#tellsState = true;
    if (state !== "idle") return;
    if (this.#gate.isSynthesisDue) this.#awaitSynthesis();
    else this.#endRun();
  }

  // The program has to end first: the session can be in one only.
  #awaitSynthesis(): void {
    this.#results.take();
    this.#query.close();
  }

  /** The run is over, if its main loop has answered. */
  #endRun(): void {
    const result = this.#results.take();
    if (!result) return;
    this.#calls.forget();
    this.#isCutOff = this.#isAtRest = this.#isTurnLeft = false;
    this.#cutOffReason = undefined;
    const outcome = this.#driver.end(this.#endOf(result));
    this.#query.deliver({ ...result, ...(outcome && { outcome }) });
  }

  #endOf(result: SDKResultMessage): RunEnd {
    if (this.#signal?.aborted) return "aborted";
    return this.error ? "failed" : programEnd(result);
  }
}
