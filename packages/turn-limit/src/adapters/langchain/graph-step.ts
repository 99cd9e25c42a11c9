import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/** What LangGraph tells a node of the graph, besides what it gives to the hooks. */
export interface GraphNode {
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
