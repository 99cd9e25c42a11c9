import { RunContext, RunState } from "@openai/agents";
import type { AdapterOptions } from "../../driver/adapter-options.ts";
import { Driver } from "../../driver/driver.ts";
import { governAgent, governContext, loopOf } from "./govern.ts";
import { type AnyAgent, GovernedLoop } from "./governed-loop.ts";
import { HostUsage } from "./host-usage.ts";

interface Opened {
  loop: GovernedLoop;
  context: RunContext<unknown>;
}

/**
 * The loop that `run()` begins. It begins a run with a fresh budget, unless one is under way: the state of a run that
 * waits for approval goes on with it, and its context makes this loop a sub-agent's.
 */
export function openLoop(agent: AnyAgent, input: unknown, given: unknown, options: AdapterOptions): Opened {
  const state = input instanceof RunState ? input : undefined;
  const first: AnyAgent = state?._currentAgent ?? agent;
  governAgent(first);
  const context = state?._context ?? (given instanceof RunContext ? given : new RunContext(given));
  const known = loopOf(context);
  if (known && state) {
    known.agent = first;
    if (!known.nested) known.driver.waiting(false);
    return { loop: known, context };
  }
  if (known) {
    const child = new RunContext(context.context);
    child.usage = context.usage;
    return opened(child, known.nest(first));
  }
  const driver = new Driver(options);
  driver.begin();
  return opened(context, new GovernedLoop(first, driver, new HostUsage(context.usage)));
}

function opened(context: RunContext<unknown>, loop: GovernedLoop): Opened {
  governContext(context, loop);
  return { loop, context };
}
