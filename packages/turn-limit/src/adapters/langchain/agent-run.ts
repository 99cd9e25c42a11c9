import { type BaseMessage, type Runtime, ToolMessage } from "langchain";
import { limitError } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run } from "../../run/run.ts";
import type { RunStart } from "../../run/run-info.ts";
import { warnOnce } from "../../run/warnings.ts";
import { AgentLoop } from "./agent-loop.ts";
import { type SavedRun, SaveWithNode } from "./agent-state.ts";
import { AgentGraph } from "./graph.ts";
import { PausableClock } from "./pausable-clock.ts";

/** One run of an agent, together with the agents that its tools run under the same limits. */
export class AgentRun {
  /** Tells it from every other run, also in the saved state of a thread. */
  readonly key: string;
  /** Can another invocation go on with it? Without a thread there is nothing to resume. */
  readonly isResumable: boolean;
  readonly #options: AdapterOptions;
  readonly #clock: PausableClock;
  readonly #path: string;
  readonly #loops = new Map<string, AgentLoop>();
  readonly #callsCut = new AbortController();
  readonly #over = new AbortController();
  readonly #saving = new SaveWithNode();
  #run: Run;
  #hooks = 0;
  // Where it stood when it was taken for over.
  #takenForOverAt: GovernorState | undefined;

  constructor(options: AdapterOptions, runtime: Runtime, saved?: SavedRun) {
    this.key = saved?.key ?? crypto.randomUUID();
    this.isResumable = runtime.configurable?.thread_id !== undefined;
    this.#clock = new PausableClock(options.clock);
    this.#options = { ...options, clock: this.#clock };
    this.#run = newRun(this.#options, saved?.left);
    this.#path = pathOf(runtime);
  }

  /** A person's prompt. */
  begin(runtime: Runtime, start: RunStart): void {
    this.#run.begin(start);
    const { graph } = this.loopOf(runtime);
    graph.invoked();
    const warning = graph.warning(this.#run.view);
    if (warning) (this.#options.onWarning ?? warnOnce)(warning);
  }

  /** It goes on in this process. `messages`: what the thread had of it when it was resumed. */
  restored(runtime: Runtime, start: RunStart, messages: BaseMessage[]): void {
    this.#run.resume(start);
    this.loopOf(runtime).restored(messages);
  }

  /** What the thread has to know of it while it is not over. */
  get saved(): SavedRun {
    return { key: this.key, left: this.#run.state };
  }

  /** Saves it with what the current node writes. Who goes on with it elsewhere tells pools only what comes after that. */
  async save(runtime: Runtime): Promise<void> {
    if (!this.isResumable || this.loopOf(runtime).isNested) return;
    this.#saving.save(runtime, this.saved);
    if (!this.isOver) await this.#run.shared.settle();
  }

  get isOver(): boolean {
    return this.#run.outcome !== undefined;
  }

  /** The invocation can be aborted with this signal. */
  abortedBy(signal: AbortSignal): void {
    // A signal that the caller uses for long must not keep runs that are over.
    signal.addEventListener("abort", () => this.#run.end("aborted"), {
      once: true,
      signal: this.#over.signal,
    });
  }

  /** The run has ended, as far as can be seen. If it goes on all the same, it does so with the budget that it had. */
  takeForOver(failure?: Failure): Outcome | undefined {
    if (!this.isOver) this.#takenForOverAt = this.#run.state;
    return this.#run.end(failure);
  }

  /** Its outcome was told. */
  ended(): void {
    this.#over.abort();
  }

  /** Is none of its hooks running? Then it waits for a person, or has ended, or is between two hooks. */
  get isIdle(): boolean {
    return this.#hooks === 0;
  }

  /** The loop of the agent that a hook belongs to. */
  loopOf(runtime: Runtime): AgentLoop {
    const path = pathOf(runtime);
    return this.#loops.get(path) ?? this.#newLoop(path, new AgentGraph());
  }

  /** A hook begins. The time since the last one counts, unless the run was resumed in between. */
  enter(): void {
    this.#hooks += 1;
    if (this.#hooks > 1) return;
    this.#goOn();
    this.#run.waiting(false, { didWait: false });
    this.#clock.unpause();
  }

  /** A hook is over. Only the next one shows whether the run works until then, or waits for a person. */
  leave(): void {
    this.#hooks -= 1;
    if (this.#hooks > 0 || this.isOver) return;
    this.#clock.pause();
    this.#run.waiting(true);
  }

  /** The run goes on in another invocation: since the last hook it waited for a person. */
  resume(): void {
    this.#run.waiting(false);
  }

  /** The agent is done: how the run ended, if it did. Throws the error of a limit that raises. */
  async finish(runtime: Runtime): Promise<Outcome | undefined> {
    if (this.loopOf(runtime).isNested) {
      this.#loops.delete(pathOf(runtime));
      return undefined;
    }
    const { stop } = this.#run.view;
    const outcome = this.#run.end();
    await this.#run.shared.done();
    const error = stop && limitError(stop);
    if (error) throw error;
    return outcome;
  }

  #goOn(): void {
    const state = this.#takenForOverAt;
    this.#takenForOverAt = undefined;
    if (!state || !this.isOver) return;
    this.#run = newRun(this.#options, state);
    for (const [path, { graph }] of this.#loops) this.#newLoop(path, graph);
  }

  #newLoop(path: string, graph: AgentGraph): AgentLoop {
    const loop = new AgentLoop(this.#run, path !== this.#path, graph, this.#callsCut);
    this.#loops.set(path, loop);
    return loop;
  }
}

function newRun(options: AdapterOptions, state: GovernorState | undefined): Run {
  // Repeats are recognised by the content of a result: the message around it is a new one each time.
  const comparable = (result: unknown) => (ToolMessage.isInstance(result) ? result.content : result);
  return new Run(options, { state, comparable });
}

/** The graphs around the node that a hook runs in, the outermost first. */
function pathOf({ configurable }: Runtime): string {
  const nodes = String(configurable?.checkpoint_ns ?? "").split("|");
  return nodes.slice(0, -1).join("|");
}
