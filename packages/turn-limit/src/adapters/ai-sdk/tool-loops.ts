import type { ModelMessage, ToolSet } from "ai";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run } from "../../run/run.ts";
import { Outcomes } from "../shared/outcomes.ts";
import { type CallStart, ToolLoop } from "./tool-loop.ts";

// The messages of every step that any limits govern.
const governed = new WeakSet<ModelMessage[]>();

/** All tool loops under the same limits: opens and closes them, and finds the one that messages or a result belong to. */
export class ToolLoops {
  readonly #options: AdapterOptions;
  readonly #outcomes = new Outcomes();
  // How many calls began with the same tools.
  readonly #callsWith = new WeakMap<ToolSet, number>();
  // Not by the id of a tool call: with some providers it is unique only within one answer.
  readonly #loopsByMessages = new WeakMap<ModelMessage[], ToolLoop>();

  constructor(options: AdapterOptions) {
    this.#options = options;
    // Bad options are refused at once.
    new Run(options);
  }

  /** How the last run ended. */
  get outcome(): Outcome | undefined {
    return this.#outcomes.last;
  }

  /** A call begins: a run of its own, or a part of its parent's run. */
  open(call: CallStart, parent: ToolLoop | undefined, signal: AbortSignal | undefined): ToolLoop {
    const { tools } = call;
    if (tools) this.#callsWith.set(tools, (this.#callsWith.get(tools) ?? 0) + 1);
    if (parent) {
      const { run, agent } = parent.subAgent();
      return new ToolLoop(call, run, agent, signal);
    }
    const run = this.#outcomes.newRun(this.#options);
    return new ToolLoop(call, run, run, signal);
  }

  /** The call is over. `finalStep`: its last step, if it had any. A promise if pools have to be told. */
  close(
    loop: ToolLoop,
    failure: Failure | undefined,
    finalStep: object | undefined,
  ): Promise<void> | undefined {
    const outcome = loop.end(failure);
    const settled = loop.poolsSettled();
    const { tools, steps } = loop;
    if (finalStep) this.#outcomes.keep(finalStep, () => outcome);
    if (steps) this.#outcomes.keep(steps, () => outcome);
    // If the caller began several calls with the very same tools, they say nothing.
    if (tools) this.#outcomes.keep(tools, () => (this.#callsWith.get(tools) === 1 ? outcome : undefined));
    return settled;
  }

  outcomeOf(result: unknown): Outcome | undefined {
    const outcomes = this.#outcomes;
    return (
      outcomes.of(result) ?? outcomes.of(ownValue(result, "steps")) ?? outcomes.of(ownValue(result, "tools"))
    );
  }

  /** A step of the loop is sent with these messages. Its tools get the same array. */
  sent(messages: ModelMessage[], loop: ToolLoop): void {
    this.#loopsByMessages.set(messages, loop);
    governed.add(messages);
  }

  /** The loop whose tool was called with these options; `undefined` if no limits govern it. */
  callerOf(toolOptions: unknown): ToolLoop | undefined {
    const { messages } = (toolOptions ?? {}) as { messages?: unknown };
    if (!Array.isArray(messages))
      throw new InvalidLimit("the options of subAgent()", toolOptions, "those that a tool's execute gets");
    const loop = this.loopOf(messages);
    // A budget of its own for every call of the tool is what nobody means by that.
    if (!loop && governed.has(messages)) {
      throw new Error(
        "turn-limit/ai-sdk: subAgent() got the options of a tool call that other limits govern. " +
          "Call subAgent() of the limits that govern the agent, or govern() for a run of its own",
      );
    }
    return loop;
  }

  loopOf(messages: ModelMessage[]): ToolLoop | undefined {
    return this.#loopsByMessages.get(messages);
  }
}

// Never calls an accessor: those of a stream's result begin to read the stream. It has its tools as a value, and the
// result of `generateText` has its steps.
function ownValue(result: unknown, name: string): unknown {
  return typeof result === "object" && result !== null
    ? Object.getOwnPropertyDescriptor(result, name)?.value
    : undefined;
}
