import type { Runtime } from "langchain";
import type { AdapterOptions } from "../shared/AdapterOptions.ts";
import { AgentRun, pathOf } from "./AgentRun.ts";

/** Finds the run that a hook belongs to. Several can be under way at once. */
export class AgentRuns {
  readonly #options: AdapterOptions;
  readonly #runs = new WeakMap<object, AgentRun>();
  // A run that was interrupted goes on in another invocation, on the same thread.
  readonly #threads = new Map<string, AgentRun>();

  constructor(options: AdapterOptions) {
    this.#options = options;
  }

  /** An agent was invoked: by a person, which begins a run, or by a tool of a run that is under way. Which? */
  begin(runtime: Runtime): boolean {
    const underWay = this.#runs.get(rootOf(runtime));
    if (underWay && !underWay.isOver) return false;
    this.#interrupted(runtime)?.end("aborted");
    this.#enter(runtime, this.#make(runtime)).begin();
    return true;
  }

  /** A hook of a run. */
  async within<Result>(runtime: Runtime, hook: (run: AgentRun) => Result | Promise<Result>): Promise<Result> {
    const run = this.#of(runtime);
    run.enter();
    try {
      return await hook(run);
    } finally {
      run.leave();
    }
  }

  // A run that began in another process goes on with a fresh budget.
  #of(runtime: Runtime): AgentRun {
    const run = this.#runs.get(rootOf(runtime));
    if (run) return run;
    const interrupted = this.#interrupted(runtime);
    interrupted?.resume();
    return this.#enter(runtime, interrupted ?? this.#make(runtime));
  }

  #make(runtime: Runtime): AgentRun {
    const thread = runtime.configurable?.thread_id;
    const onOutcome: AdapterOptions["onOutcome"] = (outcome) => {
      if (thread !== undefined) this.#threads.delete(thread);
      this.#options.onOutcome?.(outcome);
    };
    const run = new AgentRun({ ...this.#options, onOutcome }, pathOf(runtime));
    if (thread !== undefined) this.#threads.set(thread, run);
    return run;
  }

  #enter(runtime: Runtime, run: AgentRun): AgentRun {
    const root = rootOf(runtime);
    this.#runs.set(root, run);
    if (root instanceof AbortSignal) root.addEventListener("abort", () => run.end("aborted"), { once: true });
    return run;
  }

  #interrupted({ configurable }: Runtime): AgentRun | undefined {
    return configurable?.thread_id === undefined ? undefined : this.#threads.get(configurable.thread_id);
  }
}

/**
 * What all hooks of an invocation have in common. The signal that aborts it is shared with the agents that its tools
 * run; a version of LangGraph that does not hand it out still has a writer of its own for each invocation.
 */
function rootOf({ configurable, writer }: Runtime): object {
  const signals = configurable?.__pregel_abort_signals as { externalAbortSignal?: AbortSignal } | undefined;
  return signals?.externalAbortSignal ?? writer ?? ONLY_ONE;
}

const ONLY_ONE = {};
