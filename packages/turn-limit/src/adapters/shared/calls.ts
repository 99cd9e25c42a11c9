import { SteadyList } from "../../core/steady-list.ts";
import type { Call } from "../../run/call.ts";
import { eitherSignal } from "./hosted-agent.ts";

/** Calls that are decided and have not begun. The model's ids do not tell them apart: some models give the same to several. */
export class DecidedCalls<Decided> {
  readonly #calls = new SteadyList<{ id: string | undefined; call: Decided }>();

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  add(id: string | undefined, call: Decided): void {
    this.#calls.add({ id, call });
  }

  /** The call with this id that begins: the first one that was decided. */
  take(id: string | undefined): Decided | undefined {
    let place = 0;
    while (place < this.#calls.length && this.#calls.at(place)?.id !== id) place += 1;
    return this.#calls.take(place)?.call;
  }

  /** Those that have not begun are not going to. */
  forget(): void {
    this.#calls.clear();
  }

  /** Those that have not begun. They are forgotten. */
  takeAll(): Decided[] {
    const calls = this.#calls.toArray().map(({ call }) => call);
    this.#calls.clear();
    return calls;
  }
}

/** How to run a tool call of the model. */
export interface Execution<Result = unknown> {
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Runs it, with a signal of its own if it may be cut off. */
  run(signal?: AbortSignal): PromiseLike<Result> | Result;
}

/** Runs an admitted tool call: its result, or an error that says why it was cut off. */
export async function executeAdmitted<Result>(
  call: Call,
  { signal, run }: Execution<Result>,
): Promise<Result> {
  const executed = await call.execute((cutOff) => run(cutOff && eitherSignal(signal, cutOff)));
  if (executed.kind === "result") return executed.result;
  // An error, because a text would not have the type of the tool's results.
  throw new Error(executed.reason);
}
