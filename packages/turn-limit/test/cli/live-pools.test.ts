import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { patience, tmuxIn } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { ask, fill } from "../command/a-store.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");

// tmux loses what a process writes just before its end, so a shell stays after it.
const STAYS = '"$@"; echo "ended with $?"; exec tail -f /dev/null';

/** The command on a terminal of its own. */
async function onTerminal(folder: string, ...args: string[]) {
  const tmux = tmuxIn(folder, randomUUID().slice(0, 8));
  const { PATH = "/usr/bin:/bin" } = process.env;
  const env = ["env", "-i", `PATH=${PATH}`, `HOME=${folder}`, "TERM=xterm-256color", "LANG=C.UTF-8"];
  const command = ["sh", "-c", STAYS, "sh", process.execPath, BIN, ...args];
  await tmux("new-session", "-d", "-x", "100", "-y", "24", ...env, ...command);

  /** Waits until the screen shows it. */
  async function waitFor(wanted: string): Promise<string> {
    const deadline = Date.now() + patience;
    for (;;) {
      const screen = await tmux("capture-pane", "-p");
      if (screen.includes(wanted)) return screen;
      if (Date.now() > deadline) throw new Error(`${wanted} did not appear. The screen:\n${screen}`);
      await pause(100);
    }
  }
  return {
    waitFor,
    press: (...keys: string[]) => tmux("send-keys", ...keys),
    resize: (columns: number, rows: number) => tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`),
    close: () => tmux("kill-server"),
  };
}

test("the live table shows what others do, and a person answers a question in it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-live-"));
  const file = join(folder, "pools.sqlite");
  const store = sqliteStore(file);
  await fill(store);
  const terminal = await onTerminal(folder, "pools", "--store", file);
  try {
    await terminal.waitFor("$1.42/$5.00");
    await ask(store, "q1", "agent one");
    await ask(store, "q2", "agent two");
    await terminal.waitFor("agent two");
    await terminal.press("Down", "Down");
    await terminal.waitFor("❯ agent two");
    await terminal.press("y");
    await terminal.waitFor("agent two is told yes.");
    const questions = (await store.read("research"))?.state.questions;
    expect([questions?.q1?.reply, questions?.q2?.reply]).toEqual([undefined, true]);

    await terminal.resize(40, 12);
    await terminal.waitFor("…");
    await terminal.press("q");
    // The screen is as it was before.
    expect((await terminal.waitFor("ended with 0")).trim()).toBe("ended with 0");
  } finally {
    await terminal.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});
