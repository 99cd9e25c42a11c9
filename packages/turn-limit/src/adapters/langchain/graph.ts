import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { GovernorView } from "../../core/governor/view.ts";

// What LangGraph uses where nobody has set another.
const DEFAULT_RECURSION_LIMIT = 25;
// A turn is a request and its tool calls.
const STEPS_OF_A_TURN = 2;
// One before the turns, the request that is not made or is made without tools, one at the end, and one that is not used.
const STEPS_AROUND = 4;

const REMEDY = "Give the agent the limits' own: createAgent({ … }).withConfig(limits.config).";

/** What LangGraph tells a node of the graph, besides what it gives to the hooks. */
interface GraphNode {
  /** The graph step in which the node runs. They count on from one invocation of a thread to the next. */
  readonly step: number | undefined;
  /** How many steps the invocation may take. */
  readonly recursionLimit: number | undefined;
  /** What the caller gave as context. The hooks around a run are given only what their own schema names. */
  readonly context: unknown;
}

/** The node that runs. Nothing is known of it where there is no `AsyncLocalStorage`. */
export function currentNode(): GraphNode {
  const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as Config | undefined;
  return {
    step: numberOf(config?.metadata?.langgraph_step),
    recursionLimit: numberOf(config?.recursionLimit),
    context: config?.context,
  };
}

interface Config {
  metadata?: Record<string, unknown>;
  recursionLimit?: unknown;
  context?: unknown;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/**
 * What is learned of the graph of an agent: what else runs in its loop, where each hook of other middleware is a step, and
 * LangGraph's own limit of an invocation, in steps.
 */
export class AgentGraph {
  /**
   * Is an error of a tool the run's own? LangChain tells the model, unless middleware wraps tool calls: this is about
   * middleware other than the limits. Not known before the first request, so not where a run is resumed in another process.
   */
  raisesToolErrors: boolean | undefined;
  #limit: { max: number; lastStep: number } | undefined;
  #model: number | undefined;
  #calls: number | undefined;
  #fromModelToCalls: number | undefined;
  #fromCallsToModel = 1;

  /** An invocation of the agent begins, or goes on. Its recursion limit is fixed from now on. */
  invoked(): void {
    const { step = 0, recursionLimit: max = Number.POSITIVE_INFINITY } = currentNode();
    // A run that takes all of its steps is ended, too.
    this.#limit = { max, lastStep: step + max - 2 };
  }

  /** Did an invocation of it begin, or go on, in this process? */
  get wasInvoked(): boolean {
    return this.#limit !== undefined;
  }

  /** What a person should know of the recursion limit before the run does its work. */
  warning({ settings: { turns } }: GovernorView): string | undefined {
    const max = this.#limit?.max;
    // Another limit is one that somebody has chosen.
    if (max !== DEFAULT_RECURSION_LIMIT) return undefined;
    if (turns.max !== "unlimited" && STEPS_OF_A_TURN * turns.max + STEPS_AROUND <= max) return undefined;
    const most = Math.floor((max - STEPS_AROUND) / STEPS_OF_A_TURN);
    return `LangGraph ends a run after ${max} graph steps, which is ${most} turns or fewer, with an error. ${REMEDY}`;
  }

  /** A request is about to be made. */
  modelRuns(): void {
    const { step } = currentNode();
    if (step !== undefined && this.#calls !== undefined) this.#fromCallsToModel = step - this.#calls;
    this.#model = step;
    this.#calls = undefined;
  }

  /** A tool is about to be called. Throws if LangGraph would end the run before anything could come of it. */
  toolRuns(tool: object | undefined): void {
    const { step } = currentNode();
    if (step !== undefined && this.#model !== undefined) this.#fromModelToCalls = step - this.#model;
    this.#calls = step;
    const endsTheRun = tool !== undefined && "returnDirect" in tool && tool.returnDirect === true;
    if (step === undefined || endsTheRun || !this.#limit) return;
    // At least another request, and what follows one: before tool calls, or before the end.
    const end = step + this.#fromCallsToModel + (this.#fromModelToCalls ?? 1);
    if (end <= this.#limit.lastStep) return;
    const error = new Error(
      `LangGraph's recursion limit of ${this.#limit.max} graph steps ends this run before one of its limits does. ${REMEDY}`,
    );
    error.name = "GraphRecursionError";
    throw error;
  }

  /**
   * Do hooks of other middleware run between a request and its tool calls? If so, a request must have an answer, because
   * those hooks would otherwise look at the last one again. `undefined` before the first call.
   */
  get hooksFollowModel(): boolean | undefined {
    return this.#fromModelToCalls === undefined ? undefined : this.#fromModelToCalls > 1;
  }
}
