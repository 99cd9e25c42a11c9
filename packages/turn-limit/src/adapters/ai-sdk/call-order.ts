import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Call, Refused } from "../../run/call.ts";
import type { Turn } from "../../run/turn.ts";
import { DecidedCalls } from "../shared/calls.ts";

/** A tool call of the model. */
export interface ToolCall extends StepCall {
  id: string;
}

type Decided = Call | Refused | Promise<Call | Refused>;

/**
 * The tool calls of an answer. They are decided in the model's order, though they may begin in another; if none begins,
 * none counts.
 */
export class CallOrder {
  // The calls of an answer, while none of them has begun.
  #undecided: readonly ToolCall[] = [];
  readonly #decided = new DecidedCalls<Decided>();
  #error: { error: unknown } | undefined;

  /** These are the calls of the answer that are decided together. */
  answered(calls: readonly ToolCall[]): void {
    this.#undecided = calls;
  }

  /** Whether the call may run. Must not throw, because that would be its result: see {@link throwIfFailed}. */
  begin(toolCall: ToolCall, turn: Turn): Decided {
    const undecided = this.#undecided;
    if (undecided.some(({ id }) => id === toolCall.id)) {
      this.#undecided = [];
      for (const each of undecided) this.#decided.add(each.id, this.#decide(each, turn));
    }
    return this.#decided.take(toolCall.id) ?? this.#decide(toolCall, turn);
  }

  /** A call that may run and did not, for example because another limiter refused it, is no step. */
  withdrawUnbegun(): void {
    const withdraw = (call: Call | Refused) => {
      if (call.kind === "call") call.denied();
    };
    if (this.#decided.isEmpty) return;
    for (const call of this.#decided.takeAll())
      if (call instanceof Promise) void call.then(withdraw);
      else withdraw(call);
  }

  /** Throws what kept a call from being decided. */
  throwIfFailed(): void {
    if (this.#error) throw this.#error.error;
  }

  #decide(toolCall: ToolCall, turn: Turn): Decided {
    const failed = (error: unknown): Refused => {
      this.#error = { error };
      return { kind: "refused", reason: String(error) };
    };
    try {
      const call = turn.call(toolCall);
      return call instanceof Promise ? call.catch(failed) : call;
    } catch (error) {
      return failed(error);
    }
  }
}
