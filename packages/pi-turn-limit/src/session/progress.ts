import type { FindProgress, ProgressWatch } from "turn-limit/adapter";
import { messageOf } from "../core.ts";

/**
 * By what it is found out whether a run in this folder gets somewhere: a command, or its files. Loaded when a limit that may
 * be extended needs it. `warn`: why it could not be found out, which is no progress.
 */
export function progressIn(
  folder: string,
  command: string | undefined,
  warn: (message: string) => void,
): ProgressWatch {
  let loading: Promise<ProgressWatch> | undefined;
  const watch = () => {
    loading ??= load(folder, command);
    return loading;
  };
  const failed = (error: unknown, signal: AbortSignal) => {
    if (!signal.aborted) warn(`It is not known whether the run gets somewhere: ${messageOf(error)}`);
  };
  return {
    async turnComes(run, signal, turns) {
      try {
        await (await watch()).turnComes(run, signal, turns);
      } catch (error) {
        failed(error, signal);
      }
    },
    async find(...asked: Parameters<FindProgress>) {
      try {
        return await (await watch()).find(...asked);
      } catch (error) {
        failed(error, asked[2]);
        return false;
      }
    },
  };
}

async function load(folder: string, command: string | undefined): Promise<ProgressWatch> {
  const { changedFiles, progressByCommand } = await import("../core-progress.ts");
  return command === undefined ? changedFiles({ folder }) : progressByCommand(command, { folder });
}
