import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { grace } from "./end-process.ts";
import { tmuxIn } from "./tmux.ts";
import { patience } from "./within.ts";

// Each look at the screen starts a process, which takes time from the program that is waited for.
const pollMs = 100;
const exitPollMs = 20;

// tmux stops reading when it hears that the process of a pane has ended, and loses what was written just before. So a
// shell stays in the pane after the program, and notes its exit code. It outlives the signals that are meant for it.
const staysAfterwards = 'trap : INT TERM; "$@"; echo $? > "$0"; exec tail -f /dev/null';

/** A program on a terminal of the given size. */
export interface TerminalOptions {
  /** An empty folder, or one of the program's own, for the terminal's socket. */
  folder: string;
  command: readonly [file: string, ...args: string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  cols?: number;
  rows?: number;
  /** What to wait for first: something on the screen, or a condition that is asked again and again. */
  ready: string | RegExp | ((terminal: Terminal) => Promise<boolean>);
  /** How long to wait for the program before that is reported as a failure. */
  patienceMs?: number;
}

/** A program as a person sees it. */
export interface Terminal extends AsyncDisposable {
  /** What is on the screen, as text. */
  screen(): Promise<string>;
  /** What is on the screen, with its escape sequences for colours. */
  screenWithColours(): Promise<string>;
  /** The title that the program has given its window. */
  title(): Promise<string>;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Presses keys by their tmux names: `press("Down", "Enter")`, `press("Escape")`, `press("C-c")`. */
  press(...keys: string[]): Promise<void>;
  /** Types a prompt and sends it. */
  submit(text: string): Promise<void>;
  /** Waits until the screen shows it, and gives that screen. */
  waitFor(wanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Waits until the screen no longer shows it, and gives that screen. */
  waitUntilGone(unwanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** The exit code, 128 and the signal's number for a killed program, or `undefined` while it runs. */
  exitCode(): Promise<number | undefined>;
  /** Ends the program and its terminal. */
  close(): Promise<void>;
}

/** Starts a program on a tmux terminal of its own, and waits until it is ready. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { folder, command: program, cwd, env, cols = 100, rows = 32, ready, patienceMs = patience } = options;
  const name = randomUUID().slice(0, 8);
  const tmux = tmuxIn(folder, name);
  const exitCodeFile = join(folder, `${name}.exit-code`);
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);

  const start = ["new-session", "-d", "-x", `${cols}`, "-y", `${rows}`, "-c", cwd];
  const keepLastScreen = ["set-option", "-g", "remain-on-exit", "on"];
  // Through `env -i`, because panes inherit the environment in which the tmux server was started.
  const command = ["env", "-i", ...assignments, ...program];
  await tmux(...keepLastScreen, ";", ...start, "sh", "-c", staysAfterwards, exitCodeFile, ...command);

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

  const terminal: Terminal = {
    screen,
    screenWithColours: () => tmux("capture-pane", "-p", "-e", "-N"),
    title: async () => (await tmux("display-message", "-p", "#{pane_title}")).replace(/\n$/, ""),
    type,
    press,
    submit: async (text) => {
      await type(text);
      await press("Enter");
    },
    waitFor: (wanted, timeoutMs = patienceMs) => poll(shows(wanted), `${wanted} did not appear`, timeoutMs),
    waitUntilGone: (unwanted, timeoutMs = patienceMs) =>
      poll((seen) => !shows(unwanted)(seen), `${unwanted} did not go away`, timeoutMs),
    exitCode: async () => {
      const written = await readFile(exitCodeFile, "utf8").catch(() => "");
      return written.endsWith("\n") ? Number(written) : undefined;
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function end(): Promise<void> {
    if ((await terminal.exitCode()) === undefined) {
      // The shell leads the process group, and the program is in it.
      const group = -Number(await tmux("display-message", "-p", "#{pane_pid}"));
      sendSignal(group, "SIGTERM");
      if (!(await endsWithin(grace))) sendSignal(group, "SIGKILL");
    }
    await tmux("kill-server");
  }

  async function endsWithin(timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while ((await terminal.exitCode()) === undefined) {
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

  async function reaches(isReady: (terminal: Terminal) => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await isReady(terminal))) {
      const ended = (await terminal.exitCode()) !== undefined;
      if (ended) throw new Error(`The program ended at once. The screen:\n${await screen()}`);
      if (Date.now() > deadline)
        throw new Error(`The program did not get ready. The screen:\n${await screen()}`);
      await pause(pollMs);
    }
  }

  try {
    await (typeof ready === "function" ? reaches(ready) : terminal.waitFor(ready));
    return terminal;
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
