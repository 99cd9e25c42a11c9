import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ModelRequest, type Reply, type Script, says } from "@turn-limit/rig";
import type { Stage } from "./stage.ts";

/** Runs sub-agents as sessions of the same process. */
export const inProcess = fileURLToPath(
  new URL("../../../../node_modules/@tintinweb/pi-subagents", import.meta.url),
);

const TASK = "Look into it for me.";

/** The person's agent gives a task to a sub-agent, by this call, and then says what became of it. */
export function delegates(toTheSubAgent: Reply, subAgent: Script): Script {
  return (request) => {
    if (isSubAgents(request)) return subAgent(request);
    return request.messages.some(({ role }) => role === "tool") ? says("That is all.") : toTheSubAgent;
  };
}

/** A call of pi-subagents' tool. */
export const askSubAgent = {
  name: "Agent",
  arguments: { prompt: TASK, description: "Looks into it", subagent_type: "general-purpose" },
};

/** A call of the tool of Pi's own example, whose agents are defined in files. */
export const startSubAgent = { name: "subagent", arguments: { agent: "helper", task: TASK } };

/** Defines the agent that {@link startSubAgent} starts. */
export async function defineSubAgent({ sandbox }: Stage): Promise<void> {
  const folder = join(sandbox.agentDir, "agents");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "helper.md"), "---\nname: helper\ndescription: Helps\n---\nYou help.\n");
}

/** The requests that sub-agents have made. */
export function subAgentRequests(stage: Stage): ModelRequest[] {
  return stage.model.requests.filter(isSubAgents);
}

/** What the person's agent was told that the sub-agent had found out. */
export function resultOfSubAgent(stage: Stage): string {
  const request = stage.model.requests.findLast((request) => !isSubAgents(request));
  return JSON.stringify(request?.messages.findLast(({ role }) => role === "tool")?.content);
}

function isSubAgents({ messages }: ModelRequest): boolean {
  return messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(TASK));
}
