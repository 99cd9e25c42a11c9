import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import type { ListedRun } from "../../packages/turn-limit/src/pools/ledger/listed-run.ts";
import type { Store } from "../../packages/turn-limit/src/pools/ledger/store.ts";
import { memoryStore } from "../../packages/turn-limit/src/pools/stores/memory.ts";
import { repository } from "../installed-pi.ts";

const CHROMIUM = "/usr/bin/chromium";
const MINUTE = 60_000;
const DOLLAR = 1e9;
const MINUTES = 45;
/** Longer than the dashboard takes to look again. */
const A_LOOK = 300;

const built = join(repository, "packages", "turn-limit", "dist", "command", "dashboard");
const { serveDashboard } = (await import(
  join(built, "server.js")
)) as typeof import("../../packages/turn-limit/src/command/dashboard/server.ts");
const { Devices } = (await import(
  join(built, "devices.js")
)) as typeof import("../../packages/turn-limit/src/command/dashboard/devices.ts");

/** The page of the dashboard as Chromium draws it, wide and on a phone, after an hour that takes seconds. */
export async function takeDashboard(): Promise<{ file: string; png: Buffer }[]> {
  const folder = await mkdtemp(join(tmpdir(), "picture-"));
  const realNow = Date.now;
  let early = MINUTES * MINUTE;
  Date.now = () => realNow() - early;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const store = memoryStore({ now: () => Date.now() });
  const devices = new Devices(folder);
  const dashboard = await serveDashboard(store, devices, { host: "127.0.0.1", port: 0 });
  try {
    const open = async (width: number, height: number, scale: number, colorScheme: "light" | "dark") => {
      const size = {
        viewport: { width, height },
        deviceScaleFactor: scale,
        colorScheme,
        isMobile: width < 500,
      };
      const page = await (await browser.newContext(size)).newPage();
      await page.goto(`${dashboard.address}/#${devices.newCode()}`);
      await page.getByRole("button", { name: "Pair" }).click();
      await page.getByText("live", { exact: true }).waitFor();
      return page;
    };
    const watching = await open(400, 400, 1, "light");
    await work(store, async (minutes) => {
      early -= minutes * MINUTE;
      await pause(A_LOOK);
    });
    await watching.close();
    await ask(store);
    const shot = async (page: Page) => {
      await page.getByRole("heading", { name: "Open questions" }).waitFor();
      await pause(A_LOOK);
      return page.screenshot({ animations: "disabled" });
    };
    return [
      { file: "dashboard.png", png: await shot(await open(1180, 900, 1, "light")) },
      { file: "dashboard-phone.png", png: await shot(await open(390, 844, 2, "dark")) },
    ];
  } finally {
    Date.now = realNow;
    await dashboard.close();
    await browser.close();
    await rm(folder, { recursive: true });
  }
}

interface Worker {
  id: string;
  name: string;
  agent: string;
  folder: string;
  model: string;
  max: { turns: number; cost: number };
  /** What a minute takes. */
  speed: { turns: number; cost: number };
  idleAfter: number;
}

const CLAUDE = "6d1f2a10-0000-4000-8000-000000000001";
const WORKERS: Worker[] = [
  {
    ...{ id: CLAUDE, name: "Claude Code in ~/site", agent: "Claude Code", folder: "/home/ada/site" },
    ...{
      model: "claude-opus",
      max: { turns: 25, cost: 5 },
      speed: { turns: 25 / MINUTES, cost: 0.07 },
      idleAfter: MINUTES,
    },
  },
  {
    ...{
      id: "6d1f2a10-0000-4000-8000-000000000002",
      name: "Pi in ~/parser",
      agent: "Pi",
      folder: "/home/ada/parser",
    },
    ...{
      model: "claude-sonnet",
      max: { turns: 60, cost: 2 },
      speed: { turns: 0.9, cost: 0.038 },
      idleAfter: MINUTES,
    },
  },
  {
    ...{
      id: "6d1f2a10-0000-4000-8000-000000000003",
      name: "Codex in ~/docs",
      agent: "Codex",
      folder: "/home/ada/docs",
    },
    ...{
      model: "gpt-5-codex",
      max: { turns: 40, cost: 3 },
      speed: { turns: 0.5, cost: 0.02 },
      idleAfter: 28,
    },
  },
];

/** Agents work for the better part of an hour, each in its own rhythm. */
async function work(store: Store, passes: (minutes: number) => Promise<void>): Promise<void> {
  const since = Date.now();
  await store.change("nightly", {
    key: "limits",
    kind: "limits",
    limits: { cost: 20 * DOLLAR, tokens: 4_000_000 },
  });
  const total = { turns: 0, cost: 0, tokens: 0 };
  const used = WORKERS.map(() => ({ turns: 0, cost: 0, tokens: 0 }));
  for (let minute = 1; minute <= MINUTES; minute++) {
    for (const [index, worker] of WORKERS.entries()) {
      const own = used[index] as (typeof used)[number];
      if (minute <= worker.idleAfter) {
        const share = 1 + 0.8 * Math.sin(minute / (3 + index)) + 0.3 * Math.sin(minute * (index + 2));
        own.turns = worker.speed.turns * minute;
        own.cost += worker.speed.cost * share;
        own.tokens += 9_000 * share;
        total.cost += worker.speed.cost * share;
        total.tokens += 9_000 * share;
      }
      const active = since + Math.min(minute, worker.idleAfter) * MINUTE;
      await list(store, worker, own, minute, { since, active });
    }
    await store.take({
      ...{
        pool: "nightly",
        member: { id: "m-1", name: "Pi in ~/parser" },
        incarnation: 1,
        turn: minute,
        answered: 0,
      },
      ...{ heard: 0, lease: 600 * MINUTE },
      used: { cost: Math.round(total.cost * DOLLAR), tokens: Math.round(total.tokens) },
    });
    await passes(1);
  }
  const person = { where: "on Ada's phone", to: "Pi in ~/parser" };
  await store.change("run@6d1f2a10-0000-4000-8000-000000000002", {
    ...{ kind: "extend", measure: "turns", by: 20, key: "more", person },
  });
}

async function list(
  store: Store,
  { id, name, agent, folder, model, max }: Worker,
  used: { turns: number; cost: number; tokens: number },
  turn: number,
  times: { since: number; active: number },
): Promise<void> {
  const turns = Math.round(used.turns);
  const run: ListedRun = {
    ...{ agent, folder, host: "laptop", model, state: "working", ...times },
    limits: [
      { limit: "turns", identity: { kind: "turns" }, used: turns, max: max.turns },
      { limit: "cost", identity: { kind: "cost" }, used: used.cost, max: max.cost },
    ],
    used: { turns, cost: used.cost, tokens: Math.round(used.tokens) },
  };
  await store.take({
    ...{
      pool: `run@${id}`,
      member: { id, name, run },
      incarnation: 1,
      turn,
      answered: 0,
      heard: 0,
      used: {},
    },
    ...{ lease: 600 * MINUTE, keepFor: 600 * MINUTE },
  });
}

async function ask(store: Store): Promise<void> {
  const question = { id: "q1", member: CLAUDE, name: "Claude Code in ~/site", used: 25, max: 25 };
  await store.change(`run@${CLAUDE}`, {
    ...{ kind: "ask", key: "ask", question: { ...question, limit: "turns", identity: { kind: "turns" } } },
  });
}
