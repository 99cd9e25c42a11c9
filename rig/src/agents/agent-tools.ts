import type { Conversation } from "../provider/provider-request.ts";
import type { ToolCall } from "../replies.ts";

type ToolOf = (argument: string) => ToolCall;

// By the names that the agents give their tools, which tell the agents apart.
const shells: Record<string, ToolOf> = {
  // Claude Code
  Bash: (command) => ({ name: "Bash", arguments: { command, description: "A command" } }),
  // opencode, Pi
  bash: (command) => ({ name: "bash", arguments: { command, description: "A command" } }),
  // Codex, whose only tool for work runs JavaScript
  "functions.exec": (command) => script("exec_command", { cmd: command }),
  // Codex with a model that it does not know
  exec_command: (command) => ({ name: "exec_command", arguments: { cmd: command } }),
  // Gemini CLI, Qwen Code
  run_shell_command: (command) => ({
    name: "run_shell_command",
    arguments: { command, description: "A command", is_background: false },
  }),
};

const subAgents: Record<string, ToolOf> = {
  // Claude Code
  Agent: (prompt) => ({
    name: "Agent",
    arguments: {
      description: "A helper",
      prompt,
      subagent_type: "general-purpose",
      run_in_background: false,
    },
  }),
  // opencode
  task: (prompt) => ({
    name: "task",
    arguments: { description: "A helper", prompt, subagent_type: "general" },
  }),
  // Codex
  "collaboration.spawn_agent": (message) => ({
    name: "collaboration.spawn_agent",
    arguments: { task_name: "helper", message },
  }),
  // Gemini CLI
  invoke_agent: (prompt) => ({ name: "invoke_agent", arguments: { agent_name: "generalist", prompt } }),
  // Qwen Code
  agent: (prompt) => ({
    name: "agent",
    arguments: { description: "A helper", prompt, subagent_type: "general-purpose" },
  }),
};

/** A call of the agent's own tool for shell commands, among the tools that the request offers. */
export function shellCall(request: Conversation, command: string): ToolCall {
  return callOf(shells, "for shell commands", request, command);
}

/** A call of the agent's own tool that starts a sub-agent. */
export function subAgentCall(request: Conversation, prompt: string): ToolCall {
  return callOf(subAgents, "that starts a sub-agent", request, prompt);
}

function callOf(
  known: Record<string, ToolOf>,
  what: string,
  request: Conversation,
  argument: string,
): ToolCall {
  const name = request.toolNames.find((each) => known[each]);
  const tool = name === undefined ? undefined : known[name];
  if (!tool) throw new Error(`No tool ${what} is on offer, only: ${request.toolNames.join(", ")}`);
  return tool(argument);
}

function script(tool: string, argument: object): ToolCall {
  const input = `text(JSON.stringify(await tools.${tool}(${JSON.stringify(argument)})));`;
  return { name: "functions.exec", arguments: {}, input };
}
