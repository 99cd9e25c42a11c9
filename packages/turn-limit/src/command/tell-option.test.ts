import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";
import { readTell } from "./tell-option.ts";

const typed = (...args: string[]) => parseArguments(args, { tell: "shares", json: "flag" }, true);

test.each<[string[], unknown, string[]]>([
  [["--tell", "claude", "-p"], { at: [80, 90, 95] }, ["claude", "-p"]],
  [["--tell", "--json", "--", "claude"], { at: [80, 90, 95] }, ["claude"]],
  [["--tell", "50,90", "claude"], { at: [50, 90] }, ["claude"]],
  [["--tell", "50", "--", "claude"], { at: [50] }, ["claude"]],
  [["--tell=90%,50%", "claude"], { at: [50, 90] }, ["claude"]],
  [["--tell", "every-turn", "claude"], { at: "every turn" }, ["claude"]],
  [["claude"], false, ["claude"]],
])("%j says when the model is told", (args, tell, words) => {
  const { options, words: rest } = typed(...args);
  expect(readTell(options.tell)).toEqual(tell);
  expect(rest).toEqual(words);
});

test.each(["0", "50,101", "always", "50;90", "50,", ""])(
  "--tell=%s is refused with what to write",
  (given) => {
    expect(() => readTell(given)).toThrow(
      "Use shares in percent, above 0 and up to 100, such as 80,90,95, or every-turn",
    );
  },
);

test("a word between --tell and -- is its value", () => {
  expect(() => readTell(typed("--tell", "always", "--", "claude").options.tell)).toThrow(
    '"always" from --tell',
  );
});

test("the line is worded by --tell-message, which names what it says", () => {
  const message = "{left} of {max} left";
  expect(readTell("50", message)).toEqual({ at: [50], message });
  expect(() => readTell(undefined, message)).toThrow("--tell-message needs --tell");
  for (const bad of ["Hurry.", "{rest} left", ""])
    expect(() => readTell(true, bad)).toThrow("from --tell-message says nothing of a limit. Use a text with");
});
