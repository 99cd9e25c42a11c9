import type { Amounts } from "../../ledger/amounts.ts";
import type { Maxima } from "../../ledger/store.ts";
import { fromWire, toWire } from "./names.ts";

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
    define(amounts, fromWire(String(list[place])), Number(list[place + 1]));
  return amounts;
}

/** Sets an amount. An assignment to `__proto__` would set the prototype. */
export function define(amounts: Record<string, number>, measure: string, amount: number): void {
  if (measure !== "__proto__") amounts[measure] = amount;
  else
    Object.defineProperty(amounts, measure, {
      value: amount,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
