import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { LastAction } from "./last-action.ts";

/** A loop that waits for what the person sends, as Pi's does. */
function loopOf(handle: () => Promise<void>): () => void {
  let send = () => {};
  void (async () => {
    for (;;) {
      await new Promise<void>((resolve) => {
        send = resolve;
      });
      await handle();
    }
  })();
  return () => send();
}

test("what a loop does with what the person sends follows from it, what was at work before does not", async () => {
  const action = new LastAction();
  const seen: Record<string, boolean> = {};
  const before = pause(20).then(() => {
    seen.before = action.isCause;
  });
  let handled = Promise.resolve();
  const send = loopOf(async () => {
    handled = pause(30).then(() => {
      seen.command = action.isCause;
    });
    await handled;
  });
  setImmediate(() => {
    action.begins();
    send();
  });
  await before;
  await handled;
  expect(seen).toEqual({ before: false, command: true });
});

test("without an act, and once it has ended, nothing is left out", async () => {
  const action = new LastAction();
  expect(action.isCause).toBe(true);
  const later = new Promise<boolean>((resolve) => setTimeout(() => resolve(action.isCause), 1));
  action.begins();
  action.ends();
  expect(await later).toBe(true);
});
