import { expect, test } from "vitest";
import { matches } from "../../../test/helpers/limits-panel.ts";
import { named } from "../../../test/helpers/named.ts";
import { readKey } from "../../person/key-press.ts";
import { questionAbout } from "./question.ts";
import { asked, begunReply, type Focus, hasKeys, type Pressed, press } from "./question-state.ts";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const ENTER = "\r";
const HELD_ENTER = "\x1b[13;1:2u";
const RELEASED_ENTER = "\x1b[13;1:3u";
const ESCAPE = "\x1b";
const BACKSPACE = "\x7f";
const CTRL_C = "\x03";
const CTRL_O = "\x0f";
const CTRL_R = "\x12";
const PASTE_OF_Y = "\x1b[200~y\x1b[201~";

const yesOrNo = questionAbout({ ...named("turns"), used: 25, max: 25 }, "confirm");
const menu = questionAbout({ ...named("turns"), used: 25, max: 25 }, "menu");

/** A question that came while `focus` had the keys, and these keys. What is passed on changes the editor. */
function after(focus: Focus, keys: readonly string[], question = yesOrNo) {
  let state = asked(focus);
  let text = focus === "editor" ? "draft " : "";
  let last: Pressed = { kind: "taken", state };
  for (const data of keys) {
    const now = focus === "elsewhere" ? focus : text === "" ? "empty editor" : "editor";
    const key = readKey(data, matches);
    last = press(state, key, now, question);
    if (last.kind === "answered") return { reply: last.reply, text };
    state = last.state;
    if (last.kind !== "passed" || focus === "elsewhere") continue;
    text += last.before + key.text;
    if (data === ENTER) text = "";
    if (data === BACKSPACE) text = text.slice(0, -1);
  }
  return { reply: undefined, text, state, last };
}

test("of a person who was not typing, the first reply is chosen when the question is shown [QuestionShownAtTerminal]", () => {
  expect(after("empty editor", [ENTER])).toMatchObject({ reply: true });
  expect(after("editor", [ENTER])).toMatchObject({ reply: undefined });
});

test.for<[string[], unknown]>([
  [[ENTER], true],
  [[DOWN, ENTER], false],
  [[DOWN, DOWN, UP, ENTER], true],
  [["y", ENTER], true],
  [["N", ENTER], false],
  [["n", UP, ENTER], true],
  [[RELEASED_ENTER, ENTER], true],
  [[CTRL_O, ENTER], true],
])("a person who was not typing answers with %j: %s [EnterAnswers]", ([keys, reply]) => {
  expect(after("empty editor", keys)).toMatchObject({ reply, text: "" });
});

test.for([[ESCAPE], [CTRL_C], ["n", ESCAPE], ["y", ESCAPE]])(
  "a person who was not typing says no with %j [EscapeDeclines]",
  (keys) => {
    expect(after("empty editor", keys)).toMatchObject({ reply: false, text: "" });
  },
);

test.for(["\n", "\x1b[106;5u", "\x1b[13;2u"])("a new line, %j, begins a message", (data) => {
  expect(after("empty editor", [data]).last).toMatchObject({ kind: "passed", before: "" });
  expect(after("empty editor", ["y", data]).last).toMatchObject({ kind: "passed", before: "y" });
});

test.for<[string, boolean]>([
  ["y", true],
  ["Y", true],
  ["n", false],
])("%s alone begins an answer [LetterAnswers]", ([letter, reply]) => {
  const { state } = after("empty editor", [letter]);
  expect(state && begunReply(state)).toBe(reply);
});

test.for<[string[], string]>([
  [["n", "o", "w"], "now"],
  [["Y", "e", "s", ",", " ", "b", "u", "t"], "Yes, but"],
  [["y", PASTE_OF_Y], "yy"],
  [["j", "k"], "jk"],
  [[" "], " "],
  [[PASTE_OF_Y], "y"],
  [["n", BACKSPACE], ""],
  [["x", BACKSPACE, ENTER], ""],
  [["f", "i", "x", ENTER, ENTER], ""],
  [[HELD_ENTER], ""],
  [[RELEASED_ENTER], ""],
])(
  "%j is a message or nothing, and decides nothing: %j is in the editor [TextIsNoAnswer]",
  ([keys, text]) => {
    expect(after("empty editor", keys)).toMatchObject({ reply: undefined, text });
  },
);

test.for<[string[], string]>([
  [["y"], "draft y"],
  [["n", "o"], "draft no"],
  [[PASTE_OF_Y], "draft y"],
  [[ENTER], ""],
  [[ENTER, ENTER, ENTER], ""],
  [[ESCAPE, UP, DOWN, CTRL_C], "draft "],
])(
  "in the middle of a message %j goes to the editor, and decides nothing [KeyForSomethingElse]",
  ([keys, text]) => {
    expect(after("editor", keys)).toMatchObject({ reply: undefined, text, last: { kind: "passed" } });
  },
);

test.for<[string[], unknown]>([
  [["y", ENTER], true],
  [["n", ENTER], false],
  [[DOWN, ENTER], false],
  [[UP, ENTER], true],
  [[DOWN, UP, ENTER], true],
  [[ESCAPE], false],
])("once the message is sent, %j answers as if it was asked just then: %s", ([keys, reply]) => {
  expect(after("editor", [ENTER, ...keys])).toMatchObject({ reply });
});

test.for<[string[], unknown]>([
  [[ENTER], true],
  [["n", ENTER], false],
  [[DOWN, ENTER], false],
])("Ctrl+R calls for the question, %j answers, and the message stays [QuestionSummoned]", ([keys, reply]) => {
  expect(after("editor", [CTRL_R, ...keys])).toMatchObject({ reply, text: "draft " });
});

test("a message that is continued after Ctrl+R has the keys again", () => {
  expect(after("editor", [CTRL_R, "n", "o", "w", CTRL_O, ENTER, ENTER])).toMatchObject({
    reply: undefined,
    text: "",
  });
  expect(after("editor", [CTRL_R, "x"])).toMatchObject({ text: "draft x" });
});

test("no key decides anything while a dialog, list or overlay is open, nor Enter right after it [KeyForSomethingElse]", () => {
  for (const data of ["y", "n", ENTER, ESCAPE, CTRL_R, DOWN])
    expect(after("elsewhere", [data]).last).toMatchObject({ kind: "passed", before: "" });
  const { state = asked("elsewhere") } = after("elsewhere", [ENTER]);
  expect(hasKeys(state, "empty editor")).toBe(true);
  expect(press(state, readKey(ENTER, matches), "empty editor", yesOrNo).kind).toBe("passed");
});

test("a dialog that opens while the question is there takes the preselection away", () => {
  const opened = press(asked("empty editor"), readKey(ENTER, matches), "elsewhere", yesOrNo);
  expect(opened).toMatchObject({ kind: "passed", state: { selected: undefined } });
});

test.for<[string[], unknown]>([
  [[ENTER], true],
  [["y", ENTER], true],
  [["n", ENTER], false],
  [[DOWN, DOWN, ENTER], "wrap-up"],
  [[DOWN, DOWN, DOWN, ENTER], "unlimited"],
  [[UP, DOWN, DOWN, DOWN, DOWN, DOWN, ENTER], false],
  [[DOWN, ENTER, "7", ENTER], { more: 7 }],
  [[DOWN, ENTER, "7", "0", BACKSPACE, ENTER], { more: 7 }],
  [[DOWN, ENTER, "y", "n", ENTER, "1", "2", ENTER], { more: 12 }],
  [[DOWN, ENTER, "\x1b[200~ 30 \x1b[201~", ENTER], { more: 30 }],
  [[DOWN, ENTER, ESCAPE, UP, ENTER], true],
])("in the menu %j is %j", ([keys, reply]) => {
  expect(after("empty editor", keys, menu)).toMatchObject({ reply, text: "" });
});

test("what is no amount is refused, and asked for again", () => {
  expect(after("empty editor", [DOWN, ENTER, "0", ENTER], menu).state).toMatchObject({
    refused: "0",
    field: { before: "", after: "" },
  });
});
