/** A process that works for a run until it is interrupted, and one that goes on from there. */
import { readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, HumanMessage, humanInTheLoopMiddleware } from "langchain";
import { turnLimitMiddleware } from "../../../src/adapters/langchain/index.ts";
import { callId, type SeenRequest } from "../../../src/testing/scripted-host.ts";
import { answer } from "../../helpers/in-another-process.ts";
import { plain, ScriptedModel, workTool } from "../../hosts/langchain.ts";

/** What the process is to do. */
export interface Work {
  limits: Parameters<typeof turnLimitMiddleware>[0];
  /** Where the thread is saved. */
  file: string;
  /** What an earlier process left. Without it a run begins. */
  earlier?: Worked;
  /** Does the second of two calls interrupt the run, instead of a person's approval of each? */
  inTool?: boolean;
  /** Does the tool run an agent whose own tool interrupts the run? */
  inSubAgent?: boolean;
}

/** What came of it. */
export interface Worked {
  /** The requests of the run so far, in all processes. */
  requests: SeenRequest[];
  executed: string[];
  isInterrupted: boolean;
  outcome: unknown;
  /** What the thread has of the limits. */
  left: unknown;
}

const thread = { configurable: { thread_id: "thread" } };
const approved = { decisions: [{ type: "approve" }] };

answer<Work>(async ({ limits: given, file, earlier, inTool, inSubAgent }): Promise<Worked> => {
  const { requests = [], executed = [] } = earlier ?? {};
  const limits = turnLimitMiddleware(given);
  const checkpointer = new MemorySaver();
  if (earlier) Object.assign(checkpointer, deserialize(readFileSync(file)));
  const model = new ScriptedModel(() => ({ calls: inTool ? 2 : 1 }), requests);
  const subAgent = createAgent({
    model,
    tools: [workTool(() => interrupt("May I?"))],
    middleware: [limits],
  }).withConfig(limits.config);
  const work = async (id: string) => {
    if (inTool && id === callId(requests.length, 2)) interrupt("May I?");
    if (inSubAgent) await subAgent.invoke({ messages: [new HumanMessage("help")] });
    executed.push(id);
  };
  const isApproved = !inTool && !inSubAgent;
  const approvals = humanInTheLoopMiddleware({
    interruptOn: { work: { allowedDecisions: ["approve"] } },
  } as never);
  const agent = createAgent({
    model,
    tools: [workTool(work)],
    middleware: [limits, ...(isApproved ? [plain(approvals)] : [])] as (typeof limits)[],
    checkpointer,
  }).withConfig(limits.config);
  const input = earlier
    ? new Command({ resume: isApproved ? approved : "yes" })
    : { messages: [new HumanMessage("go")] };
  const result = await agent.invoke(input as { messages: HumanMessage[] }, thread);
  writeFileSync(file, serialize({ storage: checkpointer.storage, writes: checkpointer.writes }));
  const { values } = await agent.graph.getState(thread);
  return {
    requests,
    executed,
    isInterrupted: "__interrupt__" in result,
    outcome: limits.outcomeOf(result),
    left: values._turnLimitRun,
  };
});
