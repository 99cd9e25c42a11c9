import { expect, test } from "vitest";
import { saidTell, tellText } from "./said-tell.ts";

test.each<[string, unknown, string]>([
  ["on", { at: [80, 90, 95] }, "80,90,95"],
  ["Off", false, "off"],
  ["every-turn", { at: "every turn" }, "every-turn"],
  ["every turn", { at: "every turn" }, "every-turn"],
  ["90%, 50", { at: [50, 90] }, "50,90"],
])("%j says when the model is told, and is written again", (text, tell, written) => {
  const read = saidTell(text);
  expect(read).toEqual(tell);
  expect(tellText(read ?? false)).toBe(written);
  expect(saidTell(written)).toEqual(tell);
});

test.each(["", "0", "101", "50,", "yes", "always", "50;90"])("%j says nothing of it", (text) => {
  expect(saidTell(text)).toBeUndefined();
});
