import { personsFiles } from "../../launch/launcher.ts";
import { untilOver } from "../parked/run-again.ts";
import type { Surroundings } from "../surroundings.ts";
import { readRunOptions } from "./options.ts";
import { runAgent } from "./run-agent.ts";

/** `turn-limit run`: starts an agent behind a gateway, and holds it to limits. Resolves with the exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const files = personsFiles(process.cwd());
  const options = readRunOptions(args, around.env, files);
  return untilOver(await runAgent(options, files, around), options.store, around);
}
