import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("a result that comes first is the result, and nobody listens to the signal any more", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(signal, Promise.resolve("done"), () => "aborted")).toBe("done");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort that comes first ends the wait, also if it came before", async () => {
  const controller = new AbortController();
  const waiting = untilAborted(controller.signal, new Promise(() => {}), () => "aborted");
  controller.abort();
  expect(await waiting).toBe("aborted");
  expect(await untilAborted(controller.signal, new Promise(() => {}), () => "aborted")).toBe("aborted");
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("what stands for the result may be an error, and is only made if it is needed", async () => {
  const fails = () => {
    throw new Error("aborted");
  };
  expect(await untilAborted(new AbortController().signal, 1, fails)).toBe(1);
  await expect(untilAborted(AbortSignal.abort(), new Promise(() => {}), fails)).rejects.toThrow("aborted");
});
