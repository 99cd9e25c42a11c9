import { RunContext, Runner, RunState } from "@openai/agents";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Run } from "../../run/run.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import { type Context, childOf, governContext, parentOf, takeParent } from "./contexts.ts";
import { governAgent, governRunner } from "./govern.ts";
import { type AnyAgent, GovernedLoop } from "./governed-loop.ts";
import { type AnyInput, type AnyOptions, type AnyResult, runLoop } from "./run-loop.ts";
import { forgetSaved, savedWith } from "./saved-run.ts";

/**
 * The loop that `run()` begins. It begins a run with a fresh budget, unless one is under way: the state of a run that
 * waits for approval goes on with it, also one that was saved, and its context makes this loop a sub-agent's.
 */
export function openLoop(
  agent: AnyAgent,
  input: unknown,
  given: unknown,
  newRun: (saved: GovernorState | undefined) => Run,
): GovernedLoop {
  const state = input instanceof RunState ? input : undefined;
  const context = state?._context ?? (given instanceof RunContext ? given : new RunContext(given));
  const known = parentOf(context);
  if (known?.waits && state) {
    governAgent(state._currentAgent);
    known.resume(state._currentAgent);
    return known;
  }
  if (known) return openNested(agent, input, known, childOf(context));
  const saved = state && savedWith(state);
  const run = newRun(saved);
  if (state) forgetSaved(state);
  // The host makes a context of its own where none is given.
  const start = { context: given === undefined && !state ? undefined : context.context };
  if (saved) run.resume(start);
  else run.begin(start);
  const first = state?._currentAgent ?? agent;
  const begun = state ? [...state._pendingAgentToolRuns.keys()] : [];
  return opened(new GovernedLoop(new HostedAgent(run), first, context, { begun }));
}

/** The loop of a sub-agent. */
function openNested(agent: AnyAgent, input: unknown, parent: GovernedLoop, context: Context): GovernedLoop {
  const state = input instanceof RunState ? input : undefined;
  if (state) state._context = context;
  const first: AnyAgent = state?._currentAgent ?? agent;
  return opened(parent.nest(first, context));
}

function opened(loop: GovernedLoop): GovernedLoop {
  governAgent(loop.agent);
  governContext(loop.context, loop);
  return loop;
}

type HostRun = (this: Runner, agent: AnyAgent, input: AnyInput, options?: AnyOptions) => Promise<AnyResult>;

let isFollowing = false;

/**
 * Puts agents that are given as tools on the budget of the run that calls them. The host makes a runner for each such
 * call and shows it to nobody, so the only place to see it is where all runs begin. All others are left as they are.
 */
export function followAgentsAsTools(): void {
  if (isFollowing) return;
  isFollowing = true;
  const host = Runner.prototype as unknown as { run: HostRun };
  const { run } = host;
  host.run = function (agent, input, given) {
    const context = input instanceof RunState ? input._context : given?.context;
    const parent = takeParent(context);
    if (!parent) return run.call(this, agent, input, given);
    governRunner(this);
    const loop = openNested(agent, input, parent, context as Context);
    return runLoop({ loop, runner: this, agent, input, given: given ?? {} });
  };
}
