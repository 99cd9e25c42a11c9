import { expect, test } from "vitest";
import { matches } from "../../test/helpers/limits-panel.ts";
import { type Binding, isDismissal, readKey, sendsText } from "./key-press.ts";

const read = (data: string) => readKey(data, matches);

test.for<[Binding, string[]]>([
  ["tui.select.up", ["\x1b[A", "\x1bOA", "\x1b[1;1A", "\x1b[57419u"]],
  ["tui.select.down", ["\x1b[B", "\x1bOB", "\x1b[1;129B"]],
  ["tui.select.confirm", ["\r", "\n", "\x1b[13u", "\x1b[57414u"]],
  ["tui.select.cancel", ["\x1b", "\x1b[27u", "\x03", "\x1b[99;5u"]],
  ["tui.editor.cursorLineStart", ["\x1b[H", "\x1bOH", "\x1b[1~", "\x01"]],
  ["tui.editor.cursorLineEnd", ["\x1b[F", "\x1bOF", "\x1b[4~", "\x05"]],
  ["tui.editor.deleteCharBackward", ["\x7f", "\x1b[127u"]],
])("%s is told in every protocol, and writes nothing", ([binding, sequences]) => {
  for (const data of sequences) {
    expect(read(data).is(binding), JSON.stringify(data)).toBe(true);
    expect(read(data).text).toBe("");
  }
});

test.for([
  ["k", "k"],
  ["世", "世"],
  ["\x1b[107u", "k"],
  ["\x1b[107;1:2u", "k"],
  ["\x1b[107:75;2u", "K"],
  ["\x1b[107;65u", "k"],
  ["\x1b[27;2;75~", "K"],
  ["\x1b[57399u", "0"],
  ["\x1b[57408;129u", "9"],
  ["\x1b[57409u", "."],
] as const)("%j writes %j", ([data, text]) => {
  expect(read(data).text).toBe(text);
  expect(read(data).letter).toBe(text.toLowerCase());
});

test.for(["\x1b[107;5u", "\x1b[107;3u", "\x1b[57428u", "\x1b[99999999u", "\x1bk", "\x1b[5~", "\x00"])(
  "%j writes nothing",
  (data) => {
    expect(read(data).text).toBe("");
  },
);

test("a paste writes one line, and is neither a command nor a key", () => {
  const paste = read("\x1b[200~ 25\n grace\t3 \x1b[201~");
  expect(paste.text).toBe("25  grace 3");
  expect(read("\x1b[200~q\x1b[201~")).toMatchObject({ text: "q", letter: "" });
  expect(read("\x1b[200~\r\x1b[201~").is("tui.select.confirm")).toBe(false);
});

test.for(["\x12", "\x1b[114;5u", "\x1b[114;69u", "\x1b[27;5;114~"])("%j is Ctrl+R", (data) => {
  expect(read(data)).toMatchObject({ control: "r", text: "" });
});

test.for(["r", "\x1b[114u", "\x1b[114;7u", "\x1b[114;5:3u", "\x1b[200~\x12\x1b[201~"])(
  "%j is not Ctrl+R",
  (data) => {
    expect(read(data).control).toBe("");
  },
);

test("a key that is let go writes nothing and is no key; one that is held is told from one that is pressed", () => {
  for (const data of ["\x1b[13;1:3u", "\x1b[121;1:3u", "\x1b[1;1:3A"]) {
    expect(read(data)).toMatchObject({ phase: "released", text: "", letter: "" });
    expect(read(data).is("tui.select.confirm") || read(data).is("tui.select.up")).toBe(false);
  }
  expect(read("\x1b[13;1:2u").phase).toBe("held");
  expect([read("\x1b[13u").phase, read("\r").phase, read("y").phase]).toEqual(Array(3).fill("pressed"));
});

test.for([
  "\r",
  "\x1bOM",
  "\x1b[13u",
  "\x1b[13;129u",
  "\x1b[13;193:2u",
  "\x1b[57414;129u",
  "\x1b[27;1;13~",
  "\x1b\r",
  "\x1b[13;3u",
  "\x1b[13;131u",
])("%j is Enter, and dismisses nothing", (data) => {
  expect(sendsText(data)).toBe(true);
  expect(isDismissal(data)).toBe(false);
});

test.for(["\x1b", "\x1b[27u", "\x1b[27;129u", "\x03", "\x1b[99;5u", "\x1b[99;133u", "\x1b[27;5;99~"])(
  "%j dismisses, and is not Enter",
  (data) => {
    expect(isDismissal(data)).toBe(true);
    expect(sendsText(data)).toBe(false);
  },
);

test.for([
  "\n",
  "\x1b[13;2u",
  "\x1b[27;2;13~",
  "\x1b[13;1:3u",
  "\x1b[27;1:3u",
  "\x1b[99;5:3u",
  "\x1b[27;3u",
  "c",
  "\x1b[200~\r\x1b[201~",
])("%j is neither Enter nor a dismissal", (data) => {
  expect(sendsText(data) || isDismissal(data)).toBe(false);
});
