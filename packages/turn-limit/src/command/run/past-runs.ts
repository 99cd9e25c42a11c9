import { countsAs } from "../../core/history/past-run.ts";
import type { GatewaySummary } from "../../gateway/requests/summary.ts";
import { historyIn } from "../../pools/history/history-in.ts";
import type { Store } from "../../pools/ledger/store.ts";
import type { Ended } from "./start-agent.ts";

/** Keeps what a run took in its store, for limits that are chosen from it. What cannot be kept is missing there, no more. */
export async function rememberRun(
  openStore: () => Promise<Store>,
  agent: string,
  summary: GatewaySummary,
  ended: Ended,
): Promise<void> {
  const end = howItCounts(summary, ended);
  if (end === undefined) return;
  const { turns, requests, time, usage, outcome, isUnpriced } = summary;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost = 0 } = usage ?? {};
  // A cost of which a part is not known is none.
  const used = { input, output, cacheRead, cacheWrite, cost: isUnpriced ? 0 : cost };
  const took = { turns, requests, steps: outcome?.steps ?? 0, time, ...used, calls: {} };
  const history = historyIn(openStore, { agent });
  await history.remember({ end, took }, { told: history, warn: () => {} });
}

// An agent that was interrupted, or that failed, did not get as far as it wanted to.
function howItCounts({ outcome, endedBy, sent, problem }: GatewaySummary, ended: Ended) {
  if (!outcome || sent === 0) return undefined;
  const identity = outcome.identity ?? endedBy?.identity;
  const end = countsAs({ kind: outcome.kind, ...(identity && { identity }) });
  const isWhole = ended.code === 0 && ended.interruptedBy === undefined && problem === undefined;
  return end === "finished" && !isWhole ? undefined : end;
}
