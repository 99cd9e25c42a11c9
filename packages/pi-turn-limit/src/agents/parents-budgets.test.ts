import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import type { PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { completed, type Settings } from "../settings/settings.ts";
import type { HandedPeriod, HandedPrompt } from "./handed-down.ts";
import { handedPeriod, ownBeside, periodsBeside, promptPools } from "./parents-budgets.ts";
import { periodPools } from "./period-pools.ts";

const valuesOf = (settings: Settings) => completed(settings) as unknown as LimitValues;
const policies = { onExhausted: "ask", headless: "stop" } as const;

const prompts: HandedPrompt[] = [
  {
    ...{ pool: "prompt 1", isOpen: true },
    tokens: { max: "unlimited", cacheReads: false, cacheWrites: false },
    cost: { max: 5, unpriced: "warn" },
    time: { max: 60_000 },
  },
];

/** What a session draws from with these limits of its own for a period, and those that were handed down. */
function periods(handed: HandedPeriod[], own: PeriodLimit[], session = "8") {
  const limits = periodsBeside(handed, own, valuesOf({}), session);
  return {
    limits,
    pools: periodPools(limits, session, memoryStore()).map(({ id }) => id),
    handed: limits.map((limit) => handedPeriod(limit, session)),
  };
}

const cost = (max: number, per: PeriodLimit["per"]): PeriodLimit => ({
  ...{ name: `cost per ${per}`, kind: "cost", per, max },
  options: policies,
});

test("a limit of its own holds beside what was handed down if it is lower", () => {
  const { tokens, cost, time } = ownBeside(
    prompts,
    valuesOf({ tokens: { max: 100 }, cost: { max: 2 }, time: { max: 60_000 } }),
  );
  expect([tokens.max, cost.max, time.max]).toEqual([100, 2, "unlimited"]);
});

test("what the prompts above have left is drawn from with the policies of this session", () => {
  const values = valuesOf({ cost: { onExhausted: "stop" } });
  const [pool] = promptPools(prompts, values, memoryStore());
  expect(pool?.id).toBe("prompt 1");
  expect(pool?.sharedLimits).toContainEqual(
    expect.objectContaining({ name: "cost of pool prompt 1", max: "unlimited", onExhausted: "stop" }),
  );
});

test("a limit that is waited for above is waited for below, and further down", () => {
  const waits: HandedPeriod = { kind: "cost", per: "day", max: 20, waits: true };
  const { limits, handed } = periods([waits], []);
  expect(limits).toMatchObject([{ options: { onExhausted: "wait" } }]);
  expect(handed).toEqual([waits]);
});

test("of a limit per day the lower one holds, whoever has set it [SubAgentNeverRaises]", () => {
  const handed: HandedPeriod[] = [{ kind: "cost", per: "day", max: 20 }];
  const limits = (own: PeriodLimit[]) => periods(handed, own).limits;
  expect(limits([cost(50, "day")])).toMatchObject([{ name: "cost per day", max: 20 }]);
  expect(limits([cost(10, "day")])).toMatchObject([{ name: "cost per day", max: 10 }]);
  expect(limits([])).toMatchObject([{ name: "cost per day", max: 20, options: policies }]);
});

const ofSeven: HandedPeriod[] = [{ kind: "cost", per: "session", max: 20, session: "7" }];

test("the budget of the session above is drawn from beside its own, which only counts if it is lower", () => {
  const higher = periods(ofSeven, [cost(30, "session")]);
  expect(higher.pools).toEqual(["session 7"]);
  expect(higher.handed).toEqual(ofSeven);
  const lower = periods(ofSeven, [cost(3, "session")]);
  expect(lower.limits).toContainEqual({ ...cost(3, "session"), options: policies });
  expect(lower.pools).toEqual(["session 7", "session 8"]);
  expect(lower.handed).toEqual([...ofSeven, { kind: "cost", per: "session", max: 3, session: "8" }]);
});

test("a sub-agent that goes on with the session above has one budget with it, with the lower limit [SubAgentNeverRaises]", () => {
  const here = (own: PeriodLimit[]) => periods(ofSeven, own, "7");
  expect(here([cost(3, "session")]).limits).toMatchObject([{ name: "cost per session", max: 3 }]);
  expect(here([cost(30, "session")]).limits).toMatchObject([{ name: "cost per session", max: 20 }]);
  expect(here([]).limits).toMatchObject([{ name: "cost per session", max: 20 }]);
  expect(here([]).pools).toEqual(["session 7"]);
  expect(here([cost(3, "session")]).handed).toEqual([{ ...ofSeven[0], max: 3 }]);
});

test("pools are in the order of their periods, and each has the limits of its period", () => {
  const turns = { ...cost(9, "day"), name: "turns per day", kind: "turns" as const };
  const { pools } = periods([], [cost(50, "month"), cost(10, "day"), turns, cost(3, "session")]);
  expect(pools).toEqual(["session 8", "every session per day", "every session per month"]);
});
