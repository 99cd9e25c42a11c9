import { type BaseMessage, type Runtime, ToolMessage } from "langchain";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run-state.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunStart } from "../../run/run-info.ts";
import { Warnings } from "../../run/warnings.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import type { Runs } from "../shared/runs.ts";
import { AgentLoop } from "./agent-loop.ts";
import { type SavedRun, SaveWithNode } from "./agent-state.ts";
import { AgentGraph } from "./graph.ts";

/** One run of an agent, together with the agents that its tools run under the same limits. */
export class AgentRun {
  /** Tells it from every other run, also in the saved state of a thread. */
  readonly key: string;
  /** Can another invocation go on with it? Without a thread there is nothing to resume. */
  readonly isResumable: boolean;
  readonly #runs: Runs;
  readonly #options: AdapterOptions;
  readonly #path: string;
  readonly #loops = new Map<string, AgentLoop>();
  readonly #whenOver: (() => void)[] = [];
  readonly #saving = new SaveWithNode();
  /** The agent that was prompted. */
  #agent: HostedAgent;
  #hooks = 0;
  #isFinished = false;
  // Where it stood when it was taken for over.
  #takenForOverAt: GovernorState | undefined;

  constructor(runs: Runs, runtime: Runtime, saved?: SavedRun) {
    this.key = saved?.key ?? crypto.randomUUID();
    this.isResumable = runtime.configurable?.thread_id !== undefined;
    this.#runs = runs;
    const onOutcome: AdapterOptions["onOutcome"] = (outcome, info) => {
      for (const tell of this.#whenOver.splice(0)) tell();
      return runs.options.onOutcome?.(outcome, info);
    };
    this.#options = { ...runs.options, onOutcome };
    this.#agent = this.#newAgent(saved?.left);
    this.#path = pathOf(runtime);
  }

  /** A person's prompt. */
  begin(runtime: Runtime, start: RunStart): void {
    this.#agent.beginRun(start);
    const { graph } = this.loopOf(runtime);
    graph.invoked();
    const warning = graph.warning(this.#agent.run.facts);
    if (warning) new Warnings(this.#options.onWarning).warn(warning);
  }

  /** It goes on in this process. `messages`: what the thread had of it when it was resumed. */
  restored(runtime: Runtime, start: RunStart, messages: BaseMessage[]): void {
    this.#agent.run.resume(start);
    this.loopOf(runtime).restored(messages);
  }

  /** What the thread has to know of it while it is not over. */
  get saved(): SavedRun {
    return { key: this.key, left: this.#agent.run.state };
  }

  /** Saves it with what the current node writes. Who goes on with it elsewhere tells pools only what comes after that. */
  async save(runtime: Runtime): Promise<void> {
    if (!this.isResumable || this.loopOf(runtime).hosted.isNested) return;
    this.#saving.save(runtime, this.saved);
    if (!this.isOver) await this.#agent.run.shared.settle();
  }

  get isOver(): boolean {
    return this.#agent.run.outcome !== undefined;
  }

  /** Is none of its hooks running? Then it waits for a person, or has ended, or is between two hooks. */
  get waits(): boolean {
    return this.#hooks === 0;
  }

  /** It waits for a person, and is probably not going to be resumed. */
  abandon(): void {
    this.takeForOver("aborted");
  }

  /** The run has ended, as far as can be seen. If it goes on all the same, it does so with the budget that it had. */
  takeForOver(failure?: Failure): Outcome | undefined {
    const { run } = this.#agent;
    if (!this.isOver) this.#takenForOverAt = run.state;
    return run.end(failure, { isCertain: false });
  }

  /** The invocation can be aborted with this signal. */
  abortedBy(signal: AbortSignal): void {
    const abort = () => void this.#agent.run.end("aborted");
    signal.addEventListener("abort", abort, { once: true });
    // A signal that the caller uses for long must not keep runs that are over.
    this.onOver(() => signal.removeEventListener("abort", abort));
  }

  /** Calls back when it is over, or is taken for that. */
  onOver(tell: () => void): void {
    if (this.isOver) tell();
    else this.#whenOver.push(tell);
  }

  /**
   * How far inside of the agent's own graph a hook runs: 0 in its own loop, more in an agent that a tool of it runs.
   * `undefined`: outside, as another agent of an outer graph does.
   */
  depthOf(runtime: Runtime): number | undefined {
    const around = this.#path === "" ? [] : this.#path.split("|");
    const nodes = nodesAround(runtime);
    if (!around.every((node, n) => node === nodes[n])) return undefined;
    const inside = nodes.slice(around.length);
    // Of several graphs that a node runs, LangGraph numbers those after the first.
    return around.length > 0 && /^\d+$/.test(inside[0] ?? "") ? undefined : inside.length;
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
    this.#agent.run.waiting(false);
  }

  /** A hook is over. Only the next one shows whether the run works until then, or waits for a person. */
  leave(): void {
    this.#hooks -= 1;
    if (this.#hooks > 0 || this.isOver) return;
    this.#agent.run.waiting("maybe");
  }

  /** The run goes on in another invocation: since the last hook it waited for a person. */
  resume(): void {
    this.#agent.run.waiting(true);
  }

  /** The agent is done: how the run ended, if it did. Throws the error of a limit that raises. */
  async finish(runtime: Runtime): Promise<Outcome | undefined> {
    const { hosted } = this.loopOf(runtime);
    if (hosted.isNested) this.#loops.delete(pathOf(runtime));
    const { raised } = hosted;
    const outcome = hosted.end();
    this.#isFinished ||= !hosted.isNested;
    await hosted.settled();
    if (raised && !hosted.isNested) throw raised;
    return outcome;
  }

  /** Its graph was ended by other middleware, which no hook was told of. Throws the error of a limit that raises. */
  async endedByOthers(): Promise<void> {
    if (this.isOver || this.#isFinished) return;
    const { raised } = this.#agent;
    this.#agent.end();
    await this.#agent.settled();
    if (raised) throw raised;
  }

  /** Its graph threw, whoever it was. */
  async threw(failure: Failure): Promise<void> {
    if (this.isOver || this.#isFinished) return;
    this.#agent.end(failure);
    await this.#agent.settled();
  }

  #goOn(): void {
    const state = this.#takenForOverAt;
    this.#takenForOverAt = undefined;
    if (!state || !this.isOver) return;
    this.#agent = this.#newAgent(state);
    for (const [path, { graph }] of this.#loops) this.#newLoop(path, graph);
  }

  #newLoop(path: string, graph: AgentGraph): AgentLoop {
    const loop = new AgentLoop(path === this.#path ? this.#agent : this.#agent.subAgent(), graph);
    this.#loops.set(path, loop);
    return loop;
  }

  #newAgent(state: GovernorState | undefined): HostedAgent {
    // Repeats are recognised by the content of a result: the message around it is a new one each time.
    const comparable = (result: unknown) => (ToolMessage.isInstance(result) ? result.content : result);
    return new HostedAgent(this.#runs.newRun({ state, comparable, isError }, this.#options));
  }
}

function isError(result: unknown): boolean {
  return ToolMessage.isInstance(result) && result.status === "error";
}

function pathOf(runtime: Runtime): string {
  return nodesAround(runtime).join("|");
}

/** The nodes whose graphs are around the node that a hook runs in, the outermost first. */
function nodesAround({ configurable }: Runtime): string[] {
  return String(configurable?.checkpoint_ns ?? "")
    .split("|")
    .slice(0, -1);
}
