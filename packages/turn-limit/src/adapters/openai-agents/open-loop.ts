import { RunContext, RunState } from "@openai/agents";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Driver } from "../../pools/old-driver/driver.ts";
import { governAgent } from "./govern.ts";
import { governContext } from "./governed-contexts.ts";
import { type AnyAgent, GovernedLoop } from "./governed-loop.ts";
import { HostUsage } from "./host-usage.ts";
import { childOf, parentOf } from "./nested-contexts.ts";
import { forgetSaved, savedWith } from "./saved-run.ts";

interface Opened {
  loop: GovernedLoop;
  context: RunContext<unknown>;
}

/**
 * The loop that `run()` begins. It begins a run with a fresh budget, unless one is under way: the state of a run that
 * waits for approval goes on with it, also one that was saved, and its context makes this loop a sub-agent's.
 */
export function openLoop(
  agent: AnyAgent,
  input: unknown,
  given: unknown,
  newDriver: (saved: GovernorState | undefined) => Driver,
): Opened {
  const state = input instanceof RunState ? input : undefined;
  const context = state?._context ?? (given instanceof RunContext ? given : new RunContext(given));
  const known = parentOf(context);
  if (known?.waits && state) {
    governAgent(state._currentAgent);
    known.agent = state._currentAgent;
    if (!known.nested) known.driver.waiting(false);
    return { loop: known, context };
  }
  if (known) return openNested(agent, input, known, childOf(context));
  const saved = state && savedWith(state);
  const driver = newDriver(saved);
  if (state) forgetSaved(state);
  // The host makes a context of its own where none is given.
  const run = { context: given === undefined && !state ? undefined : context.context };
  if (saved) driver.resume(run);
  else driver.begin(run);
  const first = state?._currentAgent ?? agent;
  const loop = new GovernedLoop(first, driver, new HostUsage(context.usage));
  if (state) loop.calls.began([...state._pendingAgentToolRuns.keys()]);
  return opened(first, context, loop);
}

/** The loop of a sub-agent. */
export function openNested(
  agent: AnyAgent,
  input: unknown,
  parent: GovernedLoop,
  context: RunContext<unknown>,
): Opened {
  const state = input instanceof RunState ? input : undefined;
  if (state) state._context = context;
  const first: AnyAgent = state?._currentAgent ?? agent;
  return opened(first, context, parent.nest(first));
}

function opened(first: AnyAgent, context: RunContext<unknown>, loop: GovernedLoop): Opened {
  governAgent(first);
  governContext(context, loop);
  return { loop, context };
}
