import { expect, test } from "vitest";
import { readScreen } from "./ansi.ts";
import { drawSvg } from "./svg.ts";

const draw = (ansi: string) =>
  drawSvg({
    title: "pi",
    description: "a screen",
    madeFrom: "commit 12345",
    columns: 20,
    lines: readScreen(ansi),
  });

test("a picture says what it was made from", () => {
  expect(draw("ab")).toContain("<metadata>Made by npm run picture from commit 12345</metadata>");
});

test("text stands in its column, as wide as its cells, in its colour", () => {
  expect(draw("ab \x1b[1;38;2;1;2;3mcd e")).toContain(
    '<text x="41.2" y="64.4" textLength="33.6" fill="#010203" font-weight="bold">cd e</text>',
  );
});

test("words with a wide gap between them are placed on their own", () => {
  const svg = draw("left      right");
  expect(svg).toContain('x="16" y="64.4" textLength="33.6">left<');
  expect(svg).toContain('x="100" y="64.4" textLength="42">right<');
});

test("blanks with a background are drawn, in one box with their neighbours", () => {
  const svg = draw("\x1b[48;5;16m  \x1b[1mab\x1b[22m  ");
  expect(svg.match(/fill="#000000"/g)).toHaveLength(1);
  expect(svg).toContain('<rect x="16" y="50" width="50.4" height="19.5" fill="#000000"/>');
});

test("inverse text swaps its colours, the terminal's own included", () => {
  const svg = draw("\x1b[7mX");
  expect(svg).toContain('height="19.5" fill="#d4d4d4"/>');
  expect(svg).toContain('fill="#18181e">X</text>');
});

test("a horizontal rule is a line without gaps", () => {
  expect(draw("──────")).toContain('<rect x="16" y="59.5" width="50.4" height="1" fill="#d4d4d4"/>');
});

test("what is special to SVG is escaped", () => {
  expect(draw('a<b & "c"')).toContain(">a&lt;b &amp; &quot;c&quot;</text>");
});
