import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { Act } from "./act.ts";

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
  const act = new Act();
  const seen: Record<string, boolean> = {};
  const before = pause(20).then(() => {
    seen.before = act.isCause;
  });
  let handled = Promise.resolve();
  const send = loopOf(async () => {
    handled = pause(30).then(() => {
      seen.command = act.isCause;
    });
    await handled;
  });
  setImmediate(() => {
    act.begins();
    send();
  });
  await before;
  await handled;
  expect(seen).toEqual({ before: false, command: true });
});

test("without an act, and once it has ended, nothing is left out", async () => {
  const act = new Act();
  expect(act.isCause).toBe(true);
  const later = new Promise<boolean>((resolve) => setTimeout(() => resolve(act.isCause), 1));
  act.begins();
  act.ends();
  expect(await later).toBe(true);
});
