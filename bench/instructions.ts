import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const event = "instructions:u";
const fifosVariable = "TURN_LIMIT_BENCH_PERF_FIFOS";

/** Does this machine count instructions? perf is only there on Linux, and most virtual machines hide the counter. */
export function canCountInstructions(): boolean {
  const { status, stderr } = spawnSync("perf", ["stat", "-x,", "-e", event, "true"], { encoding: "utf8" });
  return status === 0 && countIn(stderr) > 0;
}

/** The instructions of what a Node script does within {@link counted}. */
export async function instructionsOf(script: string, args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-perf-"));
  const report = join(folder, "report");
  const fifos = [join(folder, "control"), join(folder, "acknowledged")];
  try {
    spawnSync("mkfifo", fifos);
    const perf = ["stat", "-x,", "-o", report, "-e", event, "-D", "-1", "--control", `fifo:${fifos.join()}`];
    // With one thread, processes differ less in when they compile and collect garbage.
    const node = [process.execPath, "--single-threaded", script, ...args];
    const { status, stderr } = spawnSync("perf", [...perf, ...node], {
      encoding: "utf8",
      env: { ...process.env, [fifosVariable]: JSON.stringify(fifos) },
    });
    if (status !== 0) throw new Error(`perf ended with ${status}: ${stderr}`);
    return countIn(await readFile(report, "utf8"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** For the script that is counted: only what is done in here counts. */
export async function counted(work: () => Promise<void>): Promise<void> {
  const [control = "", acknowledged = ""] = JSON.parse(process.env[fifosVariable] ?? "[]");
  const commands = openSync(control, "w");
  const replies = openSync(acknowledged, "r");
  const tell = (command: string) => {
    writeSync(commands, `${command}\n`);
    readSync(replies, Buffer.alloc(16));
  };
  tell("enable");
  await work();
  tell("disable");
  closeSync(commands);
  closeSync(replies);
}

function countIn(report: string): number {
  const line = report.split("\n").find((text) => text.includes(event));
  return Number.parseFloat(line ?? "");
}
