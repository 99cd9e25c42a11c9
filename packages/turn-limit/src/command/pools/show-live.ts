import type { Store } from "../../pools/ledger/store.ts";
import { hasColours, type Surroundings } from "../surroundings.ts";
import { written } from "./lines.ts";
import { keysIn, liveUntilQuit } from "./live-control.ts";
import { type LiveView, liveLines } from "./live-lines.ts";
import { readPools, readRuns } from "./pool-view.ts";

// A screen of its own, so that what was there before comes back; no cursor.
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Shows the pools until the person quits. Rejects if they cannot be read at all. */
export async function showLive(
  store: Store,
  place: string,
  all: boolean,
  around: Surroundings,
): Promise<void> {
  const { stdin, stdout } = around;
  const view: LiveView = { place, pools: await readPools(store, all), runs: await readRuns(store) };
  const colours = hasColours(around);
  const draw = () => {
    const lines = liveLines(view, { columns: stdout.columns, rows: stdout.rows });
    stdout.write(`\x1b[H${lines.map((spans) => `${written(spans, colours)}\x1b[K`).join("\r\n")}\x1b[J`);
  };
  const screen = liveUntilQuit(view, store, all, draw);

  stdout.write(ENTER);
  draw();
  const onInput = (input: string) => screen.press(keysIn(input));
  const end = () => screen.quit();
  stdout.on("resize", draw);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("data", onInput);
    stdin.on("end", end);
    stdin.resume();
  }
  let signal: NodeJS.Signals | undefined;
  const onSignal = (received: NodeJS.Signals) => {
    signal = received;
    end();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    await screen.ended;
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
    stdout.off("resize", draw);
    if (stdin.isTTY) {
      stdin.off("data", onInput);
      stdin.off("end", end);
      stdin.setRawMode(false);
      stdin.pause();
    }
    stdout.write(LEAVE);
  }
  // Ctrl+C where keys cannot be read is a way to quit. After the others the process ends as it would have.
  if (signal !== undefined && signal !== "SIGINT") process.kill(process.pid, signal);
}
