import { expect, test, vi } from "vitest";
import { createGovernor, createPool, memoryStore } from "../../src/index.ts";
import { listIn } from "../../src/pools/listing/list-in.ts";
import { alone, driven } from "../helpers/driven.ts";
import { rest } from "../helpers/person.ts";
import { whyRefused } from "../helpers/runs.ts";
import { aPool } from "./a-pool.ts";

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 0, 6);
const oneTurn = { turns: { max: 1, onExhausted: "wait" }, per: "day" } as const;

/** A run that took the only turn of the day, and wants another one. */
async function waiting(options: Parameters<typeof alone>[0] = {}) {
  const { pool, time, store, standing } = aPool(oneTurn);
  const scene = alone({ pool, ...options });
  await scene.driver.admitTurn();
  scene.driver.turnEnded();
  const admission = scene.driver.admitTurn();
  if (!options.ask) await untilHeld(scene.driver);
  return { ...scene, pool, time, store, standing, admission };
}

async function untilHeld(driver: { view: { status: string } }): Promise<void> {
  await vi.waitUntil(() => driver.view.status === "asking");
}

test("a run whose policy is to wait is held until the next day, and goes on by itself where nobody can be asked [WaitsForThePeriod]", async () => {
  const { driver, admission, time, standing } = await waiting();
  expect(driver.view.question).toMatchObject({ used: 1, max: 1, waits: { until: MIDNIGHT } });
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
  driver.turnEnded();
  const outcome = driver.end();
  await driver.shared.done();
  expect(outcome).toMatchObject({ kind: "completed", turns: 2, intervened: true });
  expect(await standing("2026-01-05")).toMatchObject({ settled: { turns: 1 } });
  expect(await standing("2026-01-06")).toMatchObject({ settled: { turns: 1 } });
});

test("time in which a run waits for the next day does not count", async () => {
  const { driver, clock, admission, time } = await waiting({ time: 10_000 });
  clock.pass(60_000);
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
  expect(driver.view.totals.time).toBe(0);
});

test("a clock that jumps past several days at once, as after sleep, lets it go on", async () => {
  const { admission, time } = await waiting();
  time.now += 9 * DAY;
  expect((await admission).kind).toBe("proceed");
});

test("while others use up the next day as well, it goes on waiting", async () => {
  const { driver, admission, pool, time } = await waiting();
  const other = alone({ pool }).driver;
  time.now += DAY;
  const [first] = await Promise.race([
    admission.then((admitted) => [admitted.kind]),
    other.admitTurn().then(({ kind }) => [`other: ${kind}`]),
  ]);
  if (first === "proceed") return;
  expect(driver.view.status).toBe("asking");
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
});

test("a person who is there is asked, and need not reply: no reply, and failing to ask, is no no", async () => {
  for (const ask of [
    async () => undefined,
    () => "unanswered" as const,
    async () => Promise.reject(new Error("No screen.")),
  ]) {
    const { admission, time, driver } = await waiting({ ask });
    await untilHeld(driver);
    await rest();
    expect(driver.view.status).toBe("asking");
    time.now += DAY;
    expect((await admission).kind).toBe("proceed");
  }
});

test.each([
  [true, "proceed"],
  [false, "stop"],
])("a person who replies %s does not wait for the next day", async (reply, kind) => {
  const asked: unknown[] = [];
  const { admission, driver } = await waiting({
    ask: ({ waits }) => {
      asked.push(waits);
      return reply;
    },
  });
  expect((await admission).kind).toBe(kind);
  expect(asked).toEqual([{ until: MIDNIGHT }]);
  if (!reply)
    expect(driver.end()).toMatchObject({ kind: "declined", limit: expect.stringContaining("turns") });
});

test("a run that waits is listed, and is answered and stopped from elsewhere where nobody can be asked", async () => {
  const runs = memoryStore();
  const listed = listIn(runs, { every: 1 });
  const { admission, driver } = await waiting({ listed });
  const { record, open } = await vi.waitUntil(async () => {
    const [record] = await runs.runs();
    const [open] = Object.values(record?.state.questions ?? {});
    return record && open && { record: record.pool, open };
  });
  expect(open).toMatchObject({ used: 1, max: 1, waits: { until: MIDNIGHT } });
  await runs.change(record, { kind: "answer", question: open.id, reply: false, key: "no" });
  expect((await admission).kind).toBe("stop");
  expect(driver.end()).toMatchObject({ kind: "declined" });
});

test("where a person is asked and nobody replies, it can be waited instead", async () => {
  const { pool, time } = aPool({ turns: { max: 1, headless: "wait" }, per: "day" });
  const replies: unknown[] = [];
  const { driver } = driven({
    pool,
    ask: ({ waits }) => {
      replies.push(waits);
      return "unanswered";
    },
  });
  await driver.admitTurn();
  driver.turnEnded();
  const admission = driver.admitTurn();
  await vi.waitUntil(() => replies.length === 2);
  expect(replies).toEqual([undefined, { until: MIDNIGHT }]);
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
});

test("a call that the day does not cover is refused, and the next turn waits for the next day", async () => {
  const { pool, time } = aPool({ steps: { max: 1, onExhausted: "wait" }, per: "day" });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  expect(await driver.refusal({ id: "1", tool: "read" })).toBeUndefined();
  expect(await driver.refusal({ id: "2", tool: "read" })).toContain("Not run");
  driver.turnEnded();
  const admission = driver.admitTurn();
  await untilHeld(driver);
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
  expect(await driver.refusal({ id: "3", tool: "read" })).toBeUndefined();
});

test("the turn under way is not cut off when the time of the day is up: the next one waits", async () => {
  const { pool, time } = aPool({ time: { max: 1_000, onExhausted: "wait" }, per: "day" });
  const { driver, clock } = alone({ pool });
  await driver.admitTurn();
  clock.pass(5_000);
  await rest();
  expect(driver.view).toMatchObject({ status: "running", stop: null });
  driver.turnEnded();
  const admission = driver.admitTurn();
  await untilHeld(driver);
  time.now += DAY;
  expect((await admission).kind).toBe("proceed");
});

test("a limit that asks as well is decided first: a no is not waited for", async () => {
  const { pool } = aPool(oneTurn);
  const { driver } = driven({ pool, turns: 1, ask: () => false });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("stop");
  expect(driver.end()).toMatchObject({ kind: "declined", limit: "turns" });
});

test.each([
  ["turns.onExhausted", () => createGovernor({ turns: { max: 1, onExhausted: "wait" as never } })],
  ["cost.headless", () => createGovernor({ cost: { max: 1, headless: "wait" as never } })],
  ["turns.onExhausted", () => createPool({ id: "ever", turns: { max: 1, onExhausted: "wait" } })],
  [
    "mine.onExhausted",
    () => createGovernor({ limits: [{ name: "mine", max: 1, used: () => 0, onExhausted: "wait" as never }] }),
  ],
])(
  "%s cannot be to wait where the limit does not start over by itself [WaitNeedsAPeriod]",
  (setting, make) => {
    const refused = whyRefused(make);
    expect(refused).toMatchObject({ setting, value: "wait" });
    expect(refused.message).toBe(
      `${setting} cannot be "wait": this limit does not start over by itself. ` +
        "Use another policy, or a limit for a day, week or month",
    );
  },
);
