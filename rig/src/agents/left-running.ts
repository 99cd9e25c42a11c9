import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { RunningAgent } from "./run-agent.ts";

const run = promisify(execFile);

/** The commands in the process group of an agent that still run. One that has ended and was not waited for does not. */
export async function leftRunning({ child }: Pick<RunningAgent, "child">): Promise<string[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pgid=,stat=,args="], { maxBuffer: 16 * 1024 * 1024 });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([group, state]) => group === String(child.pid) && !state?.startsWith("Z"))
    .map(([, , ...command]) => command.join(" "));
}
