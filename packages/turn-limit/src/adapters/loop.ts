/**
 * For a hand-written loop: a few calls around `while`.
 *
 * @module
 */
import type { AdapterOptions } from "../driver/adapter-options.ts";
import { Driver } from "../driver/driver.ts";
import { limitError } from "../governor/decision.ts";
import type { Governor } from "../governor/governor.ts";
import type { Outcome } from "../governor/outcome.ts";
import type { Failure, TurnEnd } from "../governor/run.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Usage } from "../meter/usage.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";

/** A turn that may begin. */
export interface LoopTurn {
  /** Offer the model tools? In the last, tools-free turn: no. */
  readonly tools: boolean;
  /** What the model has to be told in this request, besides the conversation. */
  readonly messages: readonly string[];
}

/** The limits of a hand-written loop. */
export interface LoopLimits {
  /** A person's prompt: a new run, with a fresh budget. */
  begin(): void;
  /**
   * Call it before each model request. `undefined`: the run must end. Throws `StepLimitExceeded`, or `LimitExceeded`,
   * when a limit raises.
   */
  nextTurn(signal?: AbortSignal): Promise<LoopTurn | undefined>;
  /** The request was answered; or it `"failed"` or was `"aborted"`; and what it took. */
  turnEnded(end?: Failure | TurnEnd): void;
  /**
   * Call it before each tool call, in the model's order. A text means that it must not run: give it to the model as the
   * result. Limits of single tools and of repeats need to know which call it is.
   */
  refusal(call?: StepCall): string | undefined;
  /**
   * Runs a tool call that was not refused, and has it counted. If the time is up before there is a result, a text that
   * says so.
   */
  execute<Result>(call: StepCall, run: () => PromiseLike<Result> | Result): Promise<Result | string>;
  /** Call it when a request is really being sent: more of them than were admitted end the run at once. Optional. */
  requestSent(): void;
  /** Give it to your requests: aborted when the run must end in the middle of one. */
  readonly signal: AbortSignal;
  /** Set it while the run waits for a person, for example to approve a tool call: that time does not count. */
  waiting: boolean;
  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void;
  /** The run is over: how it ended. */
  end(failure?: Failure): Outcome | undefined;
  /** How the last run ended. */
  readonly outcome: Outcome | undefined;
  /** To read where the run stands, or to change the limits. */
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
  const driver = new Driver(options);
  return {
    begin: () => driver.begin(),
    async nextTurn(signal) {
      const admission = await driver.admitTurn(signal);
      if (admission.kind === "stop") {
        const error = limitError(admission);
        if (error) throw error;
        return undefined;
      }
      const messages = admission.kind === "proceed" ? [] : [admission.message];
      return { tools: admission.kind !== "synthesize", messages };
    },
    turnEnded: (end) => driver.turnEnded(end),
    refusal: (call) => driver.refusal(call),
    async execute(call, run) {
      const executed = await driver.execute(call, run);
      return executed.kind === "result" ? executed.result : executed.reason;
    },
    requestSent: () => driver.requestSent(),
    get signal() {
      return driver.signal;
    },
    get waiting() {
      return driver.governor.view.waiting;
    },
    set waiting(waiting) {
      driver.waiting(waiting);
    },
    spend: (activity, usage) => driver.spend(activity, usage),
    end: (failure) => driver.end(failure),
    get outcome() {
      return driver.outcome;
    },
    governor: driver.governor,
  };
}
