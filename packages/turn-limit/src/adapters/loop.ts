/**
 * For a hand-written loop: a few calls around `while`.
 *
 * @module
 */
import type { Governor } from "../governor/Governor.ts";
import type { Outcome } from "../governor/Outcome.ts";
import type { Mishap, TurnEnd } from "../governor/RequestStatus.ts";
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
  /** Call it before each tool call, in the model's order. A text is the call's result: it must not run. */
  refusal(): string | undefined;
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
 *   const answer = await model([...messages, ...turn.messages.map(user)], turn.tools ? tools : []);
 *   limits.turnEnded({ usage: answer.usage });
 *   messages.push(answer);
 *   if (answer.calls.length === 0) break;
 *   for (const call of answer.calls) messages.push(result(call, limits.refusal() ?? (await execute(call))));
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
    refusal: () => runs.refusal(),
    end: (mishap) => runs.end(mishap),
    get outcome() {
      return runs.outcome;
    },
    governor: runs.governor,
  };
}
