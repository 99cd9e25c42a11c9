import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  bash,
  deferred,
  type ModelRequest,
  type PiHost,
  type Reply,
  type Script,
  says,
  slow,
} from "@turn-limit/rig";
import type { Stage } from "./stage.ts";

/** Runs sub-agents as sessions of the same process. */
export const inProcess = fileURLToPath(
  new URL("../../../../node_modules/@tintinweb/pi-subagents", import.meta.url),
);

/** What a sub-agent is to do. */
export const TASK = "Look into it for me.";

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

/** The same for several agents at once. */
export function startSubAgents(count: number) {
  const tasks = Array.from({ length: count }, () => ({ agent: "helper", task: TASK }));
  return { name: "subagent", arguments: { tasks } };
}

/** A command that starts another Pi with the task, and these words before its command line and at its end. */
export function commandFor({ cli }: PiHost, { before = "", flags = "", task = TASK } = {}): string {
  const pi = `${process.execPath} ${cli} --no-session --provider scripted --model scripted-model`;
  return `${before} ${pi} ${flags} -p ${JSON.stringify(task)} < /dev/null`;
}

/** A call of bash with it. */
export function startsPi(host: PiHost, how = {}) {
  return bash(commandFor(host, how));
}

/** Defines the agent that {@link startSubAgent} starts. */
export async function defineSubAgent({ sandbox }: Stage): Promise<void> {
  const folder = join(sandbox.agentDir, "agents");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "helper.md"), "---\nname: helper\ndescription: Helps\n---\nYou help.\n");
}

/** Gives no sub-agent its first answer before this many have asked for theirs: all of them have begun by then. */
export function beginTogether(count: number, subAgent: Script): Script {
  const begun = deferred();
  let waiting = 0;
  return async (request) => {
    if (request.messages.some(({ role }) => role === "assistant")) return subAgent(request);
    waiting += 1;
    if (waiting === count) begun.resolve();
    return slow(await subAgent(request), begun.promise);
  };
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

/** Does the request belong to an agent that was given this task? */
export function hasTask({ messages }: ModelRequest, task: string): boolean {
  return messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(task));
}

function isSubAgents(request: ModelRequest): boolean {
  return hasTask(request, TASK);
}
