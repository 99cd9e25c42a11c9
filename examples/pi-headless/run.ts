/**
 * Runs one prompt in Pi where nobody can be asked, and says with its exit code how it ended.
 *
 * Use: node run.ts "Fix the failing test." --max-turns 25 --turn-grace 3 --max-time 10m
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const COMPLETED = 0;
const FAILED = 1;
const STOPPED = 3;
const CUT_SHORT = 4;

/** What pi-turn-limit writes to the stream of a run in which a limit intervened. */
interface Outcome {
  outcome: string;
  limit?: string;
}

interface Message {
  role: string;
  content: { type: string; text?: string }[];
  stopReason?: string;
  errorMessage?: string;
}

const args = ["--mode", "json", "-p", ...process.argv.slice(2)];
const pi = spawn("pi", args, { stdio: ["ignore", "pipe", "inherit"] });
const ended = once(pi, "close").catch(({ message }) => [message]);

let outcome: Outcome | undefined;
let last: Message | undefined;
for await (const line of createInterface({ input: pi.stdout })) {
  const { type, message, entry } = JSON.parse(line);
  if (type === "message_end" && message.role === "assistant") last = message;
  if (type === "entry_appended" && entry.customType === "turn-limit:outcome") outcome = entry.data;
}
const [piEnded] = await ended;

process.exitCode = howItEnded();
if (process.exitCode === COMPLETED || process.exitCode === CUT_SHORT) console.log(answer());

function howItEnded(): number {
  switch (outcome?.outcome) {
    case "wrapped-up":
    case "salvaged":
      console.error("The agent ran out of budget and answered with what it had.");
      return CUT_SHORT;
    case "stopped":
    case "limit-overrun":
      console.error(`The agent was stopped by its limit of ${outcome.limit}.`);
      return STOPPED;
  }
  const failed = last?.stopReason === "error" || last?.stopReason === "aborted";
  if (piEnded === 0 && last && !failed) return COMPLETED;
  console.error(last?.errorMessage ?? `Pi gave no answer (${piEnded}).`);
  return FAILED;
}

function answer(): string {
  return (last?.content ?? []).flatMap(({ type, text }) => (type === "text" ? text : [])).join("\n");
}
