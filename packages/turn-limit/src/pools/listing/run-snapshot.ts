import type { LimitIdentity } from "../../core/limits/boundary.ts";
import type { ListableRun } from "../../run/listing.ts";
import type { ListedRun } from "../ledger/listed-run.ts";

/** What is said of a run that does not change with it. */
export interface RunPlace {
  agent: string;
  folder?: string;
  host?: string;
  pid?: number;
}

const GATES: readonly LimitIdentity["kind"][] = ["freeze", "store", "stop"];

/** Where a run stands, but for the moments. */
export function snapshotOf(
  run: Pick<ListableRun, "view" | "model">,
  place: RunPlace,
): Omit<ListedRun, "since" | "active"> {
  const { view, model } = run;
  const { turns, requests, steps, input, output, cost, time } = view.totals;
  return {
    ...place,
    ...(model && { model: model.id }),
    state: stateOf(view),
    limits: view.standings.filter(({ identity }) => !GATES.includes(identity.kind)),
    used: { turns, requests, steps, tokens: input + output, cost, time },
  };
}

function stateOf({ status, question, check, waiting }: ListableRun["view"]): ListedRun["state"] {
  if (status === "idle") return "idle";
  if (question || (status === "asking" && !check)) return "asking";
  return waiting ? "waiting" : "working";
}

/** What shows that something happened which counts. Time passes by itself. */
export function activityOf({ state, used: { time: _, ...used } }: Pick<ListedRun, "state" | "used">): string {
  return JSON.stringify([state, used]);
}
