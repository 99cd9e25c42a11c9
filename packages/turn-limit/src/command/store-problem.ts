import { isInvalidLimit } from "../core/errors/invalid-limit.ts";
import { isStoreError } from "../core/errors/store-error.ts";
import { CommandError, cannotBeDone, wrongInput } from "./command-error.ts";
import { shownAddress } from "./store-address.ts";

/** What a person is told when the store at an address cannot be used. */
export function storeProblem(address: string, error: unknown): Error {
  // A StoreError says itself which store it is.
  if (error instanceof CommandError || isStoreError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `The store ${shownAddress(address)} cannot be used. ${why}`;
  return isInvalidLimit(error) ? wrongInput(message) : cannotBeDone(message);
}
