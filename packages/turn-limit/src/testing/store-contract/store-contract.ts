import { strict as assert } from "node:assert";
import type { Scene } from "./scene.ts";

/** Defines a test that is given an open store. */
export type DefineInScene = (sentence: string, play: (scene: Scene) => Promise<void>) => void;

/** What the parts of the contract are written with. */
export interface StoreContract {
  test: DefineInScene;
  /** Defines a test that lets time pass. It is skipped for stores that take no clock. */
  timed: DefineInScene;
}

/** Compares what a store returned. Whether its objects have a prototype is the store's own affair. */
export function assertSame(actual: unknown, expected: unknown): void {
  assert.deepEqual(plain(actual), plain(expected));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** How many of these there are. */
export function tally(kinds: readonly { kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
