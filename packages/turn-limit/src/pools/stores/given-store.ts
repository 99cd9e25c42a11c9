import { anyFunction, check } from "../../core/checks.ts";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Store } from "../ledger/store.ts";

/** A store, or a function that opens one when it is needed. */
export type GivenStore = Store | (() => Store | Promise<Store>);

/** Checks what was given as a store that must have these methods. Returns what opens it, once; and again if that failed. */
export function openerOf(store: GivenStore, methods: readonly (keyof Store)[]): () => Promise<Store> {
  const isStore = (value: unknown) => methods.every((method) => typeof Object(value)[method] === "function");
  if (typeof store === "function") anyFunction(store, "store");
  else
    check<Store>(isStore, "a store, such as sqliteStore(file), or a function that opens one")(store, "store");
  const opening = async () => {
    const opened = typeof store === "function" ? await store() : store;
    if (!isStore(opened)) throw new InvalidLimit("store", opened, "a store, such as sqliteStore(file)");
    return opened;
  };
  let opened: Promise<Store> | undefined;
  return () => {
    opened ??= opening().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
