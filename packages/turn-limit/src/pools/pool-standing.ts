import type { Max } from "../core/limits/boundary.ts";
import { type Amounts, sum } from "./ledger/amounts.ts";
import type { PoolQuestion } from "./ledger/pool-state.ts";
import { isOfPlan, windowStanding } from "./ledger/readings.ts";
import type { Maxima, PoolRecord } from "./ledger/store.ts";
import { fromUnits, maxFromUnits } from "./units.ts";

/** Where a pool stands. Cost is in US dollars, time in milliseconds. */
export interface PoolStanding {
  id: string;
  /** The day, week or month, if it has periods. */
  period?: string;
  limits: { limit: string; used: number; max: Max }[];
  /** Why it is frozen, if it is. */
  frozen?: string;
  members: PoolMemberStanding[];
  questions: PoolQuestion[];
}

/** What a member of a pool has used. */
export interface PoolMemberStanding {
  id: string;
  name: string;
  used: Record<string, number>;
  /** Does it still take part? */
  isPresent: boolean;
}

/** Where a pool stands by its record. `limits`: how much it admits, where its owner does not say. */
export function standingOf(
  { id, period, subscription }: { id: string; period: string | undefined; subscription: string | undefined },
  record: PoolRecord | undefined,
  limits: Maxima = record?.state.limits ?? {},
): PoolStanding {
  const { state, settled = {}, members = [], now = 0 } = record ?? {};
  return {
    id,
    ...(period !== undefined && { period }),
    limits: Object.entries(limits).map(([measure, max]) => {
      const units =
        state && isOfPlan(measure)
          ? windowStanding(state, { measure, max, subscription }, now)
          : { used: settled[measure] ?? 0, max: sum(max, state?.extra[measure]) };
      return { limit: measure, used: fromUnits(measure, units.used), max: maxFromUnits(measure, units.max) };
    }),
    ...(state?.frozen && { frozen: state.frozen.why }),
    members: members.map(({ id, name, used, isPresent }) => ({ id, name, used: asKnown(used), isPresent })),
    questions: Object.values(state?.questions ?? {}).filter(
      ({ reply, until }) => reply === undefined && (until === undefined || now < until),
    ),
  };
}

function asKnown(amounts: Amounts): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts).map(([measure, units]) => [measure, fromUnits(measure, units)]),
  );
}
