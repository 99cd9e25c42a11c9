/** `npx pi-turn-limit stats`: what the prompts of your own Pi sessions took. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../core.ts";
import { sessionsFolder } from "../settings/pi-folders.ts";
import { readHistory } from "./history.ts";
import { createProgressBar } from "./progress-bar.ts";
import { report } from "./report.ts";
import { summarize } from "./summary.ts";

const USAGE = `Usage: pi-turn-limit stats [--agent-dir DIR] [--json]

Reads your Pi session files and shows how many turns, steps, tokens and dollars
your prompts take, and which turn limit would have stopped how many of them.
Nothing is written.

  --agent-dir DIR  Pi's agent folder (default: PI_CODING_AGENT_DIR, else ~/.pi/agent)
  --json           print the numbers as JSON
  --help           print this`;

interface Wish {
  help: boolean;
  json: boolean;
  /** The agent folder that was given, if one was. */
  agentDir: string | undefined;
}

function understand(args: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      "agent-dir": { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
    allowPositionals: true,
  });
  const { help, json, "agent-dir": given } = values;
  const [command, ...more] = positionals;
  if (!help && command === undefined) throw new Error("No command given");
  if (command !== undefined && command !== "stats")
    throw new Error(`Unknown command ${JSON.stringify(command)}`);
  if (more.length > 0) throw new Error(`Unknown argument ${JSON.stringify(more[0])}`);
  if (given === "") throw new Error("--agent-dir needs a folder");
  return { help, json, agentDir: given };
}

/** Is there such a folder? One that was given is a mistake if there is not; Pi makes its own when it needs it. */
async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function main(): Promise<void> {
  let wish: Wish;
  try {
    wish = understand(process.argv.slice(2));
  } catch (error) {
    // Node adds advice on positional arguments, which does not fit here.
    const [reason] = messageOf(error).split(". To specify");
    console.error(`${reason}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (wish.help) {
    console.log(USAGE);
    return;
  }
  const { json, agentDir } = wish;
  if (agentDir !== undefined && !(await isFolder(agentDir))) {
    console.error(`${agentDir} is not a folder. Use --agent-dir with Pi's agent folder.`);
    process.exitCode = 1;
    return;
  }
  const folder = agentDir === undefined ? sessionsFolder() : join(agentDir, "sessions");
  const bar = createProgressBar(process.stderr);
  const summary = summarize(await readHistory(folder, { progress: bar.show }));
  bar.clear();
  console.log(json ? JSON.stringify(summary, null, 2) : report(summary, process.stdout.columns));
}

// The reader of the output may close it before the end: `pi-turn-limit stats | head -3`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
void main();
