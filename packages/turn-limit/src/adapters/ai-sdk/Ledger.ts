import type { ModelMessage } from "ai";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap } from "../../governor/RequestStatus.ts";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import { GovernedRuns } from "../shared/GovernedRuns.ts";
import { ToolLoop } from "./ToolLoop.ts";
import type { ToolLoopSettings } from "./ToolLoopSettings.ts";

/** What all loops under the same limits have in common: how they begin and end, and which step is whose. */
export class Ledger {
  readonly #options: AdapterOptions;
  readonly #outcomes = new WeakMap<object, Outcome>();
  // Not by the id of a tool call: with some providers it is unique only within one answer.
  readonly #loopOfMessages = new WeakMap<ModelMessage[], ToolLoop>();
  /** How the run that ended last did. */
  outcome: Outcome | undefined;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#newRuns(); // refuses what no limit can be here, and not in the first call
  }

  /** A call begins: a run, or a part of the run of its parent. */
  open(callId: string, parent: ToolLoop | undefined, settings: ToolLoopSettings): ToolLoop {
    return new ToolLoop(callId, parent?.runs ?? this.#newRuns(), !parent, settings);
  }

  /** The call is over, with this step as its last if it had any. */
  close(loop: ToolLoop, mishap: Mishap | undefined, finalStep: object | undefined): void {
    const outcome = loop.end(mishap);
    if (outcome && finalStep) this.#outcomes.set(finalStep, outcome);
  }

  outcomeOf(finalStep: object): Outcome | undefined {
    return this.#outcomes.get(finalStep);
  }

  /** A step of the loop is sent with these messages, which its tools get too. */
  sent(messages: ModelMessage[], loop: ToolLoop): void {
    this.#loopOfMessages.set(messages, loop);
  }

  loopOf(messages: ModelMessage[]): ToolLoop | undefined {
    return this.#loopOfMessages.get(messages);
  }

  #newRuns(): GovernedRuns {
    const onOutcome = (outcome: Outcome) => {
      this.outcome = outcome;
      this.#options.onOutcome?.(outcome);
    };
    return new GovernedRuns({ ...this.#options, onOutcome });
  }
}
