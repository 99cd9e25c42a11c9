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

/** Runs tmux commands on a server whose socket is in `folder`, without the user's configuration. */
export function tmuxIn(folder: string, socket: string): (...args: string[]) => Promise<string> {
  const env = { ...process.env, TMUX_TMPDIR: folder };
  return async (...args) => {
    const { stdout } = await run("tmux", ["-L", socket, "-f", "/dev/null", ...args], { env });
    return stdout;
  };
}
