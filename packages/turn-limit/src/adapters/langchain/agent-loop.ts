import type { Runtime } from "langchain";
import type { Stop } from "../../core/governor/decision.ts";
import type { Admission } from "../../pools/old-driver/driver.ts";
import { GraphOrder } from "./graph-order.ts";
import { currentNode } from "./graph-step.ts";
import { RecursionLimit } from "./recursion-limit.ts";
import { type CallRequest, type TurnCall, TurnCalls } from "./turn-calls.ts";

/** A turn that may begin. */
export type Admitted = Exclude<Admission, Stop>;

/** The loop of one agent: the one that was prompted, or one that a tool runs. */
export class AgentLoop {
  /** Is it the loop of an agent that a tool runs? */
  readonly isNested: boolean;
  /** Was it ended without an answer? */
  hasEnded = false;
  /**
   * Is an error of a tool the run's own? LangChain tells the model, unless middleware wraps tool calls: this is about
   * middleware other than the limits. Not known before the first request, so not where a run is resumed in another process.
   */
  raisesToolErrors: boolean | undefined;
  #recursionLimit: RecursionLimit | undefined;
  // The turn whose request got no answer, and may be made again.
  #open: { task: unknown; admitted: Admitted } | undefined;
  readonly #calls = new TurnCalls();
  readonly #order = new GraphOrder();

  constructor(isNested: boolean) {
    this.isNested = isNested;
  }

  /** An invocation of the agent begins, or goes on. */
  invoked(): RecursionLimit {
    this.#recursionLimit = new RecursionLimit(currentNode());
    return this.#recursionLimit;
  }

  /** Did an invocation of it begin, or go on, in this process? */
  get wasInvoked(): boolean {
    return this.#recursionLimit !== undefined;
  }

  /** The turn of a request that is made again: after an interrupt, or by middleware further out. */
  openTurn({ configurable }: Runtime): Admitted | undefined {
    return this.#open && this.#open.task === configurable?.checkpoint_ns ? this.#open.admitted : undefined;
  }

  /** A turn begins. */
  turnBegan({ configurable }: Runtime, admitted: Admitted): void {
    this.#calls.clear();
    this.#order.modelAt(currentNode().step);
    this.#open = { task: configurable?.checkpoint_ns, admitted };
  }

  /** Its request was answered. */
  answered(): void {
    this.#open = undefined;
  }

  /** The call of this turn that a request is for. */
  callOf(request: CallRequest): TurnCall {
    return this.#calls.of(request);
  }

  /** Was a call with this id of the model's made here in this turn? */
  hasCalled(id: string | undefined): boolean {
    return this.#calls.has(id);
  }

  /** A tool is about to be called. Throws if LangGraph would end the run before anything could come of it. */
  calls(tool: object | undefined): void {
    const { step } = currentNode();
    this.#order.callsAt(step);
    const endsTheRun = tool !== undefined && "returnDirect" in tool && tool.returnDirect === true;
    if (step === undefined || endsTheRun) return;
    const error = this.#recursionLimit?.errorBefore(step + this.#order.fromCallsToEnd);
    if (error) throw error;
  }

  /**
   * Do hooks of other middleware run between a request and its tool calls? If so, a request must have an answer, because
   * those hooks would otherwise look at the last one again. `undefined` before the first call.
   */
  get hooksFollowModel(): boolean | undefined {
    return this.#order.hooksFollowModel;
  }
}
