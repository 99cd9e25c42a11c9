import { afterEach, expect, test, vi } from "vitest";
import { named } from "../../test/helpers/named.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import { watchRun } from "./watch-run.ts";

afterEach(() => {
  vi.useRealTimers();
});

const RUN = { id: "r1", context: undefined, member: { id: "m", name: "agent" } };
const TURN = { as: "turn", agent: "main" } as unknown as Parameters<
  NonNullable<ReturnType<typeof watchRun>["turnBegan"]>
>[0];

function watched(on: Parameters<typeof watchRun>[1]) {
  const told: string[] = [];
  let standings: Boundary[] = [];
  const observer = watchRun({ tell: (_, text) => void told.push(text) }, on, () => standings);
  return {
    told,
    prompt: () => observer.runBegan?.(RUN),
    begin: () => observer.turnBegan?.(TURN, RUN),
    end: (...now: Boundary[]) => {
      standings = now;
      observer.turnEnded?.(TURN, {}, RUN);
    },
    over: () => observer.runEnded?.({} as never, RUN),
  };
}

const at = (name: string, used: number, max: Boundary["max"]): Boundary => ({ ...named(name), used, max });

test("80 % of a budget is told once, and again in the next round", () => {
  const run = watched({ budget: true, end: false, idle: undefined });
  for (const used of [7, 8, 9, 10])
    run.end(at("turns", used, 10), at("cost", 4.5, 5), at("time", 9, "unlimited"));
  run.end(at("turns", 1, 10), at("cost", 4.5, 5));
  run.end(at("turns", 8, 10), at("cost", 4.5, 5));
  expect(run.told).toEqual([
    "Cost limit nearly reached: $4.50/$5.00.",
    "Turn limit nearly reached: 8/10.",
    "Turn limit nearly reached: 8/10.",
  ]);
});

test("80 % of an amount is what people take for it", () => {
  for (const [used, max] of [
    [5.6, 7],
    [0.08, 0.1],
    [2.4, 3],
  ] as const) {
    const run = watched({ budget: true, end: false, idle: undefined });
    run.end(at("cost", used - 0.01, max));
    expect(run.told).toEqual([]);
    run.end(at("cost", used, max));
    expect(run.told).toHaveLength(1);
  }
});

test("an agent that never sends a request is told of, too", () => {
  vi.useFakeTimers();
  const run = watched({ budget: false, end: false, idle: 60_000 });
  run.prompt();
  vi.advanceTimersByTime(60_000);
  expect(run.told).toEqual(["Nothing has happened for 1m."]);
});

test("a run in which nothing happens is told of once, and not while something is under way", () => {
  vi.useFakeTimers();
  const run = watched({ budget: false, end: false, idle: 600_000 });
  run.begin();
  vi.advanceTimersByTime(3_600_000);
  expect(run.told).toEqual([]);
  run.end(at("turns", 10, 10));
  vi.advanceTimersByTime(599_999);
  expect(run.told).toEqual([]);
  vi.advanceTimersByTime(3_600_000);
  expect(run.told).toEqual(["Nothing has happened for 10m."]);
  run.begin();
  run.end();
  vi.advanceTimersByTime(600_000);
  expect(run.told).toHaveLength(2);
  run.begin();
  run.end();
  run.over();
  vi.advanceTimersByTime(3_600_000);
  expect(run.told).toHaveLength(2);
});
