import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import type * as Core from "turn-limit";
import type { Store } from "turn-limit";
import type * as Loop from "turn-limit/loop";
import { isRedisInstalled, RedisServer } from "../packages/turn-limit/test/stores/helpers/redis-server.ts";
import { type Build, type Builds, entryOf } from "./builds.ts";
import type { DashboardOrder, DashboardReply } from "./dashboard-process.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CHROMIUM = "/usr/bin/chromium";
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const rounds = { warmUp: 1, measured: 6 };
const QUESTIONS = 5;
const goalOfPage = { atMost: 40_000 } as const;
const goalOfAnswer = { atMost: 200 } as const;
const goalOfProcessor = { atMost: 0.2 } as const;
/** Each run makes a turn in so many milliseconds. */
const A_TURN = 10_000;
const crowd = { runs: 1_000, viewers: 100, warmUp: 3_000, sample: 2_000, samples: 6 };

/** What a person waits for who answers on a phone, and what it costs to show a thousand runs to a hundred. */
export async function dashboard({ now }: Builds): Promise<Measurement[]> {
  await using folder = await temporaryFolder();
  const measurements = [pageSize(now)];
  const file = (name: string) => join(folder.path, `${name}.sqlite`);
  measurements.push(...(await answered("SQLite", now, file("answered"), folder.path)));
  measurements.push(await crowded("SQLite", now, file("crowded"), folder.path));
  if (!isRedisInstalled) return measurements;
  await using server = await RedisServer.start();
  measurements.push(...(await answered("Redis", now, server.address, folder.path)));
  measurements.push(await crowded("Redis", now, server.address, folder.path));
  return measurements;
}

function pageSize({ core }: Build): Measurement {
  const folder = join(core, "dist", "command", "dashboard", "page");
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  return {
    figure: "The whole page, each file gzipped",
    unit: "bytes",
    now: [sizes.reduce((all, size) => all + size, 0)],
    goal: goalOfPage,
  };
}

/** A dashboard in a process of its own. */
class Served implements AsyncDisposable {
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  static async start({ core }: Build, store: string, folder: string): Promise<Served> {
    const child = fork(join(import.meta.dirname, "dashboard-process.ts"), [core, store, folder], {
      execArgv: [],
    });
    const [address] = await once(child, "message");
    return new Served(child, address as string);
  }

  async code(): Promise<string> {
    return ((await this.#ask("code")) as { code: string }).code;
  }

  /** Milliseconds of processor time since it was started. */
  async cpu(): Promise<number> {
    return ((await this.#ask("cpu")) as { cpu: number }).cpu;
  }

  async #ask(order: DashboardOrder): Promise<DashboardReply> {
    const reply = once(this.#child, "message");
    this.#child.send(order);
    return (await reply)[0] as DashboardReply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const over = once(this.#child, "exit");
    this.#child.kill();
    await over;
  }
}

async function storeOf(build: Build, address: string): Promise<Store> {
  const file = join(build.core, "dist", "command", "stores.js");
  return (await import(file)).openStore(address, true);
}

/** A run of a loop asks at its limit; a person taps on a phone; the run goes on. The slowest of some, in each round. */
async function answered(name: string, build: Build, address: string, folder: string): Promise<Measurement[]> {
  if (!existsSync(CHROMIUM)) {
    console.log("Left out: a question on a phone. There is no chromium.");
    return [];
  }
  await using served = await Served.start(build, address, join(folder, `devices ${name}`));
  const store = await storeOf(build, address);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const page = await phone(browser, served);
    const agent = await askingLoop(build, store);
    const shown: number[] = [];
    const goesOn: number[] = [];
    for (let round = -rounds.warmUp; round < rounds.measured; round++) {
      const times: { shown: number; goesOn: number }[] = [];
      for (let n = 0; n < QUESTIONS; n++) {
        // At any moment between two looks of the dashboard.
        await pause(300 + Math.random() * 200);
        times.push(await oneQuestion(page, agent));
      }
      if (round < 0) continue;
      shown.push(Math.max(...times.map((each) => each.shown)));
      goesOn.push(Math.max(...times.map((each) => each.goesOn)));
    }
    await agent.end();
    const slowest = `${name}, the slowest of ${QUESTIONS}`;
    return [
      { figure: `From the question to the phone's screen, ${slowest}`, now: shown },
      { figure: `From the tap to the agent going on, ${slowest}`, now: goesOn },
    ].map((each) => ({ ...each, unit: "ms", goal: goalOfAnswer }));
  } finally {
    await browser.close();
    await store.close();
  }
}

async function phone(browser: Browser, served: Served): Promise<Page> {
  const page = await (await browser.newContext(PHONE)).newPage();
  await page.goto(`${served.address}/#${await served.code()}`);
  await page.getByRole("button", { name: "Pair" }).click();
  await page.getByText("live", { exact: true }).waitFor();
  // When a question is drawn, and when it is tapped, by the clock of this machine.
  await page.evaluate(`
    globalThis.drawn = () => new Promise((resolve) => {
      const look = () => document.querySelector(".question .first")
        ? requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
        : requestAnimationFrame(look);
      look();
    });
    addEventListener("click", () => { globalThis.tapped = performance.timeOrigin + performance.now(); }, true);
  `);
  return page;
}

type AskingLoop = Awaited<ReturnType<typeof askingLoop>>;

/** A run that asks before each turn. */
async function askingLoop(build: Build, store: Store) {
  const { listIn }: typeof Core = await import(entryOf(build, "."));
  const { limitLoop }: typeof Loop = await import(entryOf(build, "./loop"));
  const loop = limitLoop({
    turns: 1,
    listed: listIn(store, { agent: "Loop", name: "bench" }),
    ask: (_question, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
  });
  loop.begin();
  await loop.nextTurn();
  loop.turnEnded({});
  return {
    next: async () => {
      const turn = await loop.nextTurn();
      const at = performance.timeOrigin + performance.now();
      if (!turn) throw new Error("The run was ended instead of allowed");
      loop.turnEnded({});
      return at;
    },
    end: async () => loop.end(),
  };
}

async function oneQuestion(page: Page, agent: AskingLoop): Promise<{ shown: number; goesOn: number }> {
  const drawn = page.evaluate("drawn()");
  const asked = performance.timeOrigin + performance.now();
  const went = agent.next();
  // Awaited below; until then nobody listens.
  went.catch(() => undefined);
  const shown = (await drawn) as number;
  await page.locator(".question .first").tap();
  const goesOn = await went;
  const tapped = (await page.evaluate("tapped")) as number;
  await page.locator(".question").waitFor({ state: "detached" });
  return { shown: shown - asked, goesOn: goesOn - tapped };
}

/** How much of a core it takes while a thousand runs work and a hundred look at them. */
async function crowded(name: string, build: Build, address: string, folder: string): Promise<Measurement> {
  await using served = await Served.start(build, address, join(folder, `viewers of ${name}`));
  const store = await storeOf(build, address);
  const over = new AbortController();
  try {
    const working = work(store, over.signal);
    const secret = await secretOf(served);
    const watching = Array.from({ length: crowd.viewers }, () => watch(served.address, secret, over.signal));
    await pause(crowd.warmUp);
    const shares: number[] = [];
    for (let sample = 0; sample < crowd.samples; sample++) {
      const [cpu, began] = [await served.cpu(), performance.now()];
      await pause(crowd.sample);
      shares.push(((await served.cpu()) - cpu) / (performance.now() - began));
    }
    over.abort();
    await working;
    const events = await Promise.all(watching);
    if (events.some((bytes) => bytes < crowd.runs * 100))
      throw new Error(`A viewer was shown only ${Math.min(...events)} bytes`);
    return {
      figure: `Processor time, ${name}, ${count(crowd.runs)} runs that make a turn every ${A_TURN / 1000} s, ${crowd.viewers} viewers`,
      unit: "of a core",
      now: shares,
      goal: goalOfProcessor,
    };
  } finally {
    over.abort();
    await store.close();
  }
}

async function secretOf(served: Served): Promise<string> {
  const response = await fetch(`${served.address}/api/pair`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: await served.code(), name: "bench" }),
  });
  return ((await response.json()) as { secret: string }).secret;
}

/** How many bytes a viewer was sent. */
async function watch(address: string, secret: string, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  try {
    const headers = { authorization: `Bearer ${secret}` };
    const { body } = await fetch(`${address}/api/events`, { headers, signal });
    for await (const chunk of body ?? []) bytes += chunk.length;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return bytes;
}

/** The runs make their turns one after the other, evenly over the time. */
async function work(store: Store, signal: AbortSignal): Promise<void> {
  const began = await store.now();
  const start = performance.now();
  for (let made = 0; !signal.aborted; made++) {
    const due =
      made < crowd.runs ? 0 : start + (made - crowd.runs) * (A_TURN / crowd.runs) - performance.now();
    // At least once, so that the viewers of this process read.
    await pause(Math.max(0, due));
    await turn(store, made % crowd.runs, 1 + Math.floor(made / crowd.runs), began);
  }
}

async function turn(store: Store, run: number, turns: number, since: number): Promise<void> {
  const id = `6d1f2a10-0000-4000-8000-${String(run).padStart(12, "0")}`;
  const used = { turns, cost: turns * 0.02, tokens: turns * 2_500 };
  const listed = {
    ...{
      agent: "Claude Code",
      folder: "/home/ada/site",
      host: "laptop",
      model: "claude-opus",
      state: "working" as const,
    },
    ...{ since, active: await store.now() },
    limits: [
      { limit: "turns", identity: { kind: "turns" as const }, used: turns, max: 500 },
      { limit: "cost", identity: { kind: "cost" as const }, used: used.cost, max: 50 },
    ],
    used,
  };
  await store.take({
    pool: `run@${id}`,
    member: { id, name: `Claude Code in ~/site ${run}`, run: listed },
    ...{ incarnation: 1, turn: turns, answered: 0, heard: 0, used: {}, lease: 600_000, keepFor: 600_000 },
  });
}
