import { expect, test } from "vitest";
import { createPool, memoryStore } from "../../src/index.ts";
import { joinPool, managedPool } from "../../src/pools/managed-pool.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { alone, driven, held } from "../helpers/driven.ts";
import { Driver } from "../helpers/driver.ts";
import { named } from "../helpers/named.ts";
import { rest } from "../helpers/person.ts";

const usage = (tokens: number) => ({ usage: { input: tokens, output: 0 } });

function owned() {
  const store = memoryStore();
  return { store, owner: managedPool({ id: "prompt 1", store }) };
}

test("a member of a pool that another owns takes what the owner admits, and no more [OwnerSaysWhatIsLeft]", async () => {
  const { store, owner } = owned();
  await owner.admit({ tokens: 150 });
  const { driver } = alone({ pool: joinPool({ id: "prompt 1", tokens: "unlimited", store }) });
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await driver.admitTurn()).toMatchObject({ kind: "proceed" });
    driver.turnEnded(usage(100));
  }
  expect(await driver.admitTurn()).toMatchObject({ kind: "stop", used: 200, max: 150 });
});

test("a pool whose owner says nothing, or whose record is gone, admits nothing [OwnerlessPoolAdmitsNothing]", async () => {
  const { store } = owned();
  const { driver } = alone({ pool: joinPool({ id: "prompt 1", cost: "unlimited", store }) });
  expect(await driver.admitTurn()).toMatchObject({
    kind: "stop",
    limit: "store of pool prompt 1",
    why: expect.stringContaining("limits of the pool are missing from its record"),
  });
});

test("the time of a pool that another owns is the owner's: members that work at once do not add it up [TimeIsTheOwners]", async () => {
  const { store, owner } = owned();
  await owner.admit({ time: 10_000 });
  const clock = new ManualClock(0);
  const drivers = [1, 2].map(
    () => new Driver({ clock, pool: joinPool({ id: "prompt 1", time: "unlimited", store }) }),
  );
  const [first] = drivers as [Driver];
  for (const driver of drivers) await driver.admitTurn();
  clock.pass(6_000);
  await store.take({
    pool: owner.id,
    member: { id: "owner", name: "owner" },
    ...{ incarnation: 1, turn: 1, answered: 0, heard: 0 },
    used: { time: 5_000 },
    lease: 1_000,
  });
  for (const driver of drivers) {
    driver.turnEnded();
    expect(await driver.admitTurn()).toMatchObject({ kind: "proceed" });
  }
  expect(first.view.timeLeft).toBe(5_000);
  // The owner is silent.
  clock.pass(3_000);
  first.turnEnded();
  await first.admitTurn();
  expect(first.view.timeLeft).toBe(2_000);
  clock.pass(2_000);
  expect(first.signal.aborted).toBe(true);
});

test("what another member used counts for the run's own limits, and is not told to the pools again [DrawnCountsAbove]", async () => {
  const store = memoryStore();
  const pool = createPool({ id: "day", tokens: 1_000, store });
  const { driver } = alone({ tokens: 500, pool });
  await driver.admitTurn();
  driver.turnEnded(usage(100));
  driver.spend("nested", { input: 300, output: 0 }, { settled: true });
  await driver.shared.settle();
  expect((await store.read("day"))?.settled).toEqual({ tokens: 100 });
  expect(driver.view.standings).toContainEqual({ ...named("tokens"), used: 400, max: 500 });
  await driver.admitTurn();
  driver.turnEnded(usage(50));
  await driver.shared.settle();
  expect((await store.read("day"))?.settled).toEqual({ tokens: 150 });
});

test("what a person allows without being asked by the run starts its own limit over", async () => {
  const { driver } = alone({ tokens: 100 });
  await driver.admitTurn();
  driver.turnEnded(usage(120));
  await driver.allow("tokens", true);
  expect(driver.view.standings).toContainEqual({ ...named("tokens"), used: 0, max: 100 });
  await driver.allow("tokens", { more: 40 });
  expect(driver.view.standings).toContainEqual({ ...named("tokens"), used: 0, max: 40 });
  await expect(driver.allow("money", true)).rejects.toThrow(/limit/);
});

test("a question that is open about that limit is no longer asked", async () => {
  const { driver, admission } = await held();
  await driver.allow("turns", true);
  expect(await admission).toMatchObject({ kind: "proceed" });
  expect(driver.view.question).toBeNull();
});

test("what a person allows of a pool is for everyone [PoolExtended]", async () => {
  const store = memoryStore();
  const pool = createPool({ id: "session", turns: 1, store });
  const { driver } = driven({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  await driver.allow("turns of pool session", true);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 1, max: 2 }]);
  expect(await driver.admitTurn()).toMatchObject({ kind: "proceed" });
});

test("a member is known by its latest name", async () => {
  const store = memoryStore();
  const pool = createPool({ id: "named", turns: 5, store });
  const { driver } = driven({ pool });
  driver.shared.member.name = "Look into it";
  await driver.admitTurn();
  await rest();
  expect((await pool.read()).members).toMatchObject([{ id: driver.shared.member.id, name: "Look into it" }]);
});
