import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether this machine has tmux. */
export async function tmuxAvailable(): Promise<boolean> {
  return run("tmux", ["-V"]).then(
    () => true,
    () => false,
  );
}

/** Speaks to a tmux server whose socket lies in `folder`, with no configuration of the person's. */
export function tmuxIn(folder: string, socket: string): (...args: string[]) => Promise<string> {
  const env = { ...process.env, TMUX_TMPDIR: folder };
  return async (...args) => {
    const { stdout } = await run("tmux", ["-L", socket, "-f", "/dev/null", ...args], { env });
    return stdout;
  };
}
