/** One process of a trial that is played in several. */

import { createPool } from "../../packages/turn-limit/src/index.ts";
import { sqliteStore } from "../../packages/turn-limit/src/pools/stores/sqlite/index.ts";
import { answer, inAnotherProcess } from "../../packages/turn-limit/test/helpers/in-another-process.ts";
import type { Contender, Left, Trial } from "../contender.ts";
import { trials } from "../trials.ts";

/** What the process is to do. */
export interface Part {
  /** The module of the contender, its limiter, and the trial, by their names. */
  module: string;
  limiter: string;
  trial: string;
  /** The file of the store, for pools. */
  file: string;
  /** Is it a sub-agent? */
  isSubAgent?: boolean;
  /** What an earlier process left of the run. */
  earlier?: Left;
}

answer<Part>(async (part) => {
  const { contenders }: { contenders: Contender[] } = await import(`../${part.module}`);
  const contender = contenders.find(({ limiter }) => limiter === part.limiter) as Contender;
  const trial = trials.find(({ name }) => name === part.trial) as Trial;
  const pooled: Trial = { ...trial, ...(contender.ours && { pool: poolOf(trial, part.file) }) };
  if (trial.processes === "resumed")
    return typeof contender.goOn === "string" ? contender.goOn : contender.goOn(pooled, part.earlier);
  if (trial.processes === "days") return contender.play(pooled);
  return part.isSubAgent ? contender.play(asSubAgent(pooled)) : playWithChildren(contender, pooled, part);
});

/** Of the day, or of the run. The time is always the same, so that no midnight comes between. */
function poolOf({ turns, processes }: Trial, file: string) {
  const store = sqliteStore(file, { now: () => Date.UTC(2026, 0, 1, 12) });
  const per = processes === "days" ? ({ per: "day", zone: "UTC" } as const) : {};
  return createPool({ id: "run", turns: turns ?? "unlimited", store, ...per });
}

/** A request with a call, and one with the answer. */
function asSubAgent(trial: Trial): Trial {
  return { ...trial, model: ({ index }) => (index === 1 ? { calls: 1 } : { text: "did it" }) };
}

async function playWithChildren(contender: Contender, trial: Trial, part: Part): Promise<Left | string> {
  const children: Left[] = [];
  const script = new URL(import.meta.url);
  const seen = await contender.play({
    ...trial,
    async work() {
      children.push(await inAnotherProcess<Left>(script, { ...part, isSubAgent: true }));
    },
  });
  if (typeof seen === "string") return seen;
  const sum = (what: "requests" | "executed" | "orphans") =>
    children.reduce((all, child) => all + child[what], seen[what]);
  return { ...seen, requests: sum("requests"), executed: sum("executed"), orphans: sum("orphans") };
}
