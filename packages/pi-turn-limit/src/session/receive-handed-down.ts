import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { readHandedDown } from "../budgets/handed-down.ts";
import { ParentsBudgets } from "../budgets/parents-budgets.ts";
import { PersonsStore } from "../budgets/persons-store.ts";
import { handedTo, PARENT_VARIABLE } from "../process/handed-variable.ts";

/** What the sessions above this one have handed down to it. */
export interface Received {
  /** The store of the person's budgets: the same as above. */
  readonly store: PersonsStore;
  /** Left out where nothing was handed down. */
  readonly budgets?: ParentsBudgets;
  /** Where something was handed down that cannot be used: nothing may be sent. */
  readonly damaged: readonly string[];
}

/** A session starts: finds out what was handed down to it. `file`: the store of a session that stands on its own. */
export function receiveHandedDown(ctx: ExtensionContext, file: string): Received {
  const text = handedTo(ctx);
  const handed = text === undefined ? undefined : readHandedDown(text);
  const store = new PersonsStore(handed?.store ?? file);
  if (handed) return { store, budgets: new ParentsBudgets(handed, store.store), damaged: [] };
  return { store, damaged: text === undefined ? [] : [PARENT_VARIABLE] };
}
