import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { isInvalidLimit } from "../../src/core/errors/invalid-limit.ts";
import { isUnsupportedOption } from "../../src/core/errors/unsupported-option.ts";
import { createGovernor } from "../../src/core/governor/governor.ts";
import type { PastRun } from "../../src/core/history/past-run.ts";
import type { Totals } from "../../src/core/meter/meter.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { historyIn } from "../../src/pools/history/history-in.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { listIn } from "../../src/pools/listing/list-in.ts";
import { createPool } from "../../src/pools/pool.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { Run } from "../../src/run/run.ts";

const NOTHING: Totals = {
  ...{ turns: 0, requests: 1, steps: 0, time: 0, calls: {} },
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
};

let store: Store;
let told: string[];
const onWarning = (message: string) => void told.push(message);

beforeEach(() => {
  store = memoryStore();
  told = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** Keeps so many runs that took so much. */
async function keep(count: number, took: Partial<Totals>, end: PastRun["end"] = "finished"): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await store.remember({ id: crypto.randomUUID(), agent: "loop", end, took: { ...NOTHING, ...took } });
}

function options(more: Partial<AdapterOptions> = {}, seenAs: Store = store): AdapterOptions {
  return { turns: "p90", history: historyIn(seenAs, { agent: "loop" }), onWarning, ...more };
}

/** Takes as many turns as there are, and no more than `most`. */
async function turnsOf(limits: ReturnType<typeof limitLoop>, most = 100): Promise<number> {
  limits.begin();
  let turns = 0;
  for (; turns < most && (await limits.nextTurn()); turns += 1) limits.turnEnded();
  limits.end();
  await limits.poolsSettled();
  return turns;
}

test("each run chooses anew, and is told only where that is another number [ChosenForEachRun]", async () => {
  await keep(20, { turns: 3 });
  const limits = limitLoop(options());
  expect([await turnsOf(limits, 2), await turnsOf(limits, 2)]).toEqual([2, 2]);
  expect(told).toEqual(["Turn limit set to 3 (p90 of your last 20 runs of loop)."]);
  await keep(40, { turns: 5 });
  expect(await turnsOf(limits)).toBe(5);
  expect(told.slice(1)).toEqual(["Turn limit set to 5 (p90 of your last 62 runs of loop)."]);
});

test("runs of another agent are another history", async () => {
  await keep(20, { turns: 3 });
  expect(await turnsOf(limitLoop(options({ history: historyIn(store, { agent: "other" }) })))).toBe(25);
  expect(told).toEqual(["Turn limit set to 25 (p90 needs 20 finished runs of other, and there are 0)."]);
});

test("a run that begins while what another one took is being kept knows it", async () => {
  await keep(19, { turns: 4 });
  const keeping = gate();
  const remember: Store["remember"] = (run) => keeping.passed.then(() => store.remember(run));
  const limits = limitLoop(options({}, { ...store, remember }));
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded();
  limits.end();
  const next = turnsOf(limits);
  keeping.open();
  expect(await next).toBe(4);
});

test("what runs took is in the file of the store, for the next process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "history-"));
  try {
    const file = join(folder, "runs.sqlite");
    const inOneProcess = async (most?: number) => {
      const opened = sqliteStore(file);
      const turns = await turnsOf(limitLoop(options({}, opened)), most);
      await opened.close();
      return turns;
    };
    for (let n = 0; n < 20; n += 1) expect(await inOneProcess(2)).toBe(2);
    expect(await inOneProcess()).toBe(2);
    expect(told.at(-1)).toBe("Turn limit set to 2 (p90 of your last 20 runs of loop).");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a store that does not answer holds a run for two seconds, and others not at all until it is asked again [DefaultWithoutHistory]", async () => {
  vi.useFakeTimers();
  let asked = 0;
  const hangs = () => {
    asked += 1;
    return new Promise<never>(() => {});
  };
  const limits = limitLoop(options({ turns: "p90 up to 7" }, { ...store, pastRuns: hangs, remember: hangs }));
  limits.begin();
  let hasBegun = false;
  const first = limits.nextTurn().then((turn) => {
    hasBegun = turn !== undefined;
  });
  await vi.advanceTimersByTimeAsync(1_999);
  expect(hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await first;
  expect(hasBegun).toBe(true);
  expect(limits.view.settings.turns.max).toBe(7);
  limits.turnEnded();
  limits.end();
  expect(await turnsOf(limits)).toBe(7);
  expect(asked).toBe(1);
  expect(told).toEqual(["Turn limit set to 7 (p90 is not known: the store does not answer)."]);
  await vi.advanceTimersByTimeAsync(20_000);
  limits.begin();
  await limits.nextTurn(AbortSignal.abort());
  expect(asked).toBe(2);
});

test("what cannot be kept is told, and the run has ended all the same", async () => {
  const fails = () => Promise.reject(new Error("The disk is full."));
  const limits = limitLoop(options({ turns: 9 }, { ...store, remember: fails }));
  expect(await turnsOf(limits, 2)).toBe(2);
  expect(limits.outcome?.kind).toBe("completed");
  expect(told).toEqual(["What a run took is not kept in its history: The disk is full."]);
});

test("a store whose answer is no list is one that fails", async () => {
  const broken = { ...store, pastRuns: async () => "many" } as unknown as Store;
  expect(await turnsOf(limitLoop(options({ turns: "p90 up to 2" }, broken)))).toBe(2);
  expect(told[0]).toContain("p90 is not known: store.pastRuns() must be a list of runs");
});

test("a turn that is aborted while its limit is chosen does not begin", async () => {
  const reading = gate();
  const pastRuns: Store["pastRuns"] = (agent) => reading.passed.then(() => store.pastRuns(agent));
  const limits = limitLoop(options({}, { ...store, pastRuns }));
  limits.begin();
  const controller = new AbortController();
  const turn = limits.nextTurn(controller.signal);
  controller.abort();
  expect(await turn).toBeUndefined();
  expect(limits.end("aborted")).toMatchObject({ kind: "aborted", turns: 0 });
  reading.open();
});

test("turns that are wanted at once wait for one choice, and get no more than it admits", async () => {
  await keep(20, { turns: 3 });
  const limits = limitLoop(options());
  limits.begin();
  const turns = await Promise.all(Array.from({ length: 8 }, () => limits.nextTurn()));
  expect(turns.filter((turn) => turn !== undefined)).toHaveLength(3);
});

test("a run that goes on from its saved state goes on under the number that was chosen [StaysChosen]", async () => {
  await keep(20, { turns: 3 });
  const run = new Run(options());
  run.begin();
  const turn = await run.nextTurn();
  if (turn.kind === "turn") turn.answered({});
  await keep(40, { turns: 9 });
  const resumed = new Run(options(), { state: JSON.parse(JSON.stringify(run.state)) });
  resumed.resume();
  expect(resumed.view.settings.turns.max).toBe(3);
  for (let turns = 1; turns < 3; turns += 1) {
    const next = await resumed.nextTurn();
    expect(next.kind).toBe("turn");
    if (next.kind === "turn") next.answered({});
  }
  expect((await resumed.nextTurn()).kind).toBe("stop");
  resumed.begin();
  await resumed.nextTurn();
  expect(resumed.view.settings.turns.max).toBe(9);
});

test.each([
  [2, 2],
  [30, 30],
])(
  "a percentile that is set while a person is asked decides about the turn that is held: %i [ChosenAgainWhenSet]",
  async (took, turns) => {
    await keep(20, { turns: took });
    const reading = gate();
    let asked = 0;
    const limits = limitLoop(
      options(
        {
          turns: 2,
          ask: (_question, signal) => {
            asked += 1;
            if (asked > 1) return false;
            limits.configure({ ...limits.view.settings, turns: "p90" });
            setImmediate(reading.open);
            return new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve(undefined));
            });
          },
        },
        { ...store, pastRuns: (agent) => reading.passed.then(() => store.pastRuns(agent)) },
      ),
    );
    expect(await turnsOf(limits)).toBe(turns);
    expect(asked).toBe(2);
  },
);

test("a number that is set while a percentile is chosen takes its place [ChosenAgainWhenSet]", async () => {
  await keep(20, { turns: 3 });
  const reading = gate();
  const seen = { ...store, pastRuns: (agent: string) => reading.passed.then(() => store.pastRuns(agent)) };
  const limits = limitLoop(options({}, seen));
  limits.begin();
  limits.configure({ turns: 4 });
  expect(await limits.nextTurn()).toBeDefined();
  reading.open();
  await seen.pastRuns("loop");
  await new Promise(setImmediate);
  expect(limits.view.settings.turns.max).toBe(4);
  expect(await turnsOf(limits)).toBe(4);
});

test("the same percentile, set again, is chosen once; another one is chosen anew [ChosenAgainWhenSet]", async () => {
  await keep(10, { turns: 2 });
  await keep(10, { turns: 6 });
  const limits = limitLoop(options({ turns: "p50" }));
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded();
  expect(limits.view.settings.turns.max).toBe(2);
  limits.configure({ turns: "p50" });
  expect(limits.view.settings.turns.max).toBe(2);
  limits.configure({ turns: "p90", steps: "p90 up to 4" });
  await limits.nextTurn();
  expect(limits.view.settings.turns.max).toBe(6);
  expect(told.filter((message) => message.startsWith("Turn"))).toEqual([
    "Turn limit set to 2 (p50 of your last 20 runs of loop).",
    "Turn limit set to 6 (p90 of your last 20 runs of loop).",
  ]);
});

test("whatever else is set of the limits stays as it is", async () => {
  await keep(20, { turns: 6, steps: 2 });
  const pool = createPool({ id: "shared", turns: 9, store: memoryStore() });
  const message = () => "wrap up, please";
  const limits = limitLoop(
    options({
      turns: { max: "p90", grace: 2, wrapUp: { message }, onExhausted: "synthesize", extend: 1, extendBy: 1 },
      steps: { max: "p90 up to 9", onExhausted: "synthesize" },
      limits: [{ name: "evenings", max: 50, used: ({ turns }) => turns }],
      progress: () => true,
      finalTool: "submit",
      tell: true,
      pool,
      listed: listIn(store),
    }),
  );
  const before = limits.view.settings;
  const texts: string[] = [];
  limits.begin();
  for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
    texts.push(...turn.messages);
    limits.turnEnded();
    if (!turn.tools) break;
  }
  const { turns, steps, ...others } = limits.view.settings;
  expect([turns, steps]).toEqual([
    { ...before.turns, max: 6 },
    { ...before.steps, max: 2 },
  ]);
  expect(others).toEqual({ ...others, limits: before.limits, finalTool: "submit", tell: before.tell });
  expect(texts[0]).toContain("wrap up, please");
  expect(limits.end()).toMatchObject({
    kind: "salvaged",
    turns: 8,
    extensions: [{ limit: "turns", times: 1 }],
  });
  await limits.poolsSettled();
  expect((await pool.read()).members.map(({ used }) => used.turns)).toEqual([8]);
});

test("each kind of limit is chosen by its own amount, and told with its unit", async () => {
  await keep(20, { steps: 4, input: 1_900, time: 61_000, cost: 0.251, requests: 3, calls: { bash: 2 } });
  const limits = limitLoop(
    options({
      turns: "unlimited",
      requests: "p90 up to 50",
      steps: "p90 up to 50",
      tokens: "p90 up to 1m",
      cost: { max: "p90 up to $5", onExhausted: "stop" },
      time: "p90 up to 1h",
      tools: { bash: "p90 up to 50" },
    }),
  );
  limits.begin();
  await limits.nextTurn();
  expect(told).toEqual([
    "Step limit set to 4 (p90 of your last 20 runs of loop).",
    "Request limit set to 3 (p90 of your last 20 runs of loop).",
    "Token limit set to 2k (p90 of your last 20 runs of loop).",
    "Cost limit set to $0.26 (p90 of your last 20 runs of loop).",
    "Time limit set to 1m1s (p90 of your last 20 runs of loop).",
    "Limit for bash set to 2 (p90 of your last 20 runs of loop).",
  ]);
  limits.end();
});

test("a run of whose cost a part is not known says nothing of cost [RunsAreRemembered]", async () => {
  const limits = limitLoop(options({ turns: 9, price: ({ output }) => (output > 1 ? undefined : 0.5) }));
  for (const output of [1, 2]) {
    limits.begin();
    await limits.nextTurn();
    limits.turnEnded({ usage: { input: 1, output: 1 } });
    await limits.nextTurn();
    limits.turnEnded({ usage: { input: 1, output } });
    limits.end();
    await limits.poolsSettled();
  }
  expect((await store.pastRuns("loop")).map(({ took: { cost, output } }) => [cost, output])).toEqual([
    [1, 2],
    [0, 3],
  ]);
});

test("of a run that asked for nothing, nothing is kept [RunsAreRemembered]", async () => {
  const limits = limitLoop(options({ turns: 3 }));
  expect(await turnsOf(limits, 0)).toBe(0);
  expect(await store.pastRuns("loop")).toEqual([]);
});

test.each([
  [{ cost: "p90" }, "cost.max", 'has no amount that holds until there are enough runs. Write "p90 up to $2"'],
  [{ steps: { max: "p90" } }, "steps.max", 'Write "p90 up to 10"'],
  [{ turns: "p100" }, "turns.max", '"p100" is not a percentile. Use p1 to p99, such as p90'],
  [{ turns: "p90 up to soon" }, "turns.max", 'After p90 up to, use a whole number, not "soon"'],
  [{ time: "p90 up to 600" }, "time.max", "use a time such as 10m"],
  [{ tools: { bash: "p90" } }, "tools.bash.max", 'Write "p90 up to 10"'],
  [{ repeats: "p90" }, "repeats.max", 'repeats.max must be a whole number of 1 or more, or "unlimited"'],
  [{ turns: "fifty" }, "turns.max", 'turns.max must be a whole number of 0 or more, or "unlimited"'],
])("%j is refused with what to write", (given, setting, words) => {
  const limits = options(given as AdapterOptions);
  for (const refused of [
    refusalOf(() => limitLoop(limits)),
    refusalOf(() => limitLoop(options()).configure(given as object)),
  ]) {
    expect(isInvalidLimit(refused) && refused.setting).toBe(setting);
    expect(String(refused)).toContain(words);
  }
});

test("a limit that was refused later changed nothing", async () => {
  await keep(20, { turns: 3 });
  const limits = limitLoop(options());
  expect(() => limits.configure({ turns: "p90", cost: "p90" })).toThrow("cost.max");
  expect(await turnsOf(limits)).toBe(3);
});

test("where nothing is chosen from history, a percentile is refused: in a governor, a pool and the gateway", async () => {
  const turns = "p90" as never;
  for (const make of [() => createGovernor({ turns }), () => createPool({ id: "p", turns, store })])
    expect(String(refusalOf(make))).toContain(
      'turns.max must be a whole number of 0 or more, or "unlimited"',
    );
  const { history } = options();
  const refused = await createGateway({ requests: 5, history } as object).catch((error: unknown) => error);
  expect(isUnsupportedOption(refused) && refused.message).toContain("turn-limit run --max-turns p90");
});

test("what is no history, no store and no agent is refused", () => {
  expect(() => limitLoop({ history: store as never })).toThrow("a history, made by historyIn");
  expect(() => historyIn({} as Store, { agent: "loop" })).toThrow("a store, such as sqliteStore(file)");
  expect(() => historyIn(store, {} as never)).toThrow("agent must be the name of an agent");
  expect(() => historyIn(store, { agent: "" })).toThrow("agent must be the name of an agent");
  expect(() => historyIn(store, { agent: "a", agnet: "b" } as never)).toThrow("agnet");
});

/** What passes it waits until it is opened. */
function gate(): { open: () => void; passed: Promise<void> } {
  const { promise, resolve } = deferred();
  return { open: resolve, passed: promise };
}

function refusalOf(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}
