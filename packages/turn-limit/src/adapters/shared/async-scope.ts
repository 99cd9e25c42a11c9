import type { AsyncLocalStorage } from "node:async_hooks";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";

// Not imported: a browser has none, and most limits work without it.
const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");

/** What the code that runs is a part of, where the platform can tell. */
export class AsyncScope<Value> {
  readonly #storage: AsyncLocalStorage<Value> | undefined = hooks && new hooks.AsyncLocalStorage<Value>();

  /** Can the platform tell? */
  get isThere(): boolean {
    return this.#storage !== undefined;
  }

  /** Does the work as a part of this. */
  run<Result>(value: Value, work: () => Result): Result {
    return this.#storage ? this.#storage.run(value, work) : work();
  }

  /** What the code that runs is a part of. */
  get current(): Value | undefined {
    return this.#storage?.getStore();
  }

  /** Refuses an option that cannot do without it. */
  requireFor(adapter: string, option: string): void {
    if (this.#storage) return;
    throw new UnsupportedOption(adapter, option, "this platform has no AsyncLocalStorage");
  }
}
