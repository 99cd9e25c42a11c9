import type { Runtime } from "langchain";
import type { AdapterOptions } from "../../driver/adapter-options.ts";
import { AgentRun } from "./agent-run.ts";

/** Finds the run that a hook belongs to. Several can be under way at once. */
export class AgentRuns {
  readonly #options: AdapterOptions;
  readonly #runs = new WeakMap<object, AgentRun>();
  // A run that was interrupted goes on in another invocation, on the same thread.
  readonly #threads = new Map<string, AgentRun>();

  constructor(options: AdapterOptions) {
    this.#options = options;
  }

  /** An agent was invoked: by a person, or by a tool of a run that is under way. Does a run begin? */
  begin(runtime: Runtime): boolean {
    const underWay = this.#runs.get(rootOf(runtime));
    if (underWay && !underWay.isOver) return false;
    this.#interrupted(runtime)?.driver.end("aborted");
    this.#remember(runtime, this.#create(runtime)).driver.begin();
    return true;
  }

  /** Runs a hook with the run that it belongs to. */
  async within<Result>(runtime: Runtime, hook: (run: AgentRun) => Result | Promise<Result>): Promise<Result> {
    const run = this.#runOf(runtime);
    run.enter();
    try {
      return await hook(run);
    } finally {
      run.leave();
    }
  }

  // A run that began in another process goes on with a fresh budget.
  #runOf(runtime: Runtime): AgentRun {
    const run = this.#runs.get(rootOf(runtime));
    if (run) return run;
    const interrupted = this.#interrupted(runtime);
    interrupted?.resume();
    return this.#remember(runtime, interrupted ?? this.#create(runtime));
  }

  #create(runtime: Runtime): AgentRun {
    const thread = runtime.configurable?.thread_id;
    const onOutcome: AdapterOptions["onOutcome"] = (outcome, run) => {
      if (thread !== undefined) this.#threads.delete(thread);
      this.#options.onOutcome?.(outcome, run);
    };
    const run = new AgentRun({ ...this.#options, onOutcome }, runtime);
    if (thread !== undefined) this.#threads.set(thread, run);
    return run;
  }

  #remember(runtime: Runtime, run: AgentRun): AgentRun {
    const root = rootOf(runtime);
    this.#runs.set(root, run);
    if (root instanceof AbortSignal)
      root.addEventListener("abort", () => run.driver.end("aborted"), { once: true });
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
