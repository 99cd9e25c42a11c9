import { expect, test } from "vitest";
import { say } from "./say.ts";

test("what others wrote does nothing in a terminal; lines and colours stay", () => {
  const shown: string[] = [];
  const ctx = { hasUI: true, ui: { notify: (text: string) => shown.push(text) } };
  say(ctx as never, "Answered on \x1b[2J\x1b]52;c;eA==\x07phone\r\0\x9b2J.\n\x1b[97;40mwhite\x1b[39;49m");
  expect(shown).toEqual(["Answered on  [2J ]52;c;eA== phone   2J.\n\x1b[97;40mwhite\x1b[39;49m"]);
});
