import { setTimeout as pause } from "node:timers/promises";

const LAST_WORDS_MS = 100;

/** Is this Pi's own process? Where Pi is embedded, another program's process is not ours to end. */
export function isPisOwnProcess(): boolean {
  return process.title === "pi" || process.title === "pi-rpc";
}

/** Ends Pi as a failure, and says why. Pi may still be writing its JSON stream. */
export async function endPi(why: string): Promise<never> {
  console.error(why);
  await pause(LAST_WORDS_MS);
  process.exit(1);
}
