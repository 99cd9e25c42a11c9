import { ownZone, periodAt } from "../../pools/ledger/period.ts";
import type { RecordName } from "./record-names.ts";

/** A calendar is asked once for each period, and not each time that a pool is looked at. */
const ends = new Map<string, number>();
const MOST = 1_000;

/** When a pool starts over, if it has a period and is in it now. `zone`: of its calendar, as far as that is recorded. */
export function startsOver(
  { period }: RecordName,
  zone: string | undefined,
  now: number,
): number | undefined {
  if (!period) return undefined;
  const key = JSON.stringify([period, zone]);
  const known = ends.get(key);
  if (known !== undefined) return now < known ? known : undefined;
  const span = periodAt(now, period.kind, zone ?? ownZone());
  if (span.name !== period.name) return undefined;
  if (ends.size >= MOST) ends.clear();
  ends.set(key, span.to);
  return span.to;
}
