/**
 * For a hand-written loop: a few calls around `while`.
 *
 * @module
 */
import type { Governor } from "../governor/Governor.ts";
import type { Outcome } from "../governor/Outcome.ts";
import type { Mishap, TurnEnd } from "../governor/RequestStatus.ts";
import type { Usage } from "../governor/Usage.ts";
import type { StepCall } from "../limits/RepeatTracker.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { errorOf, GovernedRuns } from "./shared/GovernedRuns.ts";

export type { AdapterOptions } from "./shared/AdapterOptions.ts";

/** A turn that may begin. */
export interface LoopTurn {
  /** Offer the model tools? In the last, tools-free turn: no. */
  readonly tools: boolean;
  /** What the model has to be told in this request, beside the conversation. */
  readonly messages: readonly string[];
}

/** The limits around a loop of one's own. */
export interface LoopLimits {
  /** A person's prompt: a new run, with a fresh budget. */
  begin(): void;
  /**
   * Call it before each model request. `undefined`: the run must end. Throws `StepLimitExceeded` when the step limit
   * raises.
   */
  nextTurn(signal?: AbortSignal): Promise<LoopTurn | undefined>;
  /** The request was answered; or it `"failed"` or was `"aborted"`; and what it took. */
  turnEnded(end?: Mishap | TurnEnd): void;
  /**
   * Call it before each tool call, in the model's order. A text is the call's result: it must not run. Limits of single
   * tools and of repeats need to know which call it is.
   */
  refusal(call?: StepCall): string | undefined;
  /**
   * Runs a tool call that was not refused, and has it counted. A text is its result if the time is up before it has one
   * of its own.
   */
  execute<Result>(call: StepCall, run: () => PromiseLike<Result> | Result): Promise<Result | string>;
  /** Call it when a request is really being sent: more of them than were admitted end the run at once. Optional. */
  requestSent(): void;
  /** Give it to your requests: aborted when the run must end in the middle of one. */
  readonly signal: AbortSignal;
  /** Say so while a person is waited for, for example to approve a tool call: that time does not count. */
  waiting: boolean;
  /** The run spent something beside its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void;
  /** The run is over: how it ended. */
  end(mishap?: Mishap): Outcome | undefined;
  /** How the last run ended. */
  readonly outcome: Outcome | undefined;
  readonly governor: Governor;
}

/**
 * Makes the limits of a loop.
 *
 * @example
 * const limits = limitLoop({ turns: 25, steps: 40 });
 * limits.begin();
 * for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
 *   const answer = await model([...messages, ...turn.messages.map(user)], turn.tools ? tools : [], limits.signal);
 *   limits.turnEnded({ usage: answer.usage });
 *   messages.push(answer);
 *   if (answer.calls.length === 0) break;
 *   for (const call of answer.calls) {
 *     messages.push(result(call, limits.refusal(call) ?? (await limits.execute(call, () => run(call)))));
 *   }
 * }
 * const outcome = limits.end();
 */
export function limitLoop(options: AdapterOptions = {}): LoopLimits {
  const runs = new GovernedRuns(options);
  return {
    begin: () => runs.begin(),
    async nextTurn(signal) {
      const admission = await runs.admitTurn(signal);
      if (admission.kind === "stop") {
        const error = errorOf(admission);
        if (error) throw error;
        return undefined;
      }
      const messages = admission.kind === "proceed" ? [] : [admission.message];
      return { tools: admission.kind !== "synthesize", messages };
    },
    turnEnded: (end) => runs.turnEnded(end),
    refusal: (call) => runs.refusal(call),
    execute: (call, run) => runs.execute(call, run),
    requestSent: () => runs.requestSent(),
    get signal() {
      return runs.cutOff;
    },
    get waiting() {
      return runs.governor.waiting;
    },
    set waiting(waiting) {
      runs.waiting = waiting;
    },
    spend: (activity, usage) => runs.spend(activity, usage),
    end: (mishap) => runs.end(mishap),
    get outcome() {
      return runs.outcome;
    },
    governor: runs.governor,
  };
}
