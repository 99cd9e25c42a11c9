import { personsFiles } from "../launch/launcher.ts";
import { untilOver } from "./parked/run-again.ts";
import { readRunOptions } from "./run/options.ts";
import { runHeld } from "./run/run-agent.ts";
import type { Surroundings } from "./surroundings.ts";

/** `turn-limit run`: starts an agent behind a gateway, and holds it to limits. Resolves with the exit code. */
export async function runAgent(args: readonly string[], around: Surroundings): Promise<number> {
  const files = personsFiles(process.cwd());
  const options = readRunOptions(args, around.env, files);
  return untilOver(await runHeld(options, files, around), options.store, around);
}
