import type { Runtime } from "langchain";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunStart } from "../../run/run-info.ts";
import { OpenRuns } from "../shared/open-runs.ts";
import { Runs } from "../shared/runs.ts";
import type { AgentLoop } from "./agent-loop.ts";
import { AgentRun } from "./agent-run.ts";
import { type AgentState, requireSaved, type SavedRun } from "./agent-state.ts";
import { currentNode } from "./graph.ts";
import { GraphEnds } from "./graph-ends.ts";
import { InvocationRuns } from "./invocation-runs.ts";
import { pendingCalls } from "./messages.ts";

/** Finds the run that a hook belongs to. Several can be under way at once, also on one thread. */
export class AgentRuns {
  /** To be told of by LangChain. */
  readonly ends = new GraphEnds();
  readonly #runs: Runs;
  readonly #ofInvocation = new WeakMap<object, InvocationRuns>();
  readonly #ofMessage = new WeakMap<object, AgentRun>();
  // A run that was interrupted goes on in another invocation, which finds its key in the saved state.
  readonly #ofKey = new OpenRuns<AgentRun>();

  constructor(options: AdapterOptions) {
    this.#runs = new Runs(options);
  }

  /** How the last run ended; `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#runs.outcome;
  }

  /** An agent was invoked: by a person, which begins a run, or by a tool of one that is under way. The run. */
  begin(state: AgentState, runtime: Runtime): AgentRun {
    const underWay = this.#find(runtime);
    if (underWay && !underWay.isOver) {
      underWay.loopOf(runtime).graph.invoked();
      return underWay;
    }
    this.#endAbandoned(state);
    const run = this.#create(runtime);
    run.begin(runtime, startOf(runtime));
    this.produced(run, state.messages.at(-1));
    return run;
  }

  /** Runs a hook with the run that it belongs to. */
  async within<Result>(
    state: AgentState,
    runtime: Runtime,
    hook: (run: AgentRun, loop: AgentLoop) => Result | Promise<Result>,
  ): Promise<Result> {
    const run = this.#find(runtime) ?? this.#resumed(state, runtime);
    run.enter();
    try {
      const loop = run.loopOf(runtime);
      loop.recordTurnsElsewhere(state.messages);
      return await hook(run, loop);
    } finally {
      run.leave();
    }
  }

  /** A message of the state that the run leaves behind. */
  produced(run: AgentRun, message: unknown): void {
    if (typeof message === "object" && message !== null) this.#ofMessage.set(message, run);
  }

  /**
   * How the run ended whose state this is. If other middleware ended it, nobody has said so: that there is a result is what
   * shows it.
   */
  outcomeOf(result: Partial<AgentState> & { __interrupt__?: unknown }): Outcome | undefined {
    if (result.turnLimitOutcome || result.__interrupt__ || !Array.isArray(result.messages))
      return result.turnLimitOutcome;
    const known = result.messages.findLast((message) => this.#ofMessage.has(message));
    const run = known && this.#ofMessage.get(known);
    return run?.waits && !this.ends.isAwaited(run) ? run.takeForOver() : undefined;
  }

  // A run that began in another process goes on with what it saved.
  #resumed({ _turnLimitRun: found, messages }: AgentState, runtime: Runtime): AgentRun {
    const saved = found === undefined ? undefined : requireSaved(found);
    const interrupted = saved && this.#ofKey.get(saved.key);
    interrupted?.resume();
    const run = interrupted ? this.#remember(runtime, interrupted) : this.#create(runtime, saved);
    if (saved && !interrupted) run.restored(runtime, startOf(runtime), messages);
    const { hosted, graph } = run.loopOf(runtime);
    if (!hosted.isNested || graph.wasInvoked) graph.invoked();
    return run;
  }

  #create(runtime: Runtime, saved?: SavedRun): AgentRun {
    const run = new AgentRun(this.#runs, runtime, saved);
    if (run.isResumable) this.#ofKey.keep(run.key, run);
    return this.#remember(runtime, run);
  }

  #find(runtime: Runtime): AgentRun | undefined {
    return this.#ofInvocation.get(invocationOf(runtime))?.of(runtime);
  }

  #remember(runtime: Runtime, run: AgentRun): AgentRun {
    const invocation = invocationOf(runtime);
    const runs = this.#ofInvocation.get(invocation) ?? new InvocationRuns();
    this.#ofInvocation.set(invocation, runs);
    runs.add(run);
    this.ends.watch(run);
    if (invocation instanceof AbortSignal) run.abortedBy(invocation);
    return run;
  }

  // The last run of the thread may have waited for a person, who prompted instead; or other middleware ended it.
  #endAbandoned({ _turnLimitRun: saved, messages }: AgentState): void {
    const run = saved && this.#ofKey.get(saved.key);
    if (!run?.waits) return;
    run.takeForOver(pendingCalls(messages).length > 0 ? "aborted" : undefined);
  }
}

/**
 * What all hooks of an invocation have in common. The signal that aborts it is shared with the agents that its tools
 * run; a version of LangGraph that does not hand it out still has a writer of its own for each invocation.
 */
function invocationOf({ configurable, writer }: Runtime): object {
  const signals = configurable?.__pregel_abort_signals as { externalAbortSignal?: AbortSignal } | undefined;
  return signals?.externalAbortSignal ?? writer ?? ONLY_ONE;
}

const ONLY_ONE = {};

function startOf({ configurable }: Runtime): RunStart {
  const id: unknown = configurable?.run_id;
  return { ...(typeof id === "string" && { id }), context: currentNode().context };
}
