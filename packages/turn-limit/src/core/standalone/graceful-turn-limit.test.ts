import { expect, test, vi } from "vitest";
import { DEFAULT_WRAP_UP_MESSAGE } from "../limits/wrap-up.ts";
import { GracefulTurnLimit } from "./graceful-turn-limit.ts";

function armed(max: number, grace: number, options?: Parameters<typeof GracefulTurnLimit.fromHardCap>[2]) {
  const limit = GracefulTurnLimit.fromHardCap(max, grace, options);
  if (!limit) throw new Error("not armed");
  return limit;
}

function turns(limit: GracefulTurnLimit, count: number): string[] {
  return Array.from({ length: count }, () => {
    limit.turnEnded();
    return limit.nextMessages();
  }).flat();
}

test("with grace 3 of 25 the model is told after 22 completed turns, not before", () => {
  const limit = armed(25, 3);
  expect(limit.softLimit).toBe(22);
  expect(turns(limit, 21)).toEqual([]);
  expect(limit.fired).toBe(false);
  expect(turns(limit, 1)).toEqual([DEFAULT_WRAP_UP_MESSAGE]);
  expect(limit.fired).toBe(true);
});

test("it is told once", () => {
  const limit = armed(5, 2);
  expect(turns(limit, 5)).toHaveLength(1);
});

test("a new round arms it again", () => {
  const limit = armed(5, 2);
  turns(limit, 5);
  limit.reset();
  expect(limit.fired).toBe(false);
  expect(turns(limit, 2)).toEqual([]);
  expect(turns(limit, 1)).toHaveLength(1);
});

test.each([
  [5, 0],
  [5, 5],
  [5, 6],
  [1, 1],
  [0, 0],
  ["unlimited", 3],
] as const)("a limit of %s leaves no room for a grace of %s: no wrap-up at all", (max, grace) => {
  expect(GracefulTurnLimit.fromHardCap(max, grace)).toBeUndefined();
});

test.each([
  [2, 3],
  [0, 4],
  [-7, 4],
  [4, 1],
  [5, 1],
  [999, 1],
  [Number.POSITIVE_INFINITY, 1],
  [2.9, 3],
  [Number.NaN, 4],
  [undefined, 4],
])("a dynamic grace of %s for a limit of 5 is clamped: the model is told after %s turns", (dynamic, soft) => {
  expect(armed(5, 1, { grace: () => dynamic }).softLimit).toBe(soft);
});

test("a dynamic grace is asked for at each check", () => {
  let grace = 1;
  const limit = armed(10, 1, { grace: () => grace });
  expect(turns(limit, 5)).toEqual([]);
  grace = 4;
  expect(turns(limit, 1)).toHaveLength(1);
});

test("the message can be replaced, and is only built when it is sent", () => {
  const message = vi.fn(() => "Finish!");
  const limit = armed(3, 1, { message });
  turns(limit, 1);
  expect(message).not.toHaveBeenCalled();
  expect(turns(limit, 1)).toEqual(["Finish!"]);
  expect(armed(2, 1, { message: "Now." }).nextMessages()).toEqual([]);
});

test.each([-1, 1.5, Number.NaN, "2"])("a static grace of %s is refused", (grace) => {
  expect(() => GracefulTurnLimit.fromHardCap(5, grace as number)).toThrow(
    "turns.grace must be a whole number of 0 or more",
  );
});

test("the default text is a directive and names no product or tool", () => {
  expect(DEFAULT_WRAP_UP_MESSAGE).toMatch(/^Wrap up now\. Stop working and deliver/);
  expect(DEFAULT_WRAP_UP_MESSAGE).not.toMatch(/\b(Pi|turn-limit|bash|Claude|GPT)\b/);
});

test("a message that cannot be made is not lost: it is told the next time", () => {
  let works = false;
  const limit = armed(2, 1, {
    message: () => {
      if (works) return "Finish!";
      throw new Error("not yet");
    },
  });
  limit.turnEnded();
  expect(() => limit.nextMessages()).toThrow("not yet");
  expect(limit.fired).toBe(false);
  works = true;
  expect(limit.nextMessages()).toEqual(["Finish!"]);
});

test("a message that is no text is an error, and not lost either", () => {
  const limit = armed(2, 1, { message: () => undefined as unknown as string });
  limit.turnEnded();
  expect(() => limit.nextMessages()).toThrow("turns.wrapUp.message must be a text, not undefined");
  expect(limit.fired).toBe(false);
});

test.each<[object, string]>([
  [{ message: 5 }, "turns.wrapUp.message"],
  [{ grace: 2 }, "turns.wrapUp.grace"],
  [{ text: "Now." }, "turns.wrapUp.text"],
])("options of %j are refused by the name of what is wrong", (options, setting) => {
  expect(() => GracefulTurnLimit.fromHardCap(5, 1, options)).toThrow(`${setting} `);
});
