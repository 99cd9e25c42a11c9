import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { cut, endOf, flow, oneLine, shorten, startOf, widthOf, wrap } from "./text-width.ts";

test.for(["Turns", "∞ … → █▏", "é, e\u0301", "时间", "한국어", "ｶﾞ", "👍🏽 👩‍👩‍👧 🇩🇪 ☎️"])(
  "%s is as wide as Pi says",
  (text) => {
    expect(widthOf(text)).toBe(visibleWidth(text));
  },
);

test.for(Array.from({ length: 32 }, (_, block) => block * 0x1000))(
  "no character is wider than it is taken for: the 4,096 from %i on",
  (first) => {
    for (let point = Math.max(first, 0xa0); point < first + 0x1000; point++) {
      const text = String.fromCodePoint(point);
      if (widthOf(text) < visibleWidth(text)) expect.fail(`U+${point.toString(16)}`);
    }
  },
);

test("what does not fit is cut at its end or shortened in its middle, and never through a character", () => {
  expect(cut("bash calls", 10)).toBe("bash calls");
  expect(cut("bash calls", 6)).toBe("bash …");
  expect(cut("时间时间", 6)).toBe("时间…");
  expect(cut("Turns", 0)).toBe("");
  expect(shorten("/home/someone/turn-limit.json", 13)).toBe("/home/…t.json");
  expect(shorten("时间时间时间", 6)).toBe("时…间");
  expect(startOf("a👩‍👩‍👧b", 2)).toBe("a");
  expect(endOf("a👩‍👩‍👧b", 3)).toBe("👩‍👩‍👧b");
});

test("words go on in the next line, and so does a word that is too long for one", () => {
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("see /a/long/path now", 7)).toEqual(["see", "/a/long", "/path", "now"]);
  expect(wrap("时间", 1)).toHaveLength(1);
  expect(flow(["↑↓ move", "Enter edits", "q closes"], " · ", 22)).toEqual([
    "↑↓ move · Enter edits",
    "q closes",
  ]);
});

test("nothing is left for a terminal to act on", () => {
  expect(oneLine("a\nb\tc\x1b[31md")).toBe("a b c [31md");
});
