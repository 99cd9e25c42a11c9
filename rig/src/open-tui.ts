import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { piCommand } from "./pi-command.ts";
import { tmuxIn } from "./tmux.ts";
import type { TuiOptions, TuiPi } from "./tui-types.ts";
import { patience } from "./within.ts";

// Each look at the screen starts a process, which takes time from the Pi that is waited for.
const pollMs = 100;
const exitPollMs = 20;
const grace = 5_000;

// tmux stops reading when it hears that the process of a pane has ended, and loses what was written just before. So a
// shell stays in the pane after Pi, and notes Pi's exit code. It outlives the signals that are meant for Pi.
const staysAfterPi = 'trap : INT TERM; "$@"; echo $? > "$0"; exec tail -f /dev/null';

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
  const name = randomUUID().slice(0, 8);
  const tmux = tmuxIn(options.sandbox.root, name);
  const exitCodeFile = join(options.sandbox.root, `${name}.exit-code`);
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);

  const start = ["new-session", "-d", "-x", `${cols}`, "-y", `${rows}`, "-c", cwd];
  const keepLastScreen = ["set-option", "-g", "remain-on-exit", "on"];
  // Through `env -i`, because panes inherit the environment in which the tmux server was started.
  const command = ["env", "-i", ...assignments, file, ...args];
  await tmux(...keepLastScreen, ";", ...start, "sh", "-c", staysAfterPi, exitCodeFile, ...command);

  const screen = () => tmux("capture-pane", "-p");

  // A key that comes together with an Escape before it is another key: Alt and that key.
  let escapePressed = false;
  async function send(...keys: string[]): Promise<void> {
    if (escapePressed) throw new Error("Wait for what Escape does on the screen before you send more keys.");
    await tmux("send-keys", ...keys);
  }
  const type = (text: string) => send("-l", "--", literal(text));
  async function press(...keys: string[]): Promise<void> {
    if (keys.slice(0, -1).includes("Escape")) throw new Error("Escape has to be the last of several keys.");
    await send(...keys);
    escapePressed = keys.at(-1) === "Escape";
  }

  async function poll(done: (screen: string) => boolean, what: string, timeoutMs: number): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const seen = await screen();
      if (done(seen)) {
        escapePressed = false;
        return seen;
      }
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
      const written = await readFile(exitCodeFile, "utf8").catch(() => "");
      return written.endsWith("\n") ? Number(written) : undefined;
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function end(): Promise<void> {
    if ((await pi.exitCode()) === undefined) {
      // The shell leads the process group, and Pi is in it.
      const group = -Number(await tmux("display-message", "-p", "#{pane_pid}"));
      sendSignal(group, "SIGTERM");
      if (!(await endsWithin(grace))) sendSignal(group, "SIGKILL");
    }
    await tmux("kill-server");
  }

  async function endsWithin(timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while ((await pi.exitCode()) === undefined) {
      if (Date.now() > deadline) return false;
      await pause(exitPollMs);
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
