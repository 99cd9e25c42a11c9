import type { FunctionTool, Runner } from "@openai/agents";
import { boundModels, currentLoop } from "./bounded-models.ts";
import { type Context, loopOf } from "./contexts.ts";
import type { AnyAgent } from "./governed-loop.ts";
import { requireAsked, requireChangeable, requireReplaceable } from "./requirements.ts";

const governed = new WeakSet<AnyAgent | Runner>();

/** Follows the loops of a runner from agent to agent, and the tool calls that it makes. */
export function governRunner(runner: Runner): void {
  if (governed.has(runner)) return;
  governed.add(runner);
  runner.on("agent_start", (context, agent) => {
    const loop = loopOf(context);
    if (!loop) return;
    loop.agent = agent;
    governAgent(agent);
    boundModels(runner, loop);
  });
  runner.on("agent_tool_start", (context, _agent, tool, { toolCall }) => {
    if (tool.type !== "function" || toolCall.type !== "function_call") return;
    loopOf(context)?.toolStarts(tool as FunctionTool, toolCall);
  });
}

/**
 * In a loop under limits each turn of the agent is admitted first, it is told what it has to be told, and in the
 * tools-free turn it offers nothing; otherwise it is as it was.
 */
export function governAgent(agent: AnyAgent): void {
  if (governed.has(agent)) return;
  requireChangeable(agent);
  governed.add(agent);
  const { getEnabledHandoffs, getAllTools, getSystemPrompt, getPrompt } = agent;
  // While the state of an agent given as a tool is restored, it is asked with the context of the agent that calls it.
  const loopWith = (context: Context) => {
    const loop = loopOf(context);
    return loop?.agent === agent ? loop : undefined;
  };

  agent.getEnabledHandoffs = (context) => {
    const list = () => getEnabledHandoffs.call(agent, context);
    return loopWith(context)?.offered(list) ?? list();
  };
  agent.getAllTools = async (context, parent) => {
    const loop = loopWith(context);
    if (!loop) return getAllTools.call(agent, context, parent);
    const tools = await loop.offered(() => getAllTools.call(agent, context, parent));
    requireAsked(loop.hosted.run.facts.settings, tools);
    requireReplaceable(tools);
    return tools;
  };
  agent.getSystemPrompt = (context) => {
    const instructions = getSystemPrompt.call(agent, context);
    return loopWith(context)?.instructed(instructions) ?? instructions;
  };
  agent.getPrompt = (context) => {
    const loop = loopWith(context);
    if (loop && !loop.options.sandboxed) loop.prepared();
    return getPrompt.call(agent, context);
  };
  governEndRule(agent);
}

/** The host reads the rule where the results of an answer's calls are there. */
function governEndRule(agent: AnyAgent): void {
  let rule = agent.toolUseBehavior;
  Object.defineProperty(agent, "toolUseBehavior", {
    get: () => currentLoop()?.endRule(rule) ?? rule,
    set(other: typeof rule) {
      rule = other;
    },
    enumerable: true,
    configurable: true,
  });
}
