import type { Period } from "./period.ts";

/** What the name of a record says: the pool, and which kind of period it is for. */
export interface RecordParts {
  id: string;
  per?: Period | undefined;
}

const DATED = /^(.*)@(week-)?\d{4}-\d\d(-\d\d)?$/s;
const HEAD = /^(.*)@(day|week|month)$/s;

/** Takes the name of a record apart: `research@2026-01-05` is a day of the pool `research`. */
export function partsOf(record: string): RecordParts {
  if (!record.includes("@")) return { id: record };
  const [, id, week, day] = DATED.exec(record) ?? [];
  if (id !== undefined) return { id, per: week ? "week" : day ? "day" : "month" };
  const [, pool, per] = HEAD.exec(record) ?? [];
  return pool === undefined ? { id: record } : { id: pool, per: per as Period };
}

/** Is it the name of what holds in every period of a pool, and not of a record? */
export function isHeadName(name: string): boolean {
  return HEAD.test(name);
}

/** The name of what holds for all records of a pool: `research@day`. Of a pool without periods it is the pool's own. */
export function headName({ id, per }: RecordParts): string {
  return per ? `${id}@${per}` : id;
}
