import { expect, test } from "vitest";
import { limit, matches, settable } from "../../../test/helpers/limits-panel.ts";
import { readKey } from "../../person/key-press.ts";
import { textOf } from "../text-field.ts";
import type { LimitRow } from "./limit-rows.ts";
import { JUST_OPENED, type PanelState, press } from "./panel-state.ts";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const RIGHT = "\x1b[C";
const LEFT = "\x1b[D";
const HOME = "\x1b[H";
const END = "\x1b[F";
const DELETE = "\x1b[3~";
const BACKSPACE = "\x7f";
const ENTER = "\r";
const ESCAPE = "\x1b";
const CTRL_K = "\x0b";
const CTRL_U = "\x15";
const CTRL_W = "\x17";

/** Presses one key after the other in a panel that has just been opened. */
function after(rows: readonly LimitRow[], ...keys: string[]): PanelState | "closed" {
  let state: PanelState | "closed" = JUST_OPENED;
  for (const key of keys) {
    if (state === "closed") throw new Error("It is closed already.");
    state = press(state, readKey(key, matches), rows);
  }
  return state;
}

/** What is being edited after these keys, with a bar where the cursor is. */
function edited(...keys: string[]): string | undefined {
  const state = after(settable().rows(), ENTER, ...keys);
  if (state === "closed" || !state.field) return undefined;
  return `${state.field.before}|${state.field.after}`;
}

test.for<[string[], string]>([
  [[DOWN], "steps"],
  [["j", "j"], "tokens"],
  [[DOWN, DOWN, DOWN, DOWN], "tokens"],
  [[DOWN, DOWN, UP], "steps"],
  [[DOWN, "k", "k"], "turns"],
  [[END], "tokens"],
  [[END, HOME], "turns"],
])("%j selects %s", ([keys, selected]) => {
  expect(after(settable().rows(), ...keys)).toMatchObject({ selected });
});

test.for([ESCAPE, "q", "Q", "\x1b[113u", "\x03"])("%j closes the panel", (key) => {
  expect(after(settable().rows(), key)).toBe("closed");
});

test("the selection stays with its limit when others come and go", () => {
  const selected = after(settable().rows(), DOWN) as PanelState;
  const rows = [limit({ key: "new" }), ...settable().rows()];
  expect(press(selected, readKey(DOWN, matches), rows)).toMatchObject({ selected: "tokens" });
  expect(press(selected, readKey(DOWN, matches), [limit(), limit({ key: "b" })])).toMatchObject({
    selected: "b",
  });
});

test.for<[string[], string]>([
  [[], "25 grace 3|"],
  [["5", "0"], "50|"],
  [["\x1b[200~50 stop\x1b[201~"], "50 stop|"],
  [[LEFT, RIGHT, "0"], "25 grace 30|"],
  [[END, "0"], "25 grace 30|"],
  [[BACKSPACE, "4", "0"], "25 grace 40|"],
  [[BACKSPACE, "4"], "25 grace 4|"],
  [[LEFT, LEFT, "x"], "25 gracex| 3"],
  [[HOME, DELETE, "7", END, "0"], "75 grace 30|"],
  [[HOME, RIGHT, RIGHT, CTRL_K], "25|"],
  [[CTRL_W], "25 grace |"],
  [[CTRL_U, "50k"], "50k|"],
  [[CTRL_U, "q", "u", "j"], "quj|"],
  [[CTRL_U, "\x1b[200~un\nlimited\x1b[201~"], "un limited|"],
  [[CTRL_U, "👍", "a", LEFT, BACKSPACE], "|a"],
  [[HOME, BACKSPACE, LEFT], "|25 grace 3"],
])("editing %j leaves %s", ([keys, text]) => {
  expect(edited(...keys)).toBe(text);
});

test("Enter sets what was typed, and ends the editing", () => {
  const { rows, said } = settable();
  expect(after(rows(), DOWN, ENTER, CTRL_U, " 4", "0 ", ENTER)).toEqual({
    ...JUST_OPENED,
    selected: "steps",
    setTogether: ["steps"],
  });
  expect(said).toEqual(["40"]);
});

test("Escape ends the editing, and sets nothing", () => {
  const { rows, said } = settable();
  expect(after(rows(), ENTER, CTRL_U, "40", ESCAPE)).toMatchObject({ selected: "turns", field: undefined });
  expect(said).toEqual([]);
});

test("a refusal is shown and the text stays, until something is typed", () => {
  const { rows, said } = settable();
  const refused = after(rows(), ENTER, CTRL_U, "many", ENTER) as PanelState;
  expect(refused.refusal).toBe('"many" is not allowed.');
  expect(refused.field && textOf(refused.field)).toBe("many");
  expect(press(refused, readKey("!", matches), rows())).toMatchObject({ refusal: "" });
  expect(said).toEqual([]);
});

test.for(["u", "U", "y", ENTER])("u asks first, and %j takes the limit away", (confirmation) => {
  const { rows, said } = settable();
  expect(after(rows(), DOWN, "u")).toMatchObject({ selected: "steps", field: undefined });
  expect(said).toEqual([]);
  expect(after(rows(), DOWN, "u", confirmation)).toEqual({
    ...JUST_OPENED,
    selected: "steps",
    setTogether: ["steps"],
  });
  expect(said).toEqual(["unlimited"]);
});

test.for([ESCAPE, UP, DOWN, HOME, "x", "q", BACKSPACE, "\x1b[200~u\x1b[201~"])(
  "after u, %j leaves the limit as it is, and the panel open",
  (key) => {
    const { rows, said } = settable();
    expect(after(rows(), "u", key)).toMatchObject({ asks: undefined, field: undefined });
    expect(after(rows(), "u", key, "u")).toMatchObject({ asks: "unlimited" });
    expect(said).toEqual([]);
  },
);

test("a refusal of unlimited is shown until another key is pressed", () => {
  const bounded = [limit({ set: () => ({ refusal: "Your settings allow 50 at most." }) })];
  expect(after(bounded, "u", "u")).toMatchObject({ refusal: "Your settings allow 50 at most." });
  expect(after(bounded, "u", "u", UP)).toMatchObject({ refusal: "" });
});

test("a limit that fails to be set is a refusal", () => {
  const broken = limit({
    set: () => {
      throw new Error("The disk is full.");
    },
  });
  expect(after([broken], "u", "u")).toMatchObject({ refusal: "The disk is full." });
});

test("editing ends when its limit goes away", () => {
  const editing = after(settable().rows(), DOWN, ENTER) as PanelState;
  const left = settable()
    .rows()
    .filter(({ key }) => key !== "steps");
  expect(press(editing, readKey("5", matches), left)).toMatchObject({ selected: "turns", field: undefined });
});

test("without limits there is nothing to do but close it", () => {
  expect(after([], UP, DOWN, END, ENTER, "u", ESCAPE)).toBe("closed");
});

test("s asks first, then saves the limit and says where, or why not", () => {
  const saves = (isSaved: boolean) => [
    limit({ save: () => ({ isSaved, text: isSaved ? "Saved." : "The disk is full." }) }),
  ];
  expect(after(saves(true), "s")).toMatchObject({ asks: "save", notice: "" });
  for (const key of ["u", "x", ESCAPE, DOWN])
    expect(after(saves(true), "s", key)).toMatchObject({ asks: undefined, notice: "" });
  for (const key of ["s", ENTER])
    expect(after(saves(true), "s", key)).toMatchObject({ notice: "Saved.", refusal: "" });
  expect(after(saves(true), "s", "s", DOWN)).toMatchObject({ notice: "" });
  expect(after(saves(false), "s", "s")).toMatchObject({ notice: "", refusal: "The disk is full." });
});

/** A cost limit that takes one for a day, too, and says in `saved` which was saved. */
function costRows() {
  const saved: string[] = [];
  const row = (key: string, rows: readonly string[]) =>
    limit({
      key,
      set: () => ({ rows }),
      save: () => {
        saved.push(key);
        return { isSaved: true, text: "Saved." };
      },
    });
  return {
    saved,
    rows: (set: readonly string[]) => [row("cost", set), row("cost per day", []), row("time", [])],
  };
}

test("what was typed is what s saves, also where it is another limit than the one it was typed at", () => {
  const { rows, saved } = costRows();
  const set = after(rows(["cost per day"]), ENTER, "0.10 per day", ENTER);
  expect(set).toMatchObject({ selected: "cost per day", field: undefined });
  after(rows(["cost per day"]), ENTER, "0.10 per day", ENTER, "s", "s");
  expect(saved).toEqual(["cost per day"]);
});

test("several limits of one text are saved together, until another one is selected", () => {
  const together = costRows();
  const both = ["cost", "cost per day"];
  expect(after(together.rows(both), ENTER, "2, 20 per day", ENTER, "s", "y")).toMatchObject({
    selected: "cost",
    notice: "Saved.",
  });
  expect(together.saved).toEqual(both);
  const apart = costRows();
  after(apart.rows(both), ENTER, "2, 20 per day", ENTER, DOWN, "s", "y");
  expect(apart.saved).toEqual(["cost per day"]);
});

test("what is taken back leaves the selection where it is", () => {
  const { rows } = costRows();
  expect(after(rows([]), DOWN, ENTER, "default", ENTER)).toMatchObject({ selected: "cost per day" });
});
