import { expect, test } from "vitest";
import { limitCalled } from "../../test/helpers/named.ts";
import type { PastRun } from "../core.ts";
import { CHOSEN_ENTRY, ChosenMaxima } from "./chosen-maxima.ts";
import { completed, type Settings, valueFor } from "./settings.ts";

const NOTHING = { requests: 0, steps: 0, time: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

/** Runs of 1 to `count` turns, with a thousand tokens from a cache in each. */
function ran(count: number): PastRun[] {
  return Array.from({ length: count }, (_, index) => {
    const turns = index + 1;
    const used = { input: turns * 1_000, cacheRead: turns * 1_000 };
    return { end: "finished", took: { ...NOTHING, ...used, turns, calls: { bash: turns } } };
  });
}

/** A session whose limits are chosen from these runs. */
function inSession(runs: PastRun[], kept: object[] = []) {
  const entries = [...kept];
  let read = 0;
  const pi = {
    appendEntry: (customType: string, data: unknown) =>
      void entries.push({ type: "custom", customType, data: JSON.parse(JSON.stringify(data)) }),
  };
  const chosen = new ChosenMaxima(pi as never, async () => {
    read += 1;
    return runs;
  });
  chosen.recall(entries as never);
  const maxOf = (settings: Settings, name: string) =>
    valueFor(
      chosen.resolved(completed(settings), () => "unlimited"),
      limitCalled(name),
    );
  return { chosen, entries, maxOf, timesRead: () => read };
}

test("a number is chosen for each percentile, by what its limit counts [ChosenFromHistory]", async () => {
  const { chosen, maxOf, timesRead } = inSession(ran(100));
  const wanted = {
    turns: { max: "p90" },
    tokens: { max: "p50", cacheReads: true },
    tools: { bash: { max: "p75 up to 30" } },
  };
  const settings = completed(wanted);
  expect(maxOf(wanted, "turns")).toBe("unlimited");
  expect(chosen.open(settings).map(({ key }) => key)).toEqual(["turns", "tokens", "tools.bash"]);
  await chosen.choose(chosen.open(settings), settings);
  expect([maxOf(wanted, "turns"), maxOf(wanted, "tokens"), maxOf(wanted, "tools.bash")]).toEqual([
    90, 100_000, 30,
  ]);
  expect(chosen.saidOf(settings, limitCalled("tools.bash"))).toBe("p75 of your last 100 runs is 75");
  expect(chosen.open(settings)).toEqual([]);
  expect(timesRead()).toBe(1);
});

test("it stays in the session, also when it is loaded again, until it is set again [StaysChosen] [ChosenAgainWhenSet]", async () => {
  const settings = completed({ turns: { max: "p90" } });
  const before = inSession(ran(100));
  await before.chosen.choose(before.chosen.open(settings), settings);
  const { chosen, maxOf, timesRead } = inSession(ran(20), before.entries);
  expect(chosen.open(settings)).toEqual([]);
  expect(maxOf({ turns: { max: "p90" } }, "turns")).toBe(90);
  expect(timesRead()).toBe(0);
  await chosen.choose([limitCalled("turns")], settings);
  expect(maxOf({ turns: { max: "p90" } }, "turns")).toBe(18);
});

test("with too few runs what else is set holds, and no more than was set beside it [ChosenFromHistory]", async () => {
  const { chosen, entries } = inSession(ran(19));
  const settings = completed({ turns: { max: "p90 up to 30" }, cost: { max: "p90 up to $2" } });
  await chosen.choose(chosen.open(settings), settings);
  const values = (turns: number | "unlimited") =>
    chosen.resolved(settings, ({ key }) => (key === "turns" ? turns : "unlimited"));
  expect(valueFor(values(25), limitCalled("turns"))).toBe(25);
  expect(valueFor(values(40), limitCalled("turns"))).toBe(30);
  expect(valueFor(values(40), limitCalled("cost"))).toBe(2);
  expect(chosen.open(settings)).toEqual([]);
  expect(chosen.saidOf(settings, limitCalled("turns"))).toBe("p90 needs 20 finished runs, and there are 19");
  expect(entries).toHaveLength(2);
});

test.each([
  {},
  { limit: "turns" },
  { limit: "turns", wanted: "p90", max: -1, said: "x" },
  { limit: "turns", wanted: "p90", max: "unlimited", said: "x" },
  { limit: "turns", wanted: "p90", max: Number.NaN, said: "x" },
  { limit: "turns", wanted: "25", max: 25, said: "x" },
  { limit: 5, wanted: "p90", max: 25, said: "x" },
])("what somebody wrote into the session file is no choice: %j", (data) => {
  const { chosen } = inSession([], [{ type: "custom", customType: CHOSEN_ENTRY, data }]);
  expect(chosen.open(completed({ turns: { max: "p90" } }))).toHaveLength(1);
});
