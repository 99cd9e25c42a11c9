import type { ModelMessage } from "ai";
import type { AdapterOptions } from "../../driver/adapter-options.ts";
import { Driver } from "../../driver/driver.ts";
import type { RunInfo } from "../../driver/run-info.ts";
import type { Outcome } from "../../governor/outcome.ts";
import type { Failure } from "../../governor/run.ts";
import { ToolLoop } from "./tool-loop.ts";
import type { ToolLoopSettings } from "./tool-loop-settings.ts";

/** All tool loops under the same limits: opens and closes them, and finds the one that messages or a step belong to. */
export class ToolLoops {
  readonly #options: AdapterOptions;
  readonly #outcomes = new WeakMap<object, Outcome>();
  // Not by the id of a tool call: with some providers it is unique only within one answer.
  readonly #loopsByMessages = new WeakMap<ModelMessage[], ToolLoop>();
  #outcome: Outcome | undefined;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#newDriver(); // Refuses bad options here, and not in the first call.
  }

  /** How the last run ended. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** A call begins: a run of its own, or a part of its parent's run. */
  open(callId: string, parent: ToolLoop | undefined, settings: ToolLoopSettings): ToolLoop {
    return new ToolLoop(callId, parent?.driver ?? this.#newDriver(), !parent, settings);
  }

  /** The call is over. `finalStep`: its last step, if it had any. */
  close(loop: ToolLoop, failure: Failure | undefined, finalStep: object | undefined): void {
    const outcome = loop.end(failure);
    if (outcome && finalStep) this.#outcomes.set(finalStep, outcome);
  }

  outcomeOf(finalStep: object): Outcome | undefined {
    return this.#outcomes.get(finalStep);
  }

  /** A step of the loop is sent with these messages. Its tools get the same array. */
  sent(messages: ModelMessage[], loop: ToolLoop): void {
    this.#loopsByMessages.set(messages, loop);
  }

  loopOf(messages: ModelMessage[]): ToolLoop | undefined {
    return this.#loopsByMessages.get(messages);
  }

  #newDriver(): Driver {
    const onOutcome = (outcome: Outcome, run: RunInfo) => {
      this.#outcome = outcome;
      this.#options.onOutcome?.(outcome, run);
    };
    return new Driver({ ...this.#options, onOutcome });
  }
}
