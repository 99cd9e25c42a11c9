import { type FunctionTool, RunContext } from "@openai/agents";
import type { GovernedLoop } from "./governed-loop.ts";

export type Context = RunContext<unknown>;

/** With what the host has not declared: it makes another context for a tool with parameters of its own. */
type Forking = Context & { _createFork?(): Context; _forkWithoutToolInput?(): Context };

const loops = new WeakMap<Context, GovernedLoop>();
const parents = new WeakMap<Context, GovernedLoop>();

/** The loop that a context belongs to, if it is under limits. */
export function loopOf(context: unknown): GovernedLoop | undefined {
  return loops.get(context as Context);
}

/** What runs with this context belongs to this loop. */
export function governContext(context: Context, loop: GovernedLoop): void {
  loops.set(context, loop);
}

/** The loop of this context is over. */
export function releaseContext(context: Context): void {
  loops.delete(context);
}

/** Is this an agent, made a tool by `asTool()`? */
export function isAgent(tool: FunctionTool): boolean {
  return typeof (tool as { on?: unknown }).on === "function";
}

/** A context of a sub-agent: what the host shares with an agent that is run as a tool, shared in the same way. */
export function childOf(context: Context): Context {
  const child = (context as Forking)._forkWithoutToolInput?.() ?? new RunContext(context.context);
  child.usage = context.usage;
  child.toolInput = context.toolInput;
  return child;
}

/** The context to call an agent with that is a tool: the run that the host makes with it joins the caller's run. */
export function nestedContext(context: Context): Context {
  const parent = loopOf(context);
  return parent ? joining(childOf(context), parent) : context;
}

/** The loop that a run with this context works for, if it is under limits. */
export function parentOf(context: unknown): GovernedLoop | undefined {
  return loopOf(context) ?? parents.get(context as Context);
}

/** The loop whose call runs an agent with this context, told once: what is run after that is the sub-agent's. */
export function takeParent(context: unknown): GovernedLoop | undefined {
  const parent = parents.get(context as Context);
  if (parent) parents.delete(context as Context);
  return parent;
}

function joining(context: Forking, parent: GovernedLoop): Context {
  parents.set(context, parent);
  const fork = context._createFork?.bind(context);
  if (fork) context._createFork = () => joining(fork(), parent);
  return context;
}
