import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";

/** Can a program and all that it starts be ended together? */
const HAS_GROUPS = process.platform !== "win32";
/** A command that prints more bytes than this is ended. */
const MOST_OUTPUT = 64 * 1024;
/** For how many milliseconds the output of a command is read that has ended, where another program keeps it open. */
const AFTER_ITS_END = 50;

/**
 * What the command printed, once it has ended. Throws if it did not end well. `undefined`: the question was withdrawn,
 * and the command is ended.
 */
export async function outputOf(
  command: string,
  input: string,
  signal: AbortSignal,
  isSilent: boolean,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "pipe", isSilent ? "ignore" : "inherit"],
    // A group of its own, so that all of it can be ended.
    detached: HAS_GROUPS,
  });
  // It need not read the question.
  child.stdin.on("error", () => {}).end(input);
  const closed = new Promise((resolve) => child.stdout.once("close", resolve));
  let output = "";
  let withdraw = () => {};
  try {
    const how = await new Promise<number | string>((resolve) => {
      withdraw = () => resolve("withdrawn");
      signal.addEventListener("abort", withdraw);
      child.stdout.setEncoding("utf8").on("data", (more: string) => {
        if (output.length + more.length > MOST_OUTPUT) resolve("too much");
        else output += more;
      });
      child.once("error", ({ message }) => resolve(message));
      child.once("exit", (code, killedBy) => resolve(code ?? killedBy ?? 1));
    });
    if (how === "withdrawn" || how === "too much") await endGroup(child);
    if (how === "withdrawn") return undefined;
    if (how === "too much") throw new Error("it printed too much.");
    if (how !== 0) throw new Error(`it ended with ${how}.`);
    // One more turn of the event loop, so that the rest of the pipe is read.
    await Promise.race([closed, pause(AFTER_ITS_END).then(() => immediate())]);
    return output.trim();
  } finally {
    signal.removeEventListener("abort", withdraw);
    // Programs that it has started may live on. They must not keep this one alive.
    child.stdin.destroy();
    child.stdout.destroy();
    child.unref();
  }
}

/** For how many milliseconds programs may shut down by themselves. */
const GRACE = 500;
const BETWEEN_LOOKS = 20;

/** Ends a program that leads a group, and the group with it. Programs that do not end in time are killed. */
async function endGroup(leader: ChildProcess): Promise<void> {
  const killAt = performance.now() + GRACE;
  let isThere = send(leader, "SIGTERM");
  while (isThere && performance.now() < killAt) {
    await pause(BETWEEN_LOOKS);
    isThere = send(leader, 0);
  }
  if (isThere) send(leader, "SIGKILL");
}

/** `false`: the program has ended. */
function send(leader: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (leader.pid === undefined) return false;
  if (!HAS_GROUPS) return leader.exitCode === null && leader.kill(signal);
  try {
    return process.kill(-leader.pid, signal);
  } catch {
    return false;
  }
}
