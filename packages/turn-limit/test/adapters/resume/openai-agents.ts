/** A process that works for a run until a call waits for approval, and one that goes on from there. */
import { Agent, RunContext, RunState } from "@openai/agents";
import { limitRuns } from "../../../src/adapters/openai-agents/index.ts";
import type { SeenRequest } from "../../../src/testing/scripted-host.ts";
import { answer } from "../../helpers/in-another-process.ts";
import { quickRunner, scripted, workTool } from "../../hosts/openai-agents.ts";

/** What the process is to do. */
export interface Work {
  limits: Parameters<typeof limitRuns>[0];
  /** What an earlier process left: the state of a run that waits. Without it a run begins. */
  earlier?: Worked;
  /** The caller's own context, also for a state that is restored. */
  context?: object;
  /** Does the work happen in an agent that is given as a tool? */
  asTool?: boolean;
}

/** What came of it. */
export interface Worked {
  /** The state, if calls wait for approval. */
  saved?: string;
  /** The requests of the run so far, in all processes. */
  requests: SeenRequest[];
  executed: string[];
  context: unknown;
  outcome: unknown;
}

answer<Work>(async ({ limits: given, earlier, context, asTool }): Promise<Worked> => {
  const { saved, requests = [], executed = [] } = earlier ?? {};
  const model = scripted(() => ({ calls: 1 }), requests);
  const work = workTool({ approve: () => true }, async (id) => {
    executed.push(id);
    return "done";
  });
  const worker = new Agent({ name: "Worker", model, tools: [work] });
  const delegate = worker.asTool({ toolName: "work", toolDescription: "Works." });
  const agent = asTool ? new Agent({ name: "Manager", model, tools: [delegate] }) : worker;
  const limits = limitRuns(given, quickRunner(model));
  const restore = async (text: string) =>
    context
      ? RunState.fromStringWithContext(agent, text, new RunContext<unknown>(context))
      : RunState.fromString<unknown, typeof agent>(agent, text);
  const state = saved === undefined ? undefined : await restore(saved);
  for (const call of state?.getInterruptions() ?? []) state?.approve(call);
  const result = state
    ? await limits.run(agent, state)
    : await limits.run(agent, "go", { ...(context && { context }) });
  return {
    ...(result.interruptions.length > 0 && { saved: result.state.toString() }),
    requests,
    executed,
    context: result.state._context.context,
    outcome: result.outcome,
  };
});
