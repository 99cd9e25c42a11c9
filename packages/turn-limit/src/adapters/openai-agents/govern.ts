import type { protocol, RunContext, Runner } from "@openai/agents";
import type { AnyAgent, GovernedLoop } from "./governed-loop.ts";
import { wrapNextCall } from "./tool-calls.ts";
import { requireAsked, requireToldApart } from "./unsupported.ts";

/** With what the host has not declared: it validates each call here before it asks whether the call may run. */
type Context = RunContext<unknown> & {
  _validateToolInvocation?(agent: unknown, toolName: string, call: protocol.ToolCallItem): unknown;
};

const loops = new WeakMap<Context, GovernedLoop>();
const governed = new WeakSet<AnyAgent | Runner | Context>();

/** The loop that a context belongs to, if it is under limits. */
export function loopOf(context: unknown): GovernedLoop | undefined {
  return loops.get(context as Context);
}

/** Puts the loop of a context under limits: a call that must not run is rejected as if a person had. */
export function governContext(context: Context, loop: GovernedLoop): void {
  const validate = context._validateToolInvocation?.bind(context);
  if (!validate) requireToldApart(loop.driver.governor.view.settings);
  loops.set(context, loop);
  if (governed.has(context)) return;
  governed.add(context);
  if (validate) {
    context._validateToolInvocation = (agent, toolName, call) => {
      loops.get(context)?.calls.made(call);
      return validate(agent, toolName, call);
    };
  }
  const isToolApproved = context.isToolApproved.bind(context);
  context.isToolApproved = (call) =>
    loops.get(context)?.refusal(call.callId) === undefined ? isToolApproved(call) : false;
}

/** The run of this context is over. */
export function release(context: Context): void {
  loops.delete(context);
}

/** Follows the loops of a runner from agent to agent. */
export function governRunner(runner: Runner): void {
  if (governed.has(runner)) return;
  governed.add(runner);
  runner.on("agent_start", (context, agent) => {
    const loop = loopOf(context);
    if (!loop) return;
    loop.agent = agent;
    governAgent(agent);
  });
  runner.on("agent_tool_start", (context, _agent, tool, { toolCall }) => {
    const calls = loopOf(context)?.calls;
    if (!calls || tool.type !== "function" || toolCall.type !== "function_call") return;
    wrapNextCall(tool, (details, invoke) => calls.execute(toolCall.callId, details, invoke));
  });
}

/**
 * In a loop under limits each turn of the agent is admitted first, it is told what it has to be told, and in the
 * tools-free turn it offers nothing; otherwise it is as it was.
 */
export function governAgent(agent: AnyAgent): void {
  if (governed.has(agent)) return;
  governed.add(agent);
  const getEnabledHandoffs = agent.getEnabledHandoffs.bind(agent);
  const getAllTools = agent.getAllTools.bind(agent);
  const getSystemPrompt = agent.getSystemPrompt.bind(agent);
  const getPrompt = agent.getPrompt.bind(agent);
  // An agent given as a tool shares the context of the agent that calls it, but not its turns.
  const loopWith = (context: Context) => (loopOf(context)?.agent === agent ? loopOf(context) : undefined);

  agent.getEnabledHandoffs = async (context) => {
    const list = () => getEnabledHandoffs(context);
    return loopWith(context)?.offered(list) ?? list();
  };
  agent.getAllTools = async (context, parent) => {
    const loop = loopWith(context);
    const tools = await (loop?.offered(() => getAllTools(context, parent)) ?? getAllTools(context, parent));
    if (loop) requireAsked(loop.driver.governor.view.settings, tools);
    return tools;
  };
  agent.getSystemPrompt = async (context) => {
    const instructions = await getSystemPrompt(context);
    return loopWith(context)?.instructed(instructions) ?? instructions;
  };
  agent.getPrompt = async (context) => {
    const loop = loopWith(context);
    const prompt = await getPrompt(context);
    if (loop && !loop.sandboxed) loop.sent();
    return prompt;
  };
}
