import type { ToolCall } from "@langchain/core/messages";
import { type BaseMessage, type Runtime, ToolMessage } from "langchain";
import { limitError } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure } from "../../core/governor/run.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import { Driver } from "../../pools/old-driver/driver.ts";
import type { Executed } from "../../pools/old-driver/work.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunInfo } from "../../run/run-info.ts";
import { type Admitted, AgentLoop } from "./agent-loop.ts";
import { countCall, countTurns, resultOf } from "./done-elsewhere.ts";
import { isInterrupt } from "./interrupts.ts";
import { PausableClock } from "./pausable-clock.ts";
import { pendingCalls } from "./pending-calls.ts";
import { type SavedRun, SaveWithNode } from "./saved-run.ts";
import type { CallRequest, TurnCall } from "./turn-calls.ts";

/** A driver that recognises repeats by the content of a result: the message around it is a new one each time. */
class MessageDriver extends Driver {
  override stepEnded(call: StepCall, result: unknown): void {
    super.stepEnded(call, ToolMessage.isInstance(result) ? result.content : result);
  }
}

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
  #driver: Driver;
  #hooks = 0;
  // Calls that had no result when it was resumed. Those that another process ran are not made again here.
  #pendingElsewhere: ToolCall[] = [];
  // Where it stood when it was taken for over.
  #takenForOverAt: GovernorState | undefined;

  constructor(options: AdapterOptions, runtime: Runtime, saved?: SavedRun) {
    this.key = saved?.key ?? crypto.randomUUID();
    this.isResumable = runtime.configurable?.thread_id !== undefined;
    this.#clock = new PausableClock(options.clock);
    this.#options = { ...options, clock: this.#clock };
    this.#driver = new MessageDriver(this.#options, { state: saved?.left });
    this.#path = pathOf(runtime);
  }

  /** It goes on in this process. `messages`: what the thread had of it when it was resumed. */
  restored(info: Partial<RunInfo>, messages: BaseMessage[]): void {
    this.#driver.resume(info);
    this.#pendingElsewhere = pendingCalls(messages);
  }

  /** What the thread has to know of it while it is not over. */
  get saved(): SavedRun {
    return { key: this.key, left: this.driver.governor.state };
  }

  /** Saves it with what the current node writes. Who goes on with it elsewhere tells pools only what comes after that. */
  async save(runtime: Runtime): Promise<void> {
    if (!this.isResumable || this.loopOf(runtime).isNested) return;
    this.#saving.save(runtime, this.saved);
    if (!this.isOver) await this.driver.settlePools();
  }

  get driver(): Driver {
    return this.#driver;
  }

  get isOver(): boolean {
    return this.driver.outcome !== undefined;
  }

  /** The invocation can be aborted with this signal. */
  abortedBy(signal: AbortSignal): void {
    // A signal that the caller uses for long must not keep runs that are over.
    signal.addEventListener("abort", () => this.driver.end("aborted"), {
      once: true,
      signal: this.#over.signal,
    });
  }

  /** The run has ended, as far as can be seen. If it goes on all the same, it does so with the budget that it had. */
  takeForOver(failure?: Failure): Outcome | undefined {
    if (!this.isOver) this.#takenForOverAt = this.driver.governor.state;
    return this.driver.end(failure);
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
    let loop = this.#loops.get(path);
    if (!loop) {
      loop = new AgentLoop(path !== this.#path);
      this.#loops.set(path, loop);
    }
    return loop;
  }

  /** A hook begins. The time since the last one counts, unless the run was resumed in between. */
  enter(): void {
    this.#hooks += 1;
    if (this.#hooks > 1) return;
    this.#goOn();
    // Not the driver's method, with which that time would not count.
    this.driver.governor.waiting(false);
    this.#clock.unpause();
  }

  /** A hook is over. Only the next one shows whether the run works until then, or waits for a person. */
  leave(): void {
    this.#hooks -= 1;
    if (this.#hooks > 0 || this.isOver) return;
    this.#clock.pause();
    this.driver.waiting(true);
  }

  /** The run goes on in another invocation: since the last hook it waited for a person. */
  resume(): void {
    this.driver.waiting(false);
  }

  /** Counts the calls of the last answer that were run before the run was resumed here. */
  countCallsElsewhere(messages: BaseMessage[], runtime: Runtime): void {
    const loop = this.loopOf(runtime);
    if (loop.isNested) return;
    for (const call of this.#pendingElsewhere) {
      const result = resultOf(call, messages);
      if (result && !loop.hasCalled(call.id)) countCall(this.driver, call, result);
    }
    this.#pendingElsewhere = [];
  }

  /** Counts what an agent that a tool runs did, if it began in another process. */
  countAgentElsewhere(messages: BaseMessage[], runtime: Runtime): void {
    const loop = this.loopOf(runtime);
    if (!loop.isNested || loop.wasInvoked) return;
    loop.invoked();
    countTurns(this.driver, messages);
  }

  /** Admits an agent's next request. `undefined`: the agent must end. */
  async admit(runtime: Runtime): Promise<Admitted | undefined> {
    const loop = this.loopOf(runtime);
    const open = loop.openTurn(runtime);
    if (open) return open;
    const admission = loop.isNested
      ? await this.driver.admitSubAgentTurn(runtime.signal)
      : await this.driver.admitTurn(runtime.signal);
    if (admission.kind === "stop") return undefined;
    loop.turnBegan(runtime, admission);
    this.driver.requestSent();
    return admission;
  }

  /** Aborted to cut off an agent's requests. */
  cutOffOf(runtime: Runtime): AbortSignal {
    const { signal } = this.driver;
    return this.loopOf(runtime).isNested ? AbortSignal.any([signal, this.#callsCut.signal]) : signal;
  }

  /** A request got no answer. It may be made again: after an interrupt, or by middleware further out. */
  unanswered(runtime: Runtime, error: unknown): void {
    if (isInterrupt(error)) return;
    this.driver.turnEnded(failureOf(error));
    this.#unlessHandled(runtime, () => this.driver.end());
  }

  /**
   * The result of a tool call, or why it was not run or was cut off. Made again, after an interrupt or by middleware
   * further out, it is the same call.
   */
  async call<Result>(
    request: CallRequest,
    run: (cutOff: AbortSignal | undefined) => Promise<Result>,
  ): Promise<Executed<Result>> {
    const call = this.loopOf(request.runtime).callOf(request);
    const isFirst = !call.wasDecided;
    if (isFirst) await this.#decide(call);
    if (call.refusal !== undefined) return { kind: "cut-off", reason: call.refusal };
    const untilInterrupt = async (cutOff: AbortSignal | undefined) => {
      try {
        return await run(cutOff);
      } catch (error) {
        if (isInterrupt(error)) await this.#interrupted(call);
        throw error;
      }
    };
    const executed = await (isFirst
      ? this.driver.execute(call.step, untilInterrupt)
      : this.driver.executeAgain(call.step, untilInterrupt));
    if (executed.kind === "cut-off") this.#callsCut.abort();
    return executed;
  }

  /** A tool call threw, which may end the run. */
  callFailed(runtime: Runtime, error: unknown, failure: Failure): void {
    if (!isInterrupt(error)) this.#unlessHandled(runtime, () => this.driver.end(failure));
  }

  /** The agent is done: how the run ended, if it did. Throws the error of a limit that raises. */
  async finish(runtime: Runtime): Promise<Outcome | undefined> {
    if (this.loopOf(runtime).isNested) {
      this.#loops.delete(pathOf(runtime));
      return undefined;
    }
    const { stop } = this.driver.governor.view;
    const outcome = this.driver.end();
    await this.driver.poolsSettled();
    const error = stop && limitError(stop);
    if (error) throw error;
    return outcome;
  }

  #goOn(): void {
    const state = this.#takenForOverAt;
    this.#takenForOverAt = undefined;
    if (state && this.isOver) this.#driver = new MessageDriver(this.#options, { state });
  }

  async #decide(call: TurnCall): Promise<void> {
    call.wasDecided = true;
    const refusal = await this.driver.refusal(call.step);
    if (refusal !== undefined) call.refusal = refusal;
  }

  // A call that waits for a person holds nothing of a pool. It asks again when it goes on, which may be in another process.
  async #interrupted(call: TurnCall): Promise<void> {
    if (!this.driver.drawsFromPools) return;
    this.driver.governor.stepDenied({ id: call.step.id as string });
    call.wasDecided = false;
    await this.driver.settlePools();
  }

  // LangGraph aborts the node if nobody handles its error.
  #unlessHandled(runtime: Runtime, end: () => void): void {
    if (!this.loopOf(runtime).isNested) runtime.signal?.addEventListener("abort", end, { once: true });
  }
}

/** The graphs around the node that a hook runs in, the outermost first. */
function pathOf({ configurable }: Runtime): string {
  const nodes = String(configurable?.checkpoint_ns ?? "").split("|");
  return nodes.slice(0, -1).join("|");
}

function failureOf(error: unknown): Failure {
  return error instanceof Error && error.name === "AbortError" ? "aborted" : "failed";
}
