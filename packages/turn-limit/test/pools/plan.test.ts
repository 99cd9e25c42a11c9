import { expect, test, vi } from "vitest";
import { createPool, memoryStore } from "../../src/index.ts";
import { alone, driven } from "../helpers/driven.ts";

const NOON = Date.UTC(2026, 0, 5, 12);
const HOUR = 3_600_000;

function aPlan(plan: Parameters<typeof createPool>[0]["plan"], store = memoryStore({ now: () => time.now })) {
  time.now = NOON;
  return { store, pool: createPool({ id: "plan", plan, store, lookEvery: 1, identity: {} }) };
}
const time = { now: NOON };
const read = (used: number, window = "5h", subscription = "anthropic") => ({
  windows: [{ subscription, window, used, resets: NOON + HOUR }],
});

/** Takes a turn whose answer tells this. */
async function turn(driver: ReturnType<typeof alone>["driver"], answer: object): Promise<string> {
  const { kind } = await driver.admitTurn();
  if (kind !== "stop") driver.turn.answered(answer);
  return kind;
}

test("a run stops once the provider says that so much of the window is used, and the next run before its first turn [PlanIsShared]", async () => {
  const { pool } = aPlan({ "5h": { max: 80, onExhausted: "stop" } });
  const { driver } = alone({ pool, turns: 99 });
  for (const used of [50, 70, 80]) expect(await turn(driver, read(used))).toBe("proceed");
  expect(await turn(driver, read(90))).toBe("stop");
  expect(driver.end()).toMatchObject({ kind: "stopped", limit: "plan per 5h" });
  expect((await pool.read()).limits).toEqual([{ limit: "plan per 5h", used: 80, max: 80 }]);
  const next = alone({ pool }).driver;
  expect(await turn(next, {})).toBe("stop");
});

test("after its reset a window starts over at nothing; wait holds the run until then [WindowStartsOver]", async () => {
  const { pool } = aPlan({ "5h": { max: 80, onExhausted: "wait" } });
  const { driver } = alone({ pool });
  expect(await turn(driver, read(95))).toBe("proceed");
  const admission = driver.admitTurn();
  await vi.waitUntil(() => driver.view.status === "asking");
  expect(driver.view.question).toMatchObject({ used: 95, max: 80, waits: { until: NOON + HOUR } });
  time.now = NOON + HOUR;
  expect((await admission).kind).toBe("proceed");
  expect((await pool.read()).limits[0]).toMatchObject({ used: 0 });
});

test("the newest reading wins, also if it is lower [PlanIsShared]", async () => {
  const { pool } = aPlan({ "5h": { max: 80, onExhausted: "stop" } });
  const [one, other] = [alone({ pool }).driver, alone({ pool }).driver];
  await other.admitTurn();
  expect(await turn(one, read(90))).toBe("proceed");
  other.turn.answered(read(20));
  await other.shared.settle();
  expect((await pool.read()).limits[0]).toMatchObject({ used: 20 });
  expect(await turn(one, read(20))).toBe("proceed");
});

test("a yes goes on without this limit until the window starts over, and { more } with so much more, for everyone [WindowIsAllowed]", async () => {
  const { pool } = aPlan({ "5h": 80 });
  const replies: (true | { more: number })[] = [{ more: 10 }, true];
  const { driver } = driven({ pool, turns: 99, ask: () => replies.shift() });
  for (const used of [80, 89, 90, 99])
    expect([used, await turn(driver, read(used))]).toEqual([used, "proceed"]);
  expect(replies).toEqual([]);
  expect(await turn(driver, read(99))).toBe("proceed");
  time.now = NOON + HOUR;
  driver.end();
  const { windows } = read(85);
  const next = alone({ pool, turns: 99 }).driver;
  const later = windows.map((one) => ({ ...one, resets: NOON + 9 * HOUR }));
  expect(await turn(next, { windows: later })).toBe("proceed");
  expect(await turn(next, {})).toBe("stop");
});

test("where the clock is ahead of the window that an answer tells of, a person is told that its limit cannot hold [UntoldWindowIsSaid]", async () => {
  const { pool } = aPlan({ "5h": { max: 80, onExhausted: "stop" } });
  const { driver, warnings } = alone({ pool, turns: 99 });
  time.now = NOON + HOUR + 60_000;
  expect(await turn(driver, read(95))).toBe("proceed");
  await driver.shared.settle();
  expect(warnings).toEqual([]);
  time.now += 1;
  for (let turns = 0; turns < 2; turns++) expect(await turn(driver, read(95))).toBe("proceed");
  await driver.shared.settle();
  expect(warnings).toEqual([
    "The limit of plan per 5h cannot hold: by the clock here, its window was over before the answer came. Set that clock right.",
  ]);
});

test("of an answer that tells nothing of a window, a person is told once that its limit cannot hold [UntoldWindowIsSaid]", async () => {
  const { pool } = aPlan({ "5h": 80, "7d": 50 });
  const { driver, warnings } = alone({ pool });
  for (let count = 0; count < 2; count += 1) await turn(driver, read(10));
  await driver.shared.settle();
  expect(warnings).toEqual([
    "The limit of plan per 7d cannot hold: the answers of the provider do not say how much of it is used, but of 5h.",
  ]);
});

test("each subscription has windows of its own", async () => {
  const { store } = aPlan({ "5h": 80 });
  const of = (subscription: string) =>
    createPool({
      id: "plan",
      plan: { "5h": { max: 80, onExhausted: "stop" } },
      subscription,
      store,
      identity: {},
    });
  expect(await turn(alone({ pool: of("anthropic") }).driver, read(95))).toBe("proceed");
  expect(await turn(alone({ pool: of("openai") }).driver, read(1, "5h", "openai"))).toBe("proceed");
  expect(await turn(alone({ pool: of("anthropic") }).driver, {})).toBe("stop");
});

test("of answers that tell nothing of a plan, a person is told that its limit cannot hold; a failed one says nothing", async () => {
  const { pool } = aPlan({ "5h": 80 });
  const { driver, warnings } = alone({ pool });
  await driver.admitTurn();
  driver.turn.failed(undefined, { windows: [] });
  await driver.shared.settle();
  expect(warnings).toEqual([]);
  await turn(driver, { windows: [] });
  await driver.shared.settle();
  expect(warnings).toEqual([
    "The limit of plan per 5h cannot hold: the answers of the provider say nothing of a plan.",
  ]);
});

test("a yes for one subscription allows nothing of another, and a yes beyond the maximum covers what is used [WindowIsAllowed]", async () => {
  const { store } = aPlan({ "5h": 80 });
  const of = (subscription?: string) =>
    createPool({ id: "plan", plan: { "5h": { max: 80 } }, subscription, store, identity: {} });
  const replies = [{ more: 5 }];
  const { driver } = driven({ pool: of("anthropic"), ask: () => replies.shift() });
  expect(await turn(driver, read(95))).toBe("proceed");
  expect(await turn(driver, read(95))).toBe("proceed");
  expect((await of("anthropic").read()).limits[0]).toMatchObject({ used: 95, max: 100 });
  expect(await turn(alone({ pool: of("openai") }).driver, read(85, "5h", "openai"))).toBe("proceed");
  expect(await turn(alone({ pool: of("openai") }).driver, {})).toBe("stop");
  // Of several that of which least is left.
  expect((await of().read()).limits[0]).toMatchObject({ used: 85, max: 80 });
});

test.each([[{ week: 80 }], [{ "5h": -1 }], [{ "5h": { max: 80, onExhausted: "refuse" as never } }]])(
  "a plan such as %j is refused",
  (plan) => {
    expect(() => createPool({ id: "plan", plan })).toThrow(/plan/);
  },
);
