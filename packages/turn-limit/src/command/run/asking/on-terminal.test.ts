import { expect, test } from "vitest";
import { named } from "../../../../test/helpers/named.ts";
import type { Ask } from "../../../core/governor/decision.ts";
import { askOn } from "./on-terminal.ts";

const TURNS: Ask = { kind: "ask", id: 1, ...named("turns"), used: 25, max: 25 };
const HINT = "[y]es, [n]o, [w]rap up, or how much more, such as 10: ";
const PROMPT = `turn-limit: Turn limit reached (25/25). Continue?\n${HINT}`;

/** A person who types these lines, and then closes the input. */
function typing(...lines: string[]) {
  const terminal = {
    columns: 80,
    text: "",
    write(text: string) {
      terminal.text += text;
    },
    line: async () => lines.shift(),
    close() {},
  };
  return terminal;
}

const open = new AbortController().signal;

test.each([
  ["y", true],
  ["Yes", true],
  ["n", false],
  ["no", false],
  [" w ", "wrap-up"],
  ["7", { more: 7 }],
])("%j is the reply %j", async (line, reply) => {
  const person = typing(line);
  expect(await askOn(person, TURNS, open)).toEqual(reply);
  expect(person.text).toBe(PROMPT);
});

test.each([
  [named("turns"), "No limit of turns any more in this run."],
  [named("requests", { per: "day" }), "No limit of requests per day any more, for everyone who shares it."],
])("only the whole word lifts the limit of $limit, and that is said", async (limit, told) => {
  const person = typing("u", "unlimited");
  expect(await askOn(person, { ...TURNS, ...limit }, open)).toBe("unlimited");
  expect(person.text).toContain('"u" is not a reply.');
  expect(person.text.endsWith(`${HINT}turn-limit: ${told}\n`)).toBe(true);
});

test("Enter alone and what is no reply are asked again", async () => {
  const person = typing("", "lots", "0", "y");
  expect(await askOn(person, TURNS, open)).toBe(true);
  expect(person.text.split(HINT)).toEqual([
    "turn-limit: Turn limit reached (25/25). Continue?\n",
    "",
    '"lots" is not a reply. Use yes, no, unlimited, wrap-up, or an amount of turns.\n',
    expect.stringMatching(/^Invalid amount of turns\. "0" is below 1\. .*\n$/),
    "",
  ]);
});

test("whoever closes the input says no", async () => {
  expect(await askOn(typing(), TURNS, open)).toBe(false);
});

test.each([
  [80, 1],
  [40, 3],
])("a question that is withdrawn disappears from %i columns", async (columns, rows) => {
  const person = { ...typing(), columns };
  const shown: string[] = [];
  person.write = (text) => void shown.push(text);
  expect(await askOn(person, TURNS, AbortSignal.abort())).toBeUndefined();
  expect(shown).toEqual([PROMPT, `\r\x1b[${rows}A\x1b[J`]);
});
