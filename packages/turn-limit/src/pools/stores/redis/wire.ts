import type { Amounts } from "../../ledger/amounts.ts";
import { RUN_NAMES } from "../../ledger/listed-run.ts";
import { partsOf } from "../../ledger/record-name.ts";
import type { Maxima } from "../../ledger/store.ts";

/**
 * Where a record is, when the leases of its members end, and for a pool with periods what holds in all of them. One hash
 * tag: they are on the same server.
 */
export function keysOf(prefix: string, record: string): string[] {
  const { id, per } = partsOf(record);
  const pool = `${prefix}{${tagOf(id)}}`;
  const key = pool + toWire(record.slice(id.length));
  return [key, `${key}:leases`, ...(per ? [`${pool}:${per}`] : [])];
}

/** Where is kept what persons decided about a pool or a run: on the same server. */
export function grantsKeyOf(prefix: string, record: string): string {
  return `${prefix}{${tagOf(partsOf(record).id)}}${GRANTS}`;
}

/** Where is kept by which requests the record was deleted: on the same server. */
export function deletedKeyOf(prefix: string, record: string): string {
  return `${prefix}{${tagOf(partsOf(record).id)}}:deleted`;
}

/** What SCAN has to look for to find all of it. */
export function grantsPattern(prefix: string): string {
  return `${keyPattern(prefix).slice(0, -1)}${GRANTS}`;
}

const GRANTS = ":grants";

/** Where is kept what the last runs of an agent took. */
export function pastRunsKeyOf(prefix: string, agent: string): string {
  return `${prefix}{${tagOf(agent)}}:past-runs`;
}

/** Where version 1 kept the record of a period. */
export function formerKeyOf(prefix: string, record: string): string | undefined {
  return partsOf(record).per && `${prefix}{${tagOf(record)}}`;
}

/** The name of the record that has this key; `undefined` for another key. */
export function recordOf(prefix: string, key: string): string | undefined {
  if (!key.startsWith(`${prefix}{`)) return undefined;
  const [tag = "", rest, more] = key.slice(prefix.length + 1).split("}");
  if (rest === undefined || more !== undefined || tag.includes("{")) return undefined;
  const id =
    tag === NO_NAME ? "" : fromWire(tag.replace(/%(25|7B|7D)/g, (escaped) => decodeURIComponent(escaped)));
  const record = id + rest;
  const isRecord = rest === "" ? !partsOf(id).per : partsOf(record).id === id && /\d$/.test(rest);
  return isRecord ? record : undefined;
}

/** What SCAN has to look for. */
export function keyPattern(prefix: string): string {
  return `${escaped(prefix)}{*}*`;
}

/** The same for records of runs. */
export function runPattern(prefix: string): string {
  return `${escaped(prefix)}{${RUN_NAMES.from}*}`;
}

function escaped(prefix: string): string {
  return prefix.replace(/[\\*?[\]^]/g, "\\$&");
}

// Redis takes no empty tag, and a tag ends at the first brace.
const NO_NAME = "%";

function tagOf(pool: string): string {
  return toWire(pool).replace(/[%{}]/g, encodeURIComponent) || NO_NAME;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate what is sent.
const ESCAPED = /[\\\u0000-\u001f\p{Surrogate}]/u;

/** A text as the server gets it: in one line, and without half characters, which cannot be sent. As in JSON. */
export function toWire(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** A text as it was before {@link toWire}. */
export function fromWire(text: string): string {
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}

/** Names and numbers in turn, in their order: scripts do not keep the order of what has names. */
export type List = (string | number)[];

/** Amounts or maxima for a script. */
export function toList(from: Maxima): List {
  const list: List = [];
  for (const measure of Object.keys(from)) list.push(toWire(measure), from[measure] as number | string);
  return list;
}

/** Amounts from a script. */
export function fromList(list: readonly (string | number)[]): Amounts {
  const amounts: Record<string, number> = {};
  for (let place = 0; place < list.length; place += 2)
    setAmount(amounts, fromWire(String(list[place])), Number(list[place + 1]));
  return amounts;
}

/** Sets an amount. An assignment to `__proto__` would set the prototype. */
export function setAmount(amounts: Record<string, number>, measure: string, amount: number): void {
  if (measure !== "__proto__") amounts[measure] = amount;
  else
    Object.defineProperty(amounts, measure, {
      value: amount,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
