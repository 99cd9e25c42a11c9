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
import type { Stop, Synthesize } from "../../governor/Decision.ts";
import type { Governor } from "../../governor/Governor.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import { refusal } from "../../governor/refusal.ts";
import { type Admission, errorOf, type GovernedRuns } from "../shared/GovernedRuns.ts";
import { AnswerMeter } from "./AnswerMeter.ts";
import { governedStops, type HookAnswers, hooksOf } from "./hooksOf.ts";
import type { LimitedMessage, LimitedResult } from "./LimitedMessage.ts";

/** What the loop needs of the query that it governs. */
interface GovernedQuery {
  interrupt(): Promise<void>;
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
  readonly #meter: AnswerMeter;
  #admitting: Promise<unknown> = Promise.resolve();
  #onward: Promise<SyncHookJSONOutput> | undefined;
  #announced = false;
  #untold: string | undefined;
  #synthesis: string | undefined;

  constructor(runs: GovernedRuns, options: Options, query: GovernedQuery) {
    this.#runs = runs;
    this.#governor = runs.governor;
    this.#options = options;
    this.#query = query;
    this.#signal = options.abortController?.signal;
    this.#meter = new AnswerMeter(options.resume || options.continue ? undefined : 0);
    const { Stop = [], ...hooks } = options.hooks ?? {};
    const stops = governedStops(Stop, (output) => this.#sentOn(output));
    this.hooks = hooksOf({ ...hooks, Stop: stops }, this.#answers, this.#fail);
  }

  /** What the model has to be told in the tools-free turn, if that is due. */
  takeSynthesis(): string | undefined {
    const message = this.#synthesis;
    this.#synthesis = undefined;
    this.#announced = message !== undefined;
    this.endedHere = false;
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
      if (isFromPerson(input)) this.#runs.begin();
      return this.#nextTurn(input);
    },
    // Nothing is awaited before the refusal: the hooks are called in the model's order.
    PreToolUse: async ({ tool_name }) => {
      const refused =
        this.#runs.refusal() ?? (tool_name === "Agent" ? await this.#subAgentRefusal() : undefined);
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

  async #nextTurn({ hook_event_name, agent_id }: TurnEvent): Promise<SyncHookJSONOutput> {
    await setImmediate();
    this.#answered();
    if (this.#signal?.aborted) return { continue: false };
    const admission = await this.#admit();
    if (ends(admission)) return { continue: false, stopReason: refusal(admission) };
    // It is the main loop that has to wrap up, so that is told, whoever's turn made it due.
    if (agent_id !== undefined) return {};
    this.#announced = true;
    const message = this.#untold;
    this.#untold = undefined;
    if (message === undefined) return {};
    return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: message } };
  }

  /** One after the other: sub-agents work side by side, and a person is asked one question at a time. */
  #admit(): Promise<Admission> {
    const admitting = this.#admitting.then(async () => {
      const admission = await this.#runs.admitTurn(this.#signal);
      if (admission.kind === "wrap-up") this.#untold = admission.message;
      if (admission.kind === "synthesize") this.#synthesis = admission.message;
      return admission;
    });
    this.#admitting = admitting.catch(() => {});
    return admitting;
  }

  async #subAgentRefusal(): Promise<string | undefined> {
    this.#answered();
    const goesOn = !this.#governor.exhausted && !ends(await this.#admit());
    const { turnsUsed: used, maxTurns: max } = this.#governor;
    return goesOn ? undefined : refusal({ limit: "turns", used, max });
  }

  #streamed(event: SDKPartialAssistantMessage["event"]): void {
    if (event.type === "message_start") {
      if (!this.#announced) this.#countUnannounced().catch(this.#fail);
      this.#announced = false;
      this.#onward = undefined;
    }
    this.#meter.see(event);
  }

  /** No hook told of this request: the one before it was cut off, or a `Stop` hook of another sent the agent on. */
  async #countUnannounced(): Promise<void> {
    this.#answered();
    if (!ends(await this.#admit())) return;
    this.endedHere = true;
    await this.#query.interrupt();
  }

  readonly #fail = (error: unknown): void => {
    this.error = error;
    void this.#query.interrupt();
  };

  #answered(): void {
    this.#runs.turnEnded(this.#meter.take());
  }

  #over(result: SDKResultMessage): LimitedResult | undefined {
    if (this.#governor.status === "idle") return result;
    if (this.#synthesis !== undefined) return void this.#query.close();
    this.#meter.seeResult(result);
    this.#answered();
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

function ends(admission: Admission): admission is Stop | Synthesize {
  return admission.kind === "stop" || admission.kind === "synthesize";
}

/** A background task that is done prompts the agent too, and refreshes nothing. */
function isFromPerson({
  source,
  prompt,
}: Extract<HookInput, { hook_event_name: "UserPromptSubmit" }>): boolean {
  return source ? source === "user" || source === "sdk" : !prompt.startsWith("<task-notification>");
}
