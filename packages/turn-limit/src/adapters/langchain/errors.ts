import type { ToolCall } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";
import type { Failure } from "../../core/governor/run-state.ts";

const MARK = "is_bubble_up";

/** Does the run only pause here, to be resumed? */
export function isInterrupt(error: unknown): boolean {
  return error instanceof Error && MARK in error;
}

/** Does another agent of an outer graph go on in the place of this one? LangGraph throws what says so, as it does an interrupt. */
export function isHandover(error: unknown): boolean {
  return isInterrupt(error) && (error as Error).name === "ParentCommand";
}

/** What became of a request that threw this. */
export function failureOf(error: unknown): Failure {
  return error instanceof Error && error.name === "AbortError" ? "aborted" : "failed";
}

/**
 * An error of which LangChain makes the result that it makes of a tool's error where no middleware wraps tool calls. It is
 * raised where one does, as the limits do.
 */
export function toldToTheModel(error: unknown, call: ToolCall): unknown {
  if (isInterrupt(error) || ToolInvocationError.isInstance(error)) return error;
  const told = new ToolInvocationError(error, call);
  told.message = `${error}\n Please fix your mistakes.`;
  told.cause = error;
  return told;
}

/**
 * What a hook around requests returns, so that its errors stay as they are. LangChain wraps whatever such a hook throws, also
 * an error that only passes through it, unless it is an interrupt: so it looks like one, for as long as LangChain looks.
 */
export class WithItsErrors<Answer> extends Promise<Answer> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The same answer. */
  static of<Answer>(answer: Promise<Answer>): WithItsErrors<Answer> {
    return new WithItsErrors((resolve, reject) => answer.then(resolve, reject));
  }

  // biome-ignore lint/suspicious/noThenProperty: whoever awaits a promise of another class does so with this method.
  override then<Done = Answer, Failed = never>(
    done?: ((answer: Answer) => Done | PromiseLike<Done>) | null,
    failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return super.then(done, failed && ((error) => lookingLikeInterrupt(error, failed)));
  }
}

function lookingLikeInterrupt<Result>(error: unknown, tell: (error: unknown) => Result): Result {
  if (typeof error !== "object" || error === null || MARK in error) return tell(error);
  Reflect.defineProperty(error, MARK, { value: true, configurable: true });
  try {
    return tell(error);
  } finally {
    // Whoever awaits the error goes on before this, and everybody further out after it.
    queueMicrotask(() => Reflect.deleteProperty(error, MARK));
  }
}
