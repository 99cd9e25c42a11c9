import { type RunContext, Runner, RunState } from "@openai/agents";
import { governRunner } from "./govern.ts";
import { releaseContext } from "./governed-contexts.ts";
import type { AnyAgent } from "./governed-loop.ts";
import { takeParent } from "./nested-contexts.ts";
import { openNested } from "./open-loop.ts";
import { type AnyInput, type AnyOptions, type AnyResult, runLoop } from "./run-loop.ts";

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
    const opened = openNested(agent, input, parent, context as RunContext<unknown>);
    const onEnd = () => releaseContext(opened.context);
    return runLoop({ ...opened, runner: this, agent, input, given: given ?? {}, onEnd });
  };
}
