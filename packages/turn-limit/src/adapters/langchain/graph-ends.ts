import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { failureOf, isHandover, isInterrupt } from "./errors.ts";

/** A run whose agent's graph has ended without a word to its hooks. */
interface OpenRun {
  /** Other middleware ended it. Throws the error of a limit that raises. */
  endedByOthers(): Promise<void>;
  /** It threw. */
  threw(failure: ReturnType<typeof failureOf>): Promise<void>;
}

interface Graph {
  run: OpenRun;
  /** Did a node say that the graph ends after it? */
  isEnding: boolean;
}

/**
 * Learns of the end of an agent's graph where LangChain lets no hook know: where other middleware jumps to the end, throws, or
 * hands over to an agent of an outer graph. LangChain tells its callbacks of each run, and of the run that is around it.
 */
export class GraphEnds extends BaseCallbackHandler {
  override readonly name = "turn-limit";
  override readonly ignoreLLM = true;
  override readonly ignoreAgent = true;
  override readonly ignoreRetriever = true;
  override readonly ignoreCustomEvent = true;
  override readonly raiseError = true;
  override readonly awaitHandlers = true;
  /** What is around what runs. */
  readonly #around = new Map<string, { id: string; isNode: boolean }>();
  readonly #graphs = new Map<string, Graph>();

  /** The hook that runs belongs to the graph of this run's agent. */
  watch(run: OpenRun): void {
    const graph = this.#graphAround(currentCallbacks()?.getParentRunId?.());
    if (graph !== undefined) keep(this.#graphs, graph, { run, isEnding: false });
  }

  /** Is a graph under way whose end this run is going to learn of? */
  isAwaited(run: OpenRun): boolean {
    for (const graph of this.#graphs.values()) if (graph.run === run) return true;
    return false;
  }

  /** What the node that runs calls is not told of: calls that an agent makes at once begin in the order of those without it. */
  leaveNode(): void {
    currentCallbacks()?.removeHandler?.(this);
  }

  override handleChainStart(
    _chain: unknown,
    _inputs: unknown,
    runId: string,
    id?: string,
    tags: string[] = [],
  ): void {
    if (id === undefined) return;
    keep(this.#around, runId, { id, isNode: tags.some((tag) => tag.startsWith(STEP_OF_A_GRAPH)) });
  }

  override async handleChainEnd(outputs: unknown, runId: string): Promise<void> {
    const { id, isNode } = this.#leave(runId) ?? {};
    const around = isNode && id ? this.#graphs.get(id) : undefined;
    if (around) around.isEnding = endsGraph(outputs);
    const graph = this.#graphs.get(runId);
    this.#graphs.delete(runId);
    if (graph?.isEnding) await graph.run.endedByOthers();
  }

  override async handleChainError(error: unknown, runId: string): Promise<void> {
    this.#leave(runId);
    const graph = this.#graphs.get(runId);
    this.#graphs.delete(runId);
    if (isHandover(error)) await graph?.run.endedByOthers();
    else if (!isInterrupt(error)) await graph?.run.threw(failureOf(error));
  }

  #leave(runId: string) {
    const left = this.#around.get(runId);
    this.#around.delete(runId);
    return left;
  }

  #graphAround(runId: string | undefined): string | undefined {
    const run = runId === undefined ? undefined : this.#around.get(runId);
    return !run || run.isNode ? run?.id : this.#graphAround(run.id);
  }
}

// Who leaves a stream in its middle is told of no end.
const MOST = 10_000;

function keep<Value>(all: Map<string, Value>, id: string, value: Value): void {
  all.set(id, value);
  const [first] = all.keys();
  if (all.size > MOST && first !== undefined) all.delete(first);
}

// The tag that LangGraph gives to the run of a node.
const STEP_OF_A_GRAPH = "graph:step:";

/** Whom LangChain tells of what the code starts that runs, if anybody. */
function currentCallbacks(): Callbacks | undefined {
  return (AsyncLocalStorageProviderSingleton.getRunnableConfig() as { callbacks?: Callbacks } | undefined)
    ?.callbacks;
}

interface Callbacks {
  getParentRunId?(): string | undefined;
  removeHandler?(handler: BaseCallbackHandler): void;
}

/** Does a node that returns this end its graph? */
function endsGraph(outputs: unknown): boolean {
  const { jumpTo, output, goto } = Object(outputs);
  if (Array.isArray(output)) return output.some(endsGraph);
  return jumpTo === "end" || [goto].flat().includes("__end__");
}
