import { expect, test, vi } from "vitest";
import { createPool, isInvalidLimit, memoryStore, type PoolOptions } from "../../src/index.ts";
import { managedPool } from "../../src/pools/managed-pool.ts";
import { alone } from "../helpers/driven.ts";

/** Takes turns until one may not begin. How many, and why no more. */
async function turnsOf(options: Omit<PoolOptions, "id">, most = 20) {
  const { driver } = alone({ pool: createPool({ id: "shared", ...options }), turns: "unlimited" });
  let turns = 0;
  for (; turns < most; turns += 1) {
    const admission = await driver.admitTurn();
    if (admission.kind !== "proceed") return { turns, why: String(Object(admission).why ?? "") };
    driver.turnEnded();
  }
  driver.end();
  await driver.shared.done();
  return { turns, why: "" };
}

test.each<[string, object, object, RegExp]>([
  ["another maximum", { turns: 10 }, { turns: 20 }, /maximum of 10 turns, and this member says 20 turns/],
  ["no maximum", { turns: 10 }, { turns: "unlimited" }, /of 10 turns, and this member says unlimited turns/],
  ["another cost", { cost: 2.5 }, { cost: 5 }, /of 2.5 cost, and this member says 5 cost/],
  ["another keepFor", { turns: 10, keepFor: 5_000 }, { turns: 10, keepFor: 1 }, /5000 ms, and .* says 1 ms/],
  ["a keepFor", { turns: 10 }, { turns: 10, keepFor: 1 }, /keepFor of forever, and this member says 1 ms/],
  [
    "another time zone",
    { turns: 10, per: "day", zone: "Europe/Berlin" },
    { turns: 10, per: "day", zone: "Asia/Tokyo" },
    /the time zone of Europe\/Berlin, and this member says Asia\/Tokyo/,
  ],
])(
  "a member with %s than its pool is told both, and is granted nothing [TermsBelongToThePool]",
  async (_, recorded, own, expected) => {
    for (const unreachable of ["stop", "local", "ask"] as const) {
      const store = memoryStore();
      expect(await turnsOf({ ...recorded, store }, 3)).toEqual({ turns: 3, why: "" });
      const { turns, why } = await turnsOf({ ...own, store, unreachable });
      expect(turns).toBe(0);
      expect(why).toMatch(expected);
      expect(why).toMatch(/^The pool shared has /);
      const error = await createPool({ id: "shared", ...own, store } as PoolOptions)
        .read()
        .catch((error: unknown) => error);
      expect(isInvalidLimit(error) && error.message).toMatch(expected);
    }
  },
);

test("one member's keepFor does not end the pool for the others: 10 of 10 are granted", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const store = memoryStore({ now: () => Date.now() });
    let granted = (await turnsOf({ turns: 10, store, lease: 5 }, 7)).turns;
    granted += (await turnsOf({ turns: 10, store, lease: 5, keepFor: 10 })).turns;
    vi.setSystemTime(Date.now() + 1_000);
    granted += (await turnsOf({ turns: 10, store, lease: 5 })).turns;
    expect(granted).toBe(10);
  } finally {
    vi.useRealTimers();
  }
});

test("machines in two time zones have one day, that of the pool", async () => {
  const now = Date.UTC(2026, 0, 5, 23, 30);
  const store = memoryStore({ now: () => now });
  const day = { turns: 10, per: "day", store } as const;
  expect((await turnsOf({ ...day, zone: "Asia/Tokyo" }, 6)).turns).toBe(6);
  // It says nothing of a zone: on this machine it would be another day.
  expect((await turnsOf(day)).turns).toBe(4);
  expect(await store.list()).toEqual(["shared@2026-01-06"]);
});

test("what is changed for everyone holds, and whoever says otherwise from then on is told", async () => {
  const store = memoryStore();
  const { driver } = alone({ pool: createPool({ id: "shared", turns: 10, store }), turns: "unlimited" });
  await driver.admitTurn();
  driver.turnEnded();
  await createPool({ id: "shared", turns: 20, store }).redefine();
  expect(await driver.admitTurn()).toMatchObject({
    kind: "stop",
    why: expect.stringContaining("has a maximum of 20 turns, and this member says 10 turns"),
  });
  driver.end();
  await driver.shared.done();
  // The turn that was refused is given back.
  expect(await turnsOf({ turns: 20, store }, 30)).toMatchObject({ turns: 19 });
});

test("a limit that is not recorded yet is added, and sessions of Pi have their own maxima", async () => {
  const store = memoryStore();
  await turnsOf({ turns: 10, store }, 1);
  await turnsOf({ turns: 10, tokens: 50, store }, 1);
  expect((await store.look("shared")).terms.limits).toEqual({ turns: 10, tokens: 50 });
  for (const limits of [{ turns: 5 }, { turns: 3 }, { tokens: 9 }]) {
    const { driver } = alone({ pool: managedPool({ id: "day", ...limits, store }), turns: "unlimited" });
    expect((await driver.admitTurn()).kind).toBe("proceed");
  }
});

test("a limit of a pool holds all members: one that leaves it out is told which, and is granted nothing [TermsBelongToThePool]", async () => {
  const store = memoryStore();
  await turnsOf({ turns: 5, cost: 2.5, store }, 2);
  for (const own of [{ cost: 2.5 }, {}]) {
    const { turns, why } = await turnsOf({ ...own, store, unreachable: "local" }, 9);
    expect(turns).toBe(0);
    expect(why).toMatch(/^The pool shared has a maximum of 5 turns, which this member leaves out\. /);
  }
  const { why } = await turnsOf({ turns: 5, store });
  expect(why).toMatch(/maximum of 2\.5 cost, which this member leaves out/);
  // Whoever only looks at it, and draws nothing, need not know its limits.
  expect((await createPool({ id: "shared", store }).read()).members).toHaveLength(1);
  expect(await turnsOf({ turns: 5, cost: 2.5, store })).toMatchObject({ turns: 3 });
});

test.each<[what: string, own: object]>([
  ["leaves out a limit", { tokens: 50 }],
  ["does not limit what it limits", { turns: "unlimited", tokens: 50 }],
  ["has another maximum", { turns: 6, tokens: 50 }],
])(
  "a member that %s of the pool, and names a new limit, records nothing [TermsBelongToThePool]",
  async (_, own) => {
    const store = memoryStore();
    await turnsOf({ turns: 5, store }, 1);
    expect((await turnsOf({ ...own, store })).turns).toBe(0);
    expect((await store.look("shared")).terms.limits).toEqual({ turns: 5 });
    expect((await turnsOf({ turns: 5, store })).turns).toBe(4);
  },
);

test("a member at work is told of a limit that another one adds to the pool", async () => {
  const store = memoryStore();
  const { driver } = alone({ pool: createPool({ id: "shared", turns: 10, store }), turns: "unlimited" });
  await driver.admitTurn();
  driver.turnEnded();
  await turnsOf({ turns: 10, tokens: 50, store }, 1);
  expect(await driver.admitTurn()).toMatchObject({
    kind: "stop",
    why: expect.stringContaining("a maximum of 50 tokens, which this member leaves out"),
  });
});
