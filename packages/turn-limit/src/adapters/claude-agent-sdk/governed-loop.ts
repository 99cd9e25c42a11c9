import { setImmediate } from "node:timers/promises";
import type {
  HookInput,
  HookJSONOutput,
  Options,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SyncHookJSONOutput,
} from "@anthropic-ai/claude-agent-sdk";
import type { AdapterOptions } from "../../driver/adapter-options.ts";
import type { Driver } from "../../driver/driver.ts";
import { limitError } from "../../governor/decision.ts";
import type { Outcome } from "../../governor/outcome.ts";
import type { Failure } from "../../governor/run.ts";
import type { GovernorView } from "../../governor/view.ts";
import { notRunAnymore } from "../../governor/wording.ts";
import type { Usage } from "../../meter/usage.ts";
import { governedHooks, governedStops, type HookAnswers } from "./options.ts";
import { ToolCalls } from "./tool-calls.ts";
import { TurnGate } from "./turn-gate.ts";
import { UsageReports } from "./usage-reports.ts";

/** The SDK's result message, with how the run of its prompt ended. */
export type LimitedResult = SDKResultMessage & { outcome?: Outcome };

/** A message of a query with limits. */
export type LimitedMessage = Exclude<SDKMessage, SDKResultMessage> | LimitedResult;

/** What the loop needs from the query that it governs. */
export interface GovernedQuery {
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
  #sentOnTurn: Promise<SyncHookJSONOutput> | undefined;
  #followed: AbortSignal | undefined;
  #isAnnounced = false;
  #isCutOff = false;
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
    const { Stop = [], ...hooks } = options.hooks ?? {};
    const stops = governedStops(Stop, (output) => this.#sentOn(output));
    this.hooks = governedHooks({ ...hooks, Stop: stops }, this.#answers, this.#fail);
  }

  /** What the model has to be told in the tools-free turn, if that is due. */
  takeSynthesis(): string | undefined {
    const message = this.#gate.takeSynthesis();
    this.#isAnnounced = message !== undefined;
    this.endedHere = this.#isCutOff = false;
    const reason = this.#cutOffReason;
    // In the transcript, the program says of a call that was cut off that the user did it.
    return message !== undefined && reason !== undefined ? `${reason}\n\n${message}` : message;
  }

  /** A message came: what the caller gets for it. */
  see(message: SDKMessage): LimitedMessage | undefined {
    this.sessionId = message.session_id ?? this.sessionId;
    const { includePartialMessages: partial = false } = this.#options;
    if (message.type === "stream_event") {
      if (message.parent_tool_use_id === null) this.#streamed(message.event);
      return partial ? message : undefined;
    }
    if (message.type === "user") this.#calls.see(message);
    if (message.type === "result") return this.#over(message);
    const requesting =
      message.type === "system" && message.subtype === "status" && message.status === "requesting";
    return requesting && !partial ? undefined : message;
  }

  readonly #answers: HookAnswers = {
    UserPromptSubmit: async (input) => {
      await setImmediate(); // By then all messages before the prompt have been seen.
      // The prompt joins the run that is under way, or is the tools-free turn's own.
      if (this.#view.status !== "idle") return {};
      this.endedHere = false;
      if (isFromPerson(input)) await this.#begin();
      return this.#nextTurn(input);
    },
    // Nothing is awaited before the refusal: the hooks are called in the model's order.
    PreToolUse: async ({ tool_use_id: id, tool_name: tool, tool_input: args }) => {
      const refused =
        this.#calls.refusal({ id, tool, args }) ??
        (tool === "Agent" ? await this.#subAgentRefusal() : undefined) ??
        this.#calls.begin({ id, tool, args });
      if (refused === undefined) return {};
      return {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: refused,
        },
      };
    },
    PostToolBatch: async (input) => {
      for (const { tool_use_id, tool_response } of input.tool_calls)
        this.#calls.ended(tool_use_id, tool_response);
      return this.#nextTurn(input);
    },
    // A hook from the settings has sent the agent on before, and may do so again.
    Stop: async ({ stop_hook_active }) => ({ continue: !(stop_hook_active && this.#view.exhausted) }),
  };

  /** The caller's hooks send the agent on: several of them may, into the same turn. */
  async #sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    this.#sentOnTurn ??= this.#nextTurn({ hook_event_name: "Stop" });
    const { continue: goesOn = true, ...decided } = await this.#sentOnTurn;
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
  }

  async #begin(): Promise<void> {
    this.#driver.begin();
    this.#followSignal();
    await this.#usage.begin();
  }

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await setImmediate();
    await this.#usage.answered();
    if (this.#signal?.aborted || this.#isCutOff) return { continue: false };
    const isSubAgent = agent_id !== undefined;
    const boundary = await (isSubAgent ? this.#gate.passSubAgent() : this.#gate.pass());
    this.#followSignal();
    if (boundary) return { continue: false, stopReason: notRunAnymore(boundary) };
    // The main loop has to wrap up, so it is told, whichever agent's turn made that due.
    if (isSubAgent) return {};
    this.#isAnnounced = true;
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
      this.#isAnnounced = false;
      this.#sentOnTurn = undefined;
    }
    this.#usage.see(event);
  }

  /** No hook told of this request: the answer before it was cut short, or a hook from the settings sent the agent on. */
  async #countUnannounced(): Promise<void> {
    await this.#usage.answered();
    if (!(await this.#gate.pass())) return;
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

  #over(result: SDKResultMessage): LimitedResult | undefined {
    this.#calls.forget();
    if (this.#view.status === "idle") return result;
    if (this.#gate.isSynthesisDue) return void this.#query.close();
    this.#isCutOff = false;
    this.#cutOffReason = undefined;
    this.#usage.over(result);
    const { stop } = this.#view;
    this.error ??= stop ? limitError(stop) : undefined;
    this.endedHere ||= stop !== null || this.error !== undefined;
    if (this.error) this.#query.close();
    const outcome = this.#driver.end(this.#failureOf(result));
    return { ...result, ...(outcome && { outcome }) };
  }

  #failureOf({ is_error, subtype, terminal_reason = "completed" }: SDKResultMessage): Failure | undefined {
    if (this.#signal?.aborted) return "aborted";
    if (this.error) return "failed";
    if (terminal_reason.startsWith("aborted")) return "aborted";
    if (!is_error) return undefined;
    return subtype === "error_max_turns" || subtype === "error_max_budget_usd" ? "aborted" : "failed";
  }
}

/** A background task that is done prompts the agent, too. That refreshes nothing. */
function isFromPerson({
  source,
  prompt,
}: Extract<HookInput, { hook_event_name: "UserPromptSubmit" }>): boolean {
  return source ? source === "user" || source === "sdk" : !prompt.startsWith("<task-notification>");
}
