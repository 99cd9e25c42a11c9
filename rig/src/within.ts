import { deferred } from "./deferred.ts";

/**
 * How long the drivers wait for something before they report that it hangs: less than the test runner does, and longer
 * than any machine takes that is only slow.
 */
export const patience = 600_000;

/** Waits for `promise`, and after `timeoutMs` fails with the sentence that `describe` gives. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, describe: () => string): Promise<T> {
  const expired = deferred<never>();
  const timer = setTimeout(
    () => expired.reject(new Error(`${describe()} (waited ${timeoutMs} ms)`)),
    timeoutMs,
  );
  try {
    return await Promise.race([promise, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
