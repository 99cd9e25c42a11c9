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
import type { Governor } from "../../governor/Governor.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { Usage } from "../../governor/Usage.ts";
import { refusal } from "../../governor/wording.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import { errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import { governedStops, type HookAnswers, hooksOf } from "./hooksOf.ts";
import { Ledger } from "./Ledger.ts";
import type { LimitedMessage, LimitedResult } from "./LimitedMessage.ts";
import { ToolCalls } from "./ToolCalls.ts";
import { TurnGate } from "./TurnGate.ts";

/** What the loop needs of the query that it governs. */
export interface GovernedQuery {
  interrupt(): Promise<void>;
  /** What the session has taken by now, if the program says. */
  total(): Promise<Usage | undefined>;
  /** Takes no further prompt. */
  close(): void;
}

/** An event after which the program makes a request. */
interface TurnEvent {
  hook_event_name: "UserPromptSubmit" | "PostToolBatch" | "Stop";
  agent_id?: string;
}

/** The program's loop, told and governed by its hooks and messages. */
export class GovernedLoop {
  readonly hooks: NonNullable<Options["hooks"]>;
  /** The session that the messages are of. */
  sessionId = "";
  /** What the query has to throw in the end, if a limit raises. */
  error: unknown;
  /** Was the program's run ended from here? What the query throws is of no interest then. */
  endedHere = false;

  readonly #runs: GovernedRuns;
  readonly #governor: Governor;
  readonly #options: Options;
  readonly #query: GovernedQuery;
  readonly #signal: AbortSignal | undefined;
  readonly #gate: TurnGate;
  readonly #ledger: Ledger;
  readonly #calls: ToolCalls;
  #onward: Promise<SyncHookJSONOutput> | undefined;
  #announced = false;
  #isCut = false;

  constructor(runs: GovernedRuns, options: Options, query: GovernedQuery, price: AdapterOptions["price"]) {
    this.#runs = runs;
    this.#governor = runs.governor;
    this.#options = options;
    this.#query = query;
    this.#signal = options.abortController?.signal;
    this.#gate = new TurnGate(runs, this.#signal);
    this.#ledger = new Ledger(runs, options, query.total, price);
    this.#calls = new ToolCalls(runs, this.#cutOff);
    const { Stop = [], ...hooks } = options.hooks ?? {};
    const stops = governedStops(Stop, (output) => this.#sentOn(output));
    this.hooks = hooksOf({ ...hooks, Stop: stops }, this.#answers, this.#fail);
  }

  /** What the model has to be told in the tools-free turn, if that is due. */
  takeSynthesis(): string | undefined {
    const message = this.#gate.takeSynthesis();
    this.#announced = message !== undefined;
    this.endedHere = this.#isCut = false;
    return message;
  }

  /** A message came: what the caller gets of it. */
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
      await setImmediate(); // what came before it has been seen
      // Folded into the run that is under way, or the tools-free turn's own.
      if (this.#governor.status !== "idle") return {};
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
      // The boundary is the main loop's: it may ask for an answer there.
      if (input.agent_id !== undefined && this.#governor.exhausted) return { continue: false };
      return this.#nextTurn(input);
    },
    // A hook of the settings has sent the agent on before, and may do so again.
    Stop: async ({ stop_hook_active }) => ({ continue: !(stop_hook_active && this.#governor.exhausted) }),
  };

  /** Several hooks may send the agent on, into the same turn. */
  async #sentOn(output: SyncHookJSONOutput): Promise<HookJSONOutput> {
    this.#onward ??= this.#nextTurn({ hook_event_name: "Stop" });
    const { continue: goesOn = true, ...decided } = await this.#onward;
    return goesOn ? { ...output, ...decided } : { continue: false, ...decided };
  }

  async #begin(): Promise<void> {
    this.#runs.begin();
    this.endedHere = false;
    this.#runs.cutOff.addEventListener("abort", this.#cutOff, { once: true });
    await this.#ledger.begin();
  }

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await setImmediate();
    await this.#ledger.answered();
    if (this.#signal?.aborted || this.#isCut) return { continue: false };
    const boundary = await this.#gate.pass();
    if (boundary) return { continue: false, stopReason: refusal(boundary) };
    // It is the main loop that has to wrap up, so that is told, whoever's turn made it due.
    if (agent_id !== undefined) return {};
    this.#announced = true;
    const message = this.#gate.takeWrapUp();
    if (message === undefined) return {};
    return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message } };
  }

  async #subAgentRefusal(): Promise<string | undefined> {
    await this.#ledger.answered();
    const boundary = await this.#gate.passSubAgent();
    return boundary && refusal(boundary);
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      if (!this.#announced) this.#countUnannounced().catch(this.#fail);
      this.#announced = false;
      this.#onward = undefined;
    }
    this.#ledger.see(event);
  }

  /** No hook told of this request: the one before it was cut off, or a `Stop` hook of another sent the agent on. */
  async #countUnannounced(): Promise<void> {
    await this.#ledger.answered();
    if (!(await this.#gate.pass())) return;
    this.endedHere = true;
    await this.#query.interrupt();
  }

  /** The run must end in the middle of a turn, or go on with the tools-free one. */
  readonly #cutOff = (): void => {
    if (this.#isCut) return;
    this.#isCut = this.endedHere = true;
    this.#interrupt().catch(this.#fail);
  };

  async #interrupt(): Promise<void> {
    if (this.#governor.synthesizing && !this.#governor.stop) {
      await this.#ledger.answered();
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
    if (this.#governor.status === "idle") return result;
    if (this.#gate.isSynthesisDue) return void this.#query.close();
    this.#isCut = false;
    this.#ledger.over(result);
    const { stop } = this.#governor;
    this.error ??= stop ? errorOf(stop) : undefined;
    this.endedHere ||= stop !== null || this.error !== undefined;
    if (this.error) this.#query.close();
    const outcome = this.#runs.end(this.#mishapOf(result));
    return { ...result, ...(outcome && { outcome }) };
  }

  #mishapOf({ is_error, subtype, terminal_reason = "completed" }: SDKResultMessage): Mishap | undefined {
    if (this.#signal?.aborted) return "aborted";
    if (this.error) return "failed";
    if (terminal_reason.startsWith("aborted")) return "aborted";
    if (!is_error) return undefined;
    return subtype === "error_max_turns" || subtype === "error_max_budget_usd" ? "aborted" : "failed";
  }
}

/** A background task that is done prompts the agent too, and refreshes nothing. */
function isFromPerson({
  source,
  prompt,
}: Extract<HookInput, { hook_event_name: "UserPromptSubmit" }>): boolean {
  return source ? source === "user" || source === "sdk" : !prompt.startsWith("<task-notification>");
}
