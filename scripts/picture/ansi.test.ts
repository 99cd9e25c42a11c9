import { expect, test } from "vitest";
import { readScreen, type Style } from "./ansi.ts";

const styleOf = (codes: string): Style | undefined => readScreen(`\x1b[${codes}mx`)[0]?.[0]?.style;

test("plain text is one run without a style", () => {
  expect(readScreen("Turns: 5/5\n")).toEqual([[{ column: 0, text: "Turns: 5/5", style: {} }]]);
});

test("a colour begins a run in the column where it appears", () => {
  expect(readScreen("→ \x1b[38;2;204;102;102mred")).toEqual([
    [
      { column: 0, text: "→ ", style: {} },
      { column: 2, text: "red", style: { fg: "#cc6666" } },
    ],
  ]);
});

test("a style lasts over the end of the line", () => {
  expect(readScreen("\x1b[48;5;236ma\nb\x1b[49m")[1]).toEqual([
    { column: 0, text: "b", style: { bg: "#303030" } },
  ]);
});

test("a line that was never written to has no runs", () => {
  expect(readScreen("a\n\nb")[1]).toEqual([]);
});

test.each<[string, Style]>([
  ["31", { fg: "#cd3131" }],
  ["92", { fg: "#23d18b" }],
  ["44", { bg: "#2472c8" }],
  ["103", { bg: "#f5f543" }],
  ["38;5;1", { fg: "#cd3131" }],
  ["38;5;69", { fg: "#5f87ff" }],
  ["48;5;255", { bg: "#eeeeee" }],
  ["1;2;3;4;7", { bold: true, dim: true, italic: true, underline: true, inverse: true }],
  ["1;38;2;1;2;3;48;5;16", { bold: true, fg: "#010203", bg: "#000000" }],
  ["31;44;39", { bg: "#2472c8" }],
  ["31;44;49", { fg: "#cd3131" }],
  ["31;1;0", {}],
  ["31;", {}],
  ["1;2;22", { bold: false, dim: false }],
  ["7;27", { inverse: false }],
])("the codes %s", (codes, style) => {
  expect(styleOf(codes)).toEqual(style);
});
