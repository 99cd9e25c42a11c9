import type { Reply } from "../../core/governor/decision.ts";
import type { Max } from "../../core/limits/boundary.ts";
import type { Grant } from "../../pools/ledger/grants.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { type PoolView, readPools, readRuns } from "../pools/pool-view.ts";
import { openQuestions } from "../pools/questions-table.ts";
import { type Family, metricsText, type Sample } from "./metrics-text.ts";

/**
 * What Prometheus reads of a store. Pools are told apart by their names; of runs there is only how many do what, since a
 * new one for each run would never end.
 */
export class Metrics {
  readonly #store: Store;
  readonly #counted = new Map<string, Sample & { value: number }>();
  #known: ReadonlySet<string> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What was decided before this is not counted. */
  async begin(): Promise<void> {
    this.#count(await this.#store.grants());
  }

  async text(): Promise<string> {
    const store = this.#store;
    const [pools, runs, grants] = await Promise.all([
      readPools(store, false),
      readRuns(store),
      store.grants(),
    ]);
    this.#count(grants);
    return metricsText([...familiesOf(pools, runs), { ...DECISIONS, samples: [...this.#counted.values()] }]);
  }

  #count(grants: readonly Grant[]): void {
    const known = this.#known;
    this.#known = new Set(grants.map(({ key }) => key));
    if (!known) return;
    for (const { key, did, reply } of grants) {
      if (known.has(key)) continue;
      const labels = { did, reply: reply === undefined ? "" : wordOf(reply) };
      const name = JSON.stringify(labels);
      const before = this.#counted.get(name)?.value ?? 0;
      this.#counted.set(name, { labels, value: before + 1 });
    }
  }
}

const DECISIONS = {
  name: "turn_limit_decisions_total",
  type: "counter",
  help: "What persons decided since this was started: answers, extensions, freezes and stops.",
} as const;

function familiesOf(pools: readonly PoolView[], runs: readonly PoolView[]): Family[] {
  const uses = pools.flatMap((pool) =>
    Object.entries(pool.use).map(([limit, use]) => ({ labels: { ...labelsOf(pool), limit }, limit, use })),
  );
  const limited = uses.flatMap(({ labels, limit, use: { max } }) =>
    max === null ? [] : [{ labels, value: inUnits(limit, max) }],
  );
  const gauge = (name: string, help: string, samples: Sample[]): Family => ({
    name,
    type: "gauge",
    help,
    samples,
  });
  return [
    gauge(
      "turn_limit_pool_used",
      "What is used of a pool. Cost is in US dollars, time in seconds.",
      uses.map(({ labels, limit, use: { used } }) => ({ labels, value: inUnits(limit, used) })),
    ),
    gauge("turn_limit_pool_max", "How much a pool admits, with what was allowed in addition.", limited),
    gauge(
      "turn_limit_pool_agents",
      "How many agents take part in a pool.",
      pools.map((pool) => ({ labels: labelsOf(pool), value: pool.agents })),
    ),
    gauge(
      "turn_limit_pool_frozen",
      "1 while a pool is frozen.",
      pools.map((pool) => ({ labels: labelsOf(pool), value: pool.frozen ? 1 : 0 })),
    ),
    gauge("turn_limit_questions_open", "How many questions wait for a person.", [
      { labels: {}, value: openQuestions([...pools, ...runs]).length },
    ]),
    gauge("turn_limit_runs", "How many runs are listed, by agent and by what they do.", runsByState(runs)),
  ];
}

function labelsOf({ id, period }: PoolView): { pool: string; period: string } {
  return { pool: id, period: period?.kind ?? "" };
}

function runsByState(runs: readonly PoolView[]): Sample[] {
  const samples = new Map<string, Sample & { value: number }>();
  for (const { run, frozen } of runs) {
    if (!run) continue;
    const labels = { agent: run.agent, state: frozen ? "frozen" : run.state };
    const name = JSON.stringify(labels);
    samples.set(name, { labels, value: (samples.get(name)?.value ?? 0) + 1 });
  }
  return [...samples.values()];
}

const SECOND = 1_000;

function inUnits(limit: string, amount: Max): number {
  if (amount === "unlimited") return Number.POSITIVE_INFINITY;
  return limit === "time" ? amount / SECOND : amount;
}

function wordOf(reply: Reply): string {
  if (typeof reply === "object") return "more";
  return reply === true ? "yes" : reply === false ? "no" : reply;
}
