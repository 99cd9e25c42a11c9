import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach } from "vitest";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");

/** The command as it is installed, beside an agent that is called `claude`, in a folder and with a provider for each test. */
export class InstalledClaude {
  folder = "";
  provider!: ScriptedProvider;
  readonly #started: ChildProcess[] = [];
  #answered = Infinity;
  #release: (() => void)[] = [];

  constructor() {
    beforeEach(async () => {
      this.folder = await mkdtemp(join(tmpdir(), "claude-runs-"));
      this.answerUpTo(Infinity);
      this.provider = await startEndlessModel((request) =>
        request <= this.#answered ? undefined : new Promise((resolve) => this.#release.push(resolve)),
      );
      const claude = join(this.folder, "bin", "claude");
      await mkdir(dirname(claude));
      // What stands in the place of the agent is called as it is.
      await writeFile(claude, `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n`);
      await chmod(claude, 0o755);
    });
    afterEach(async () => {
      for (const child of this.#started.splice(0)) child.kill("SIGKILL");
      this.answerUpTo(Infinity);
      await this.provider.close();
      await rm(this.folder, { recursive: true, force: true });
    });
  }

  /** The provider answers so many requests, and holds those that follow. */
  answerUpTo(requests: number): void {
    this.#answered = requests;
    for (const release of this.#release.splice(0)) release();
  }

  /** The command without a terminal, while it runs. */
  begun(...args: string[]) {
    const env = {
      PATH: [join(this.folder, "bin"), process.env.PATH].join(delimiter),
      TZ: process.env.TZ,
      HOME: this.folder,
      ANTHROPIC_BASE_URL: this.provider.address,
      TURN_LIMIT_STORE: join(this.folder, "runs.sqlite"),
    };
    const child = spawn(process.execPath, [BIN, ...args], {
      ...{ cwd: this.folder, env, detached: true },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#started.push(child);
    const seen = { out: "", err: "" };
    child.stdout.on("data", (more) => (seen.out += more));
    child.stderr.on("data", (more) => (seen.err += more));
    const ended = once(child, "close").then(([code]) => code as number);
    return { child, seen, ended };
  }

  /** The same, until it has ended. */
  async typed(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const { seen, ended } = this.begun(...args);
    return { code: await ended, ...seen };
  }

  /** The runs that are parked. */
  async parked() {
    return JSON.parse((await this.typed("parked", "--json")).out).parked;
  }
}
