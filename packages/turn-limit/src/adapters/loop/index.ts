/**
 * For a hand-written loop: a few calls around `while`.
 *
 * @module
 */

import { limitError } from "../../core/governor/decision.ts";
import type { Governor } from "../../core/governor/governor.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure, TurnEnd } from "../../core/governor/run.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { type Admission, Driver } from "../../pools/old-driver/driver.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunInfo } from "../../run/run-info.ts";

export type { Model } from "../../core/meter/model.ts";
export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";

/** A turn that may begin. */
export interface LoopTurn {
  /** Offer the model tools? In the last, tools-free turn: no. */
  readonly tools: boolean;
  /** What the model has to be told in this request, besides the conversation. */
  readonly messages: readonly string[];
}

/** The limits of a hand-written loop. */
export interface LoopLimits {
  /**
   * A person's prompt: a new run, with a fresh budget. `ask` and `onOutcome` are told its `id` and `context`; without an
   * id it gets one.
   */
  begin(run?: Partial<RunInfo>): void;
  /**
   * Call it before each model request. `undefined`: the run must end. Throws `StepLimitExceeded`, or `LimitExceeded`,
   * when a limit raises.
   */
  nextTurn(signal?: AbortSignal): Promise<LoopTurn | undefined>;
  /** The request was answered; or it `"failed"` or was `"aborted"`; what it took, and the model, for its price. */
  turnEnded(end?: Failure | TurnEnd, model?: Model): void;
  /**
   * Call it before each tool call, in the model's order. A text means that it must not run: give it to the model as the
   * result. Limits of single tools and of repeats need to know which call it is.
   */
  refusal(call?: StepCall): Promise<string | undefined>;
  /**
   * Runs a tool call that was not refused, and has it counted. If the time is up before there is a result, a text that
   * says so. If there is a time limit, `run` is given a signal, which is aborted then.
   */
  execute<Result>(
    call: StepCall,
    run: (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result,
  ): Promise<Result | string>;
  /** Call it when a request is really being sent: more of them than were admitted end the run at once. Optional. */
  requestSent(): void;
  /** Give it to your requests: aborted when the run must end in the middle of one. */
  readonly signal: AbortSignal;
  /** Set it while the run waits for a person, for example to approve a tool call: that time does not count. */
  waiting: boolean;
  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage, model?: Model): void;
  /**
   * The limits of a loop that works for this run within a tool call: its turns and tool calls are this run's. Where the
   * run ends, the sub-agent's loop ends too, and the end is left to the loop that was prompted. What its answers take
   * counts by itself, so it must not be told to `spend` as well.
   */
  subAgent(): SubAgentLimits;
  /** The run is over: how it ended. */
  end(failure?: Failure): Outcome | undefined;
  /** Resolves when the pools have been told everything that the run used. To be awaited after `end`, if there are any. */
  poolsSettled(): Promise<void>;
  /** How the last run ended. */
  readonly outcome: Outcome | undefined;
  /** To read where the run stands, or to change the limits. */
  readonly governor: Governor;
}

/** The limits of a loop that works for a run of another loop. */
export type SubAgentLimits = Pick<
  LoopLimits,
  "nextTurn" | "turnEnded" | "refusal" | "execute" | "requestSent" | "signal" | "subAgent"
>;

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
 *     messages.push(result(call, (await limits.refusal(call)) ?? (await limits.execute(call, () => run(call)))));
 *   }
 * }
 * const outcome = limits.end();
 */
export function limitLoop(options: AdapterOptions = {}): LoopLimits {
  const driver = new Driver(options);
  const loop = limitsOf(driver, async (signal) => {
    const admission = await driver.admitTurn(signal);
    // The loop ends with an error then, and may not come to say so.
    if (admission.kind === "stop" && admission.raises) {
      driver.end();
      await driver.poolsSettled();
    }
    return admission;
  });
  return {
    ...loop,
    begin: (run) => driver.begin(run),
    spend: (activity, usage, model) => driver.spend(activity, usage, model),
    end: (failure) => driver.end(failure),
    poolsSettled: async () => driver.poolsSettled(),
    get signal() {
      return driver.signal;
    },
    get outcome() {
      return driver.outcome;
    },
    get waiting() {
      return driver.governor.view.waiting;
    },
    set waiting(waiting) {
      driver.waiting(waiting);
    },
    governor: driver.governor,
  };
}

/** What the loop of an agent and that of a sub-agent have in common. */
function limitsOf(driver: Driver, admit: (signal?: AbortSignal) => Promise<Admission>): SubAgentLimits {
  return {
    async nextTurn(signal) {
      const admission = await admit(signal);
      if (admission.kind === "stop") {
        const error = limitError(admission);
        if (error) throw error;
        return undefined;
      }
      const messages = admission.kind === "proceed" ? [] : [admission.message];
      return { tools: admission.kind !== "synthesize", messages };
    },
    turnEnded: (end, model) => driver.turnEnded(end, model),
    refusal: async (call) => driver.refusal(call),
    async execute(call, run) {
      const executed = await driver.execute(call, run);
      return executed.kind === "result" ? executed.result : executed.reason;
    },
    requestSent: () => driver.requestSent(),
    get signal() {
      return driver.signal;
    },
    subAgent: () => limitsOf(driver, (signal) => driver.admitSubAgentTurn(signal)),
  };
}
