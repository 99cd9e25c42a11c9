import { afterEach, expect, test, vi } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { Runs } from "../../src/adapters/shared/runs.ts";
import type { Reply } from "../../src/core/governor/decision.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import type { GovernorState } from "../../src/core/governor/state.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { Run } from "../../src/run/run.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { alone, driven } from "../helpers/driven.ts";
import { Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";
import { used, whyRefused } from "../helpers/runs.ts";

afterEach(() => vi.restoreAllMocks());

test("a request that was not admitted ends the run at once", async () => {
  const { driver } = alone({ turns: 1 });
  await driver.admitTurn();
  driver.requestSent();
  expect(driver.signal.aborted).toBe(false);
  driver.requestSent();
  expect(driver.signal.aborted).toBe(true);
  expect(driver.end()).toMatchObject({ kind: "limit-overrun", limit: "turns" });
});

test("what an answer costs is what the host says, else what the price says", async () => {
  const price = vi.fn(() => 0.25);
  const { driver } = alone({ cost: 5, price });
  await driver.admitTurn();
  driver.turnEnded({ usage: { input: 1, output: 1, cost: 0.5 } });
  driver.spend("nested", { input: 2, output: 2 }, { model: { id: "small" } });
  expect(price.mock.calls).toEqual([[{ input: 2, output: 2 }, { id: "small" }]]);
  expect(used(driver, "cost")).toBe(0.75);
});

test.each([Number.NaN, -1, null, "0.25", Number.POSITIVE_INFINITY, 1e300])(
  "a price of %s is refused by name, and changes nothing",
  async (price) => {
    const { driver } = alone({ cost: 5, price: () => price as number });
    await driver.admitTurn();
    const before = driver.state;
    const usage = { input: 1, output: 1 };
    for (const act of [() => driver.turnEnded({ usage }), () => driver.spend("nested", usage)])
      expect(whyRefused(act)).toMatchObject({ setting: "price", value: price });
    expect(driver.state).toEqual(before);
  },
);

test.each([null, { input: Number.NaN, output: 1 }, { input: 1 }, { input: 1, output: 1, cost: null }, "5"])(
  "usage of %j is refused, and changes nothing",
  async (usage) => {
    const { driver } = alone({ cost: 5, price: () => 1 });
    await driver.admitTurn();
    const before = driver.state;
    for (const act of [
      () => driver.turnEnded({ usage: usage as never }),
      () => driver.spend("compaction", usage as never),
    ])
      expect(whyRefused(act)).toMatchObject({ setting: expect.stringMatching(/usage/) });
    const turn = driver.turn;
    expect(whyRefused(() => turn.answered(null as never))).toMatchObject({ setting: "answer" });
    expect(driver.state).toEqual(before);
  },
);

test("each thing that a person should know is told once a run", async () => {
  const { driver, warnings, person } = driven({ turns: 1, cost: 5 });
  const usage = { input: 1, output: 1 };
  for (let run = 1; run <= 2; run += 1) {
    await driver.admitTurn();
    driver.turnEnded({ usage });
    driver.spend("nested", usage);
    const next = driver.admitTurn();
    await rest();
    await person.replies("perhaps" as Reply);
    expect((await next).kind).toBe("stop");
    expect(warnings).toHaveLength(2 * run);
    driver.begin();
  }
  expect(warnings[0]).toMatch(/^The model has no price/);
  expect(warnings[1]).toMatch(/^reply must be/);
});

test("a provider that does not say what its answers take is told of, and stops the run if that is wanted", async () => {
  const { driver, warnings } = alone({ cost: { max: 5, unpriced: "stop" } });
  await driver.admitTurn();
  driver.turnEnded();
  expect(await driver.admitTurn()).toMatchObject({ kind: "stop", limit: "cost", unpriced: true });
  expect(warnings).toEqual([expect.stringMatching(/^Nothing was reported of what the answers take/)]);
});

test("without anybody to tell, warnings go to the console, each once", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  for (let run = 0; run < 2; run += 1) {
    const driver = new Driver({ turns: 0, ask: () => "certainly" as Reply });
    await driver.admitTurn();
  }
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^turn-limit: reply must be/)]]);
});

test("how the last run ended is known until the next one begins, with a prompt or without", async () => {
  const outcomes: Outcome[] = [];
  const { driver } = alone({ turns: 2, onOutcome: (outcome) => void outcomes.push(outcome) });
  expect(driver.outcome).toBeUndefined();
  await driver.admitTurn();
  driver.turnEnded();
  const outcome = driver.end();
  expect([outcome?.kind, driver.outcome, driver.end()]).toEqual(["completed", outcome, outcome]);
  await driver.admitTurn();
  expect(driver.outcome).toBeUndefined();
  driver.begin();
  expect(outcomes.map(({ kind, turns }) => [kind, turns])).toEqual([
    ["completed", 1],
    ["failed", 1],
  ]);
});

test("a loop of one's own rejects where a limit raises", async () => {
  const limits = limitLoop({ turns: { max: 0, onExhausted: "raise" } });
  limits.begin();
  await expect(limits.nextTurn()).rejects.toMatchObject({ name: "LimitExceeded", limit: "turns", max: 0 });
});

test("a driver goes on from a saved state", async () => {
  const { driver } = alone({ turns: 2 });
  await driver.admitTurn();
  driver.turnEnded();
  const { state } = driver;
  const again = new Driver({}, { state });
  expect((await again.admitTurn()).kind).toBe("proceed");
  expect((await again.admitTurn()).kind).toBe("stop");
});

test.each<[string, (state: GovernorState) => unknown]>([
  ["state", () => null],
  ["state", () => "state"],
  ["state", () => []],
  ["state", () => new Map()],
  ["state.version", () => ({})],
  ["state.version", (state) => ({ ...state, version: 1 })],
  ["state.checksum", ({ declined: _, ...state }) => state],
  ["state.checksum", (state) => ({ ...state, settings: { turns: "unlimited" } })],
])("a state that is none, or was changed, is refused as %s", async (setting, changed) => {
  const { driver } = alone({ turns: 2 });
  const state = changed(driver.state) as GovernorState;
  expect(whyRefused(() => new Driver({}, { state }))).toMatchObject({ setting });
});

test.each<[unknown, string]>([
  [{ ask: true }, "ask"],
  [{ ask: null }, "ask"],
  [{ onOutcome: "log" }, "onOutcome"],
  [{ price: 0.01 }, "price"],
  [{ onWarning: {} }, "onWarning"],
  [{ clock: {} }, "clock"],
  [{ clock: Date }, "clock"],
  [{ clock: null }, "clock"],
  [{ turn: 5 }, "turn"],
  [{ turns: { maximum: 5 } }, "turns.maximum"],
  [{ limits: {} }, "limits"],
  [{ limits: 3 }, "limits"],
  [{ limits: null }, "limits"],
  [{ limits: new Map() }, "limits"],
  [{ limits: "ab" }, "limits"],
  [null, "options"],
  [[], "options"],
  [new Map([["turns", 5]]), "options"],
])("options of %j are refused by the name of what is wrong", (options, setting) => {
  expect(whyRefused(() => new Driver(options as AdapterOptions))).toMatchObject({ setting });
});

test.each<[unknown, string]>([
  [null, "options must be an object with limits, not null"],
  [{ ask: "yes" }, 'ask must be a function, not "yes"'],
  [{ clock: {} }, "clock must be an object with now() and after(), not an object with nothing in it"],
  [{ turns: -1 }, 'turns.max must be a whole number of 0 or more, or "unlimited", not -1'],
])("what is wrong with options of %j is said in a sentence", (options, message) => {
  expect(whyRefused(() => new Driver(options as AdapterOptions)).message).toBe(message);
});

test("what was given as options cannot be changed afterwards", async () => {
  const options: AdapterOptions = { turns: { max: 1 }, price: () => 1, cost: 5, ask: () => true };
  const driver = new Driver(options);
  driver.begin();
  Object.assign(options.turns as object, { max: 99 });
  Object.assign(options, { price: () => 0, ask: () => false, turns: 99 });
  await driver.admitTurn();
  driver.turnEnded({ usage: { input: 1, output: 1 } });
  expect(used(driver, "cost")).toBe(1);
  expect(driver.view.standings[0]).toMatchObject({ used: 1, max: 1 });
  expect((await driver.admitTurn()).kind).toBe("proceed");
});

test("what onOutcome throws is told, and the run has ended all the same", () => {
  const warnings: string[] = [];
  const driver = new Driver({
    onOutcome: () => {
      throw new Error("no disk");
    },
    onWarning: (message) => void warnings.push(message),
  });
  driver.begin();
  expect(driver.end()).toMatchObject({ kind: "completed" });
  expect(driver.outcome).toMatchObject({ kind: "completed" });
  expect(warnings).toEqual(["onOutcome threw: Error: no disk"]);
});

test("what a promise of onOutcome rejects with is told, too, also where an adapter calls it", async () => {
  const warnings: string[] = [];
  const options: AdapterOptions = {
    onOutcome: async () => {
      throw new Error("no disk");
    },
    onWarning: (message) => void warnings.push(message),
  };
  for (const run of [new Driver(options), new Runs(options).newRun()]) {
    run.begin();
    expect(run.end()).toMatchObject({ kind: "completed" });
    await rest();
  }
  expect(warnings).toEqual(new Array(2).fill("onOutcome threw: Error: no disk"));
});

test.each<[string, () => void]>([
  [
    "throws",
    () => {
      throw new Error("no log");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("no log"))],
])(
  "a warning that onWarning %s for goes to the console, and the run ends all the same",
  async (how, onWarning) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const failing = () => {
      throw new Error(`no disk (${how})`);
    };
    const driver = new Driver({ onOutcome: failing, onWarning });
    driver.begin();
    expect(driver.end()).toMatchObject({ kind: "completed" });
    expect(driver.outcome).toMatchObject({ kind: "completed" });
    await rest();
    expect(warn.mock.calls).toEqual([[`turn-limit: onOutcome threw: Error: no disk (${how})`]]);
  },
);

test("what else is spent is for an activity that there is, or is refused and changes nothing", () => {
  const run = new Run({ tokens: 100, clock: new ManualClock() });
  run.begin();
  const { state } = run;
  const spend = () => run.spend("x" as "nested", { input: 1, output: 1 });
  expect(whyRefused(spend)).toMatchObject({ setting: "activity", value: "x" });
  expect(run.state).toEqual(state);
});

test.each([null, 3, {}, new Map(), [3], [null]])(
  "changed limits of %j are refused, and change nothing",
  (limits) => {
    const run = new Run({ turns: 3 });
    const { settings } = run.view;
    expect(whyRefused(() => run.configure({ limits } as object)).setting).toMatch(/^limits/);
    expect(run.view.settings).toEqual(settings);
  },
);

test("a run that goes on from a saved state has what it had left, and the time in between does not count", async () => {
  const clock = new ManualClock();
  const before = new Driver({ turns: 2, time: 5_000, clock });
  before.begin();
  await before.admitTurn();
  clock.pass(1_000);
  before.turnEnded();
  const { state } = before;
  before.close();

  clock.pass(3_600_000);
  const contexts: unknown[] = [];
  const after = new Driver({ clock, onOutcome: (_, { context }) => contexts.push(context) }, { state });
  after.resume({ context: "the same" });
  expect(after.view.timeLeft).toBe(4_000);
  expect((await after.admitTurn()).kind).toBe("proceed");
  after.turnEnded();
  expect((await after.admitTurn()).kind).toBe("stop");
  expect(after.end()).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, time: 1_000 });
  expect(contexts).toEqual(["the same"]);
});
