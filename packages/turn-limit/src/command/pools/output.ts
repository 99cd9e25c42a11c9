import type { Store } from "../../pools/ledger/store.ts";
import { MissingStore, storeProblem } from "../stores.ts";
import { hasColours, type Surroundings } from "../surroundings.ts";
import { fitted, type Line, written } from "./lines.ts";

/** Opens the store, and closes it afterwards. `missing`: what is done instead where there is no store. */
export async function withStore(
  address: string,
  around: Surroundings,
  missing: (() => void) | undefined,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  let store: Store | undefined;
  try {
    store = await around.openStore(address);
    await work(store);
  } catch (error) {
    if (missing && error instanceof MissingStore) return missing();
    throw storeProblem(address, error);
  } finally {
    await store?.close();
  }
}

export function widthFor({ stdout }: Surroundings): number {
  return stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY;
}

export function print(lines: readonly Line[], around: Surroundings): void {
  const colours = hasColours(around);
  const width = widthFor(around);
  around.stdout.write(lines.map((spans) => `${written(fitted(spans, width), colours)}\n`).join(""));
}

// JSON leaves some characters as they are on which terminals act.
const CONTROLS = /[\u007f-\u009f]/g;

export function printJson(value: unknown, { stdout }: Surroundings): void {
  const escaped = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`;
  stdout.write(`${JSON.stringify(value, null, 2).replace(CONTROLS, escaped)}\n`);
}
