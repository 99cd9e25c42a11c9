import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { piCommand } from "./pi-command.ts";
import { tmuxIn } from "./tmux.ts";
import type { TuiOptions, TuiPi } from "./tui-types.ts";
import { patience } from "./within.ts";

const pollMs = 40;
const grace = 5_000;

/**
 * Starts Pi's interactive mode on a tmux terminal of its own.
 *
 * @example
 * await using pi = await openTui({ host, sandbox });
 * await pi.submit("Go on.");
 * await pi.waitFor("All done.");
 */
export async function openTui(options: TuiOptions): Promise<TuiPi> {
  const { cols = 100, rows = 32, ready } = options;
  const { file, args, cwd, env } = piCommand(options);
  const tmux = tmuxIn(options.sandbox.root, randomUUID().slice(0, 8));
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);

  const start = ["new-session", "-d", "-x", `${cols}`, "-y", `${rows}`, "-c", cwd];
  const keepLastScreen = ["set-option", "-g", "remain-on-exit", "on"];
  // Through `env -i`, because panes inherit the environment in which the tmux server was started.
  await tmux(...keepLastScreen, ";", ...start, "env", "-i", ...assignments, file, ...args);

  const screen = () => tmux("capture-pane", "-p");
  const press = async (...keys: string[]) => void (await tmux("send-keys", ...keys));
  const type = async (text: string) => void (await tmux("send-keys", "-l", "--", literal(text)));

  async function poll(done: (screen: string) => boolean, what: string, timeoutMs: number): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const seen = await screen();
      if (done(seen)) return seen;
      if (Date.now() > deadline) throw new Error(`${what} within ${timeoutMs} ms. The screen:\n${seen}`);
      await pause(pollMs);
    }
  }

  const pi: TuiPi = {
    screen,
    screenWithColours: () => tmux("capture-pane", "-p", "-e", "-N"),
    type,
    press,
    submit: async (text) => {
      await type(text);
      await press("Enter");
    },
    waitFor: (wanted, timeoutMs = patience) => poll(shows(wanted), `${wanted} did not appear`, timeoutMs),
    waitUntilGone: (unwanted, timeoutMs = patience) =>
      poll((seen) => !shows(unwanted)(seen), `${unwanted} did not go away`, timeoutMs),
    exitCode: async () => {
      const fields = "#{pane_dead} #{pane_dead_status} #{pane_dead_signal}";
      const state = await tmux("display-message", "-p", fields);
      const [dead, status, signal] = state.trim().split(" ");
      if (dead !== "1") return undefined;
      return status ? Number(status) : 128 + Number(signal);
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function end(): Promise<void> {
    if (!(await endedAfter("SIGTERM", grace))) await endedAfter("SIGKILL", grace);
    await tmux("kill-server");
  }

  async function endedAfter(signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
    // The id of a process that has ended may belong to another one by now.
    if ((await pi.exitCode()) !== undefined) return true;
    const pid = Number(await tmux("display-message", "-p", "#{pane_pid}"));
    const deadline = Date.now() + timeoutMs;
    sendSignal(pid, signal);
    while ((await pi.exitCode()) === undefined) {
      if (Date.now() > deadline) return false;
      await pause(pollMs);
    }
    return true;
  }

  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }

  // Pi draws its editor before it takes input; its title comes once the extensions have started.
  async function started(): Promise<void> {
    const titled = ` - ${basename(cwd)}\n`;
    const deadline = Date.now() + patience;
    while (!(await tmux("display-message", "-p", "#{pane_title}")).endsWith(titled)) {
      if ((await pi.exitCode()) !== undefined)
        throw new Error(`Pi ended at once. The screen:\n${await screen()}`);
      if (Date.now() > deadline) throw new Error(`Pi did not get ready. The screen:\n${await screen()}`);
      await pause(pollMs);
    }
  }

  try {
    await (ready === undefined ? started() : pi.waitFor(ready));
    return pi;
  } catch (error) {
    await close();
    throw error;
  }
}

function shows(wanted: string | RegExp): (screen: string) => boolean {
  return (screen) => (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen));
}

// tmux takes a semicolon at the end of an argument for the end of the command.
function literal(text: string): string {
  return text.replace(/;$/, "\\;");
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
