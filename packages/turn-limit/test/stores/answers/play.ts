import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Grant } from "../../../src/pools/ledger/grants.ts";
import { pause } from "../../../src/run/pause.ts";
import { bundled } from "../helpers/bundled.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Entry } from "./log.ts";
import { openStore } from "./open-store.ts";

const ASKERS = 3;
const ANSWERERS = 3;

/** What is done to whom, besides to the processes. */
export type Disturbance = () => Promise<void>;

/** What came of it, and how often processes were killed and stopped for a while, and others disturbed. */
export interface Played extends Verdict {
  kills: number;
  stops: number;
  disturbances: number;
}

/**
 * Has so many questions asked by several processes, answered by several others at once, which are killed and stopped at random,
 * and judges what came of them. `disturbances`: what else is done meanwhile, each as often as a process is killed.
 */
export async function playAnswers(
  place: string,
  questions: number,
  disturbances: readonly Disturbance[] = [],
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-answers-"));
  const scripts = await Promise.all(
    ["asker", "answerer"].map((name) => bundled(join(import.meta.dirname, `${name}.ts`), folder)),
  );
  const [asker = "", answerer = ""] = scripts;
  const entries: Entry[] = [];
  const processes = new Set<Player>();
  const counts = { kills: 0, stops: 0, disturbances: 0 };
  const grants = new Map<string, Grant>();
  let started = 0;
  let asked = 0;
  let isOver = false;

  const start = (script: string) => {
    started += 1;
    const player = new Player(script, place, started, (entry) => {
      entries.push(entry);
      if (entry.said === "asked") asked += 1;
    });
    processes.add(player);
    return player;
  };
  const end = async (player: Player, signal: NodeJS.Signals) => {
    processes.delete(player);
    await player.end(signal);
  };

  const store = openStore(place);
  const keep = async () => {
    for (const grant of await store.grants().catch(() => [])) grants.set(grant.key, grant);
  };
  const keeping = (async () => {
    while (!isOver) {
      await keep();
      await pause(200);
    }
  })();

  try {
    for (let n = 0; n < ASKERS; n += 1) start(asker);
    for (let n = 0; n < ANSWERERS; n += 1) start(answerer);
    while (asked < questions || counts.kills === 0) {
      await pause(100 + Math.random() * 300);
      if ([...processes].some(({ failed }) => failed)) throw new Error("A process failed.");
      const player = [...processes][Math.floor(Math.random() * processes.size)] as Player;
      if (Math.random() < 0.4) {
        counts.stops += 1;
        player.stopFor(200 + Math.random() * 1_500);
      } else {
        counts.kills += 1;
        await end(player, "SIGKILL");
        start(player.script);
      }
      const disturb = disturbances[Math.floor(Math.random() * disturbances.length)];
      if (disturb && Math.random() < 0.5) {
        counts.disturbances += 1;
        await disturb();
      }
    }
    const askers = [...processes].filter(({ script }) => script === asker);
    await Promise.all(askers.map((player) => player.finish()));
    for (const player of processes) await end(player, "SIGKILL");
    isOver = true;
    await keeping;
    await keep();
    return { ...judge(entries, [...grants.values()]), ...counts };
  } finally {
    isOver = true;
    for (const player of processes) await end(player, "SIGKILL");
    await keeping;
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** One process, and what it says. */
class Player {
  readonly script: string;
  readonly #child: ChildProcess;
  readonly #heardAll: Promise<unknown>;
  #goesOn: NodeJS.Timeout | undefined;
  /** Did it end by itself, with an error? */
  failed = false;

  constructor(script: string, place: string, number: number, heard: (entry: Entry) => void) {
    this.script = script;
    const child = spawn(process.execPath, [script, place, `${number}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child = child;
    const lines = createInterface(child.stdout);
    // A process that is killed may have said half a line.
    lines.on("line", (line) => line.endsWith("}") && heard({ ...JSON.parse(line), by: number }));
    this.#heardAll = once(lines, "close");
    child.once("exit", (code) => {
      this.failed = code !== null && code !== 0;
    });
  }

  stopFor(ms: number): void {
    this.#child.kill("SIGSTOP");
    clearTimeout(this.#goesOn);
    this.#goesOn = setTimeout(() => this.#child.kill("SIGCONT"), ms);
  }

  /** Lets it end what it has begun. */
  async finish(): Promise<void> {
    this.#child.stdin?.end("\n");
    await this.#heardAll;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    clearTimeout(this.#goesOn);
    this.#child.kill(signal);
    await this.#heardAll;
  }
}
