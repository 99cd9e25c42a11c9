import { check, object } from "../../core/checks.ts";
import type { History } from "../../run/history.ts";
import type { Store } from "../ledger/store.ts";
import { type GivenStore, openerOf } from "../stores/given-store.ts";
import { HistoryInStore } from "./history-in-store.ts";

/** How runs are kept, and found again. */
export interface HistoryOptions {
  /** Which agent it is: limits are chosen from what runs of the same took. */
  agent: string;
}

const METHODS = ["remember", "pastRuns"] satisfies (keyof Store)[];
const checkOptions = object({
  agent: check<string>((value) => typeof value === "string" && value !== "", "the name of an agent"),
});

/**
 * What the runs of an agent took, in a store: to be given to any adapter as `history`. Limits such as `turns: "p90"` are
 * chosen from it before the first turn of each run, and told by `onWarning`. Each run that is over is kept in it: how it
 * ended, and what it took. Until there are 20 finished runs, and where the store cannot be used, the default holds. A
 * function that opens the store is called when it is needed.
 *
 * @example
 * const history = historyIn(sqliteStore("runs.sqlite"), { agent: "researcher" });
 * await runAgent(limitToolLoop({ turns: "p90", cost: "p90 up to $5", history }));
 */
export function historyIn(store: GivenStore, options: HistoryOptions): History {
  const { agent } = checkOptions(options, "");
  return new HistoryInStore(openerOf(store, METHODS), agent);
}
