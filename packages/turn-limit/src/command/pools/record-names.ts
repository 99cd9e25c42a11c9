import type { Period } from "../../pools/ledger/period.ts";
import { unknownWord, wrongInput } from "../command-error.ts";

/** The name of a record in its parts: `research@2026-11-16` is that day of the pool `research`. */
export interface RecordName {
  record: string;
  id: string;
  period?: { kind: Period; name: string };
}

const DATED = /^(.+)@((?:week-)?\d{4}-\d{2}-\d{2}|\d{4}-\d{2})$/s;

/** Reads the name of a record. */
export function recordName(record: string): RecordName {
  const [, id, name] = DATED.exec(record) ?? [];
  if (id === undefined || name === undefined) return { record, id: record };
  const kind = name.startsWith("week-") ? "week" : name.length === "2026-11".length ? "month" : "day";
  return { record, id, period: { kind, name } };
}

/** All records by id, the newest of each id first. */
export function byId(records: readonly string[]): RecordName[] {
  return records.map(recordName).sort((one, other) => {
    if (one.id !== other.id) return one.id < other.id ? -1 : 1;
    const [a, b] = [age(one), age(other)];
    return a === b ? 0 : a < b ? 1 : -1;
  });
}

/** Those that are not older than another of the same id and the same kind of period. */
export function newest(sorted: readonly RecordName[]): RecordName[] {
  const seen = new Set<string>();
  return sorted.filter(({ id, period }) => {
    const key = JSON.stringify([id, period?.kind]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The record that a person means: by its whole name, or the newest of an id. */
export function findRecord(wanted: string, records: readonly string[]): RecordName {
  if (records.length === 0)
    throw wrongInput(`${JSON.stringify(wanted)} is not a pool: there are no pools in this store yet.`);
  const sorted = byId(records);
  const found = sorted.find(({ record }) => record === wanted) ?? sorted.find(({ id }) => id === wanted);
  if (found) return found;
  throw unknownWord(wanted, "a pool", [...new Set(sorted.map(({ id }) => id))]);
}

const RANK = { month: 1, week: 2, day: 3 } as const;

// Sorts by the first day. A day comes before the week or month that begins with it.
function age({ period }: RecordName): string {
  if (!period) return "";
  const day = period.name.replace("week-", "").padEnd("2026-11-16".length, "-01");
  return `${day} ${RANK[period.kind]}`;
}
