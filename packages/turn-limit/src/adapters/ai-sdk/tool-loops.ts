import type { ModelMessage, ToolSet } from "ai";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run-state.ts";
import { newHiddenField } from "../../core/hidden-field.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import { Runs } from "../shared/runs.ts";
import { isMadeFrom } from "./governed-tools.ts";
import { type CallStart, type NextStep, ToolLoop } from "./tool-loop.ts";

/** Whose loop a step belongs to. There are several where several limits govern a call. */
interface Governing {
  readonly by: ToolLoops;
  loop: ToolLoop;
  readonly next: Governing | undefined;
}

// By the messages of the step. Not by the id of a tool call: with some providers it is unique only within one answer.
const governing = newHiddenField<Governing>();

/** All tool loops under the same limits: opens and closes them, and finds the one that a step, a tool call or a result belongs to. */
export class ToolLoops {
  readonly #runs: Runs;
  readonly #open = new Map<string, ToolLoop>();
  // How many calls began with the same tools.
  readonly #callsWith = newHiddenField<number>();

  constructor(options: AdapterOptions) {
    this.#runs = new Runs(options);
  }

  /** How the last run ended. */
  get outcome(): Outcome | undefined {
    return this.#runs.outcome;
  }

  /** A call begins: a run of its own, or a part of its parent's run. */
  open(call: CallStart, parent: ToolLoop | undefined, signal: AbortSignal | undefined): void {
    const { callId, tools } = call;
    if (tools) this.#callsWith.set(tools, (this.#callsWith.get(tools) ?? 0) + 1);
    const agent = parent?.agent.subAgent() ?? new HostedAgent(this.#runs.newRun());
    agent.beginRun({ id: callId, context: call.runtimeContext });
    this.#open.set(callId, new ToolLoop(call, agent, signal));
  }

  /** The loop of this call, if it has begun and not ended. */
  get(callId: string): ToolLoop | undefined {
    return this.#open.get(callId);
  }

  /** The loop that a step belongs to. Of the first step the SDK does not say which call it is of. */
  ofStep({ steps, initialMessages }: NextStep, tools: ToolSet | undefined): ToolLoop | undefined {
    const last = steps.at(-1);
    return last ? this.get(last.callId) : this.#beginning(initialMessages, tools);
  }

  /** The loop that a call of one of these tools belongs to. One that was approved before is executed before the first step. */
  ofToolCall(messages: ModelMessage[], tools: ToolSet): ToolLoop | undefined {
    return this.#governing(messages)?.loop ?? this.#beginning(messages, tools);
  }

  #governing(messages: ModelMessage[]): Governing | undefined {
    let found = governing.get(messages);
    while (found && found.by !== this) found = found.next;
    return found;
  }

  // Several may begin with the same messages, and then have different tools.
  #beginning(messages: ModelMessage[], tools: ToolSet | undefined): ToolLoop | undefined {
    const all = [...this.#open.values()];
    const beginning = all.filter(({ start, steps }) => start.messages === messages && !steps);
    return beginning.find(({ start }) => isMadeFrom(start.tools, tools)) ?? beginning[0];
  }

  /** A step of the loop is sent with these messages. Its tools get the same array. */
  sent(messages: ModelMessage[], loop: ToolLoop): void {
    const known = this.#governing(messages);
    if (known) known.loop = loop;
    else governing.set(messages, { by: this, loop, next: governing.get(messages) });
  }

  /**
   * The call is over. `finalStep`: its last step, if it had any. What `stopWhen` and `prepareStep` throw ends the call, too,
   * and the SDK calls no callback then. Whoever has to wait for pools gets a promise.
   */
  close(loop: ToolLoop | undefined, failure?: Failure, finalStep?: object): Promise<void> | undefined {
    if (!loop) return undefined;
    const { start, steps, agent } = loop;
    const { callId, tools } = start;
    this.#open.delete(callId);
    const outcome = loop.end(failure);
    if (finalStep) this.#runs.returned(finalStep, () => outcome);
    if (steps) this.#runs.returned(steps, () => outcome);
    // If the caller began several calls with the very same tools, they say nothing.
    if (tools) this.#runs.returned(tools, () => (this.#callsWith.get(tools) === 1 ? outcome : undefined));
    return agent.settled();
  }

  outcomeOf(result: unknown): Outcome | undefined {
    const found = [result, ownValue(result, "steps"), ownValue(result, "tools")];
    return found.map((each) => this.#runs.outcomeOf(each)).find(Boolean);
  }

  /** The loop whose tool was called with these options; `undefined` if no limits govern it. */
  callerOf(toolOptions: unknown): ToolLoop | undefined {
    const { messages } = (toolOptions ?? {}) as { messages?: unknown };
    if (!Array.isArray(messages))
      throw new InvalidLimit("the options of subAgent()", toolOptions, "those that a tool's execute gets");
    const loop = this.#governing(messages)?.loop;
    // A budget of its own for every call of the tool is what nobody means by that.
    if (!loop && governing.get(messages)) {
      throw new Error(
        "turn-limit/ai-sdk: subAgent() got the options of a tool call that other limits govern. " +
          "Call subAgent() of the limits that govern the agent, or govern() for a run of its own",
      );
    }
    return loop;
  }
}

// Never calls an accessor: those of a stream's result begin to read the stream. It has its tools as a value, and the
// result of `generateText` has its steps.
function ownValue(result: unknown, name: string): unknown {
  return typeof result === "object" && result !== null
    ? Object.getOwnPropertyDescriptor(result, name)?.value
    : undefined;
}
