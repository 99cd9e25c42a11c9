import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { plain } from "../../../test/helpers/limits-panel.ts";
import { named } from "../../../test/helpers/named.ts";
import { fieldWith } from "../text-field.ts";
import { questionAbout } from "./question.ts";
import { asked, type Focus, type QuestionState } from "./question-state.ts";
import { renderQuestion } from "./render-question.ts";

const yesOrNo = questionAbout({ ...named("turns"), used: 25, max: 25 }, "confirm");
const menu = questionAbout({ ...named("turns"), used: 25, max: 25 }, "menu");

const drawn = (state: QuestionState, focus: Focus, question = yesOrNo) =>
  renderQuestion(question, state, focus, 100, plain)
    .slice(1)
    .map((line) => line.trimEnd());

test("it says what happened, which entry Enter chooses, and which keys answer", () => {
  expect(drawn(asked("empty editor"), "empty editor")).toEqual([
    " Turn limit reached",
    " You've used 25 turns. Continue?",
    "",
    " → Yes · another 25 turns",
    "   No",
    "",
    " ↑↓ choose · Enter answers · y yes · n or Escape no",
  ]);
});

test("while the person is busy with something else no entry is chosen, and it says what it waits for", () => {
  expect(drawn(asked("editor"), "editor").slice(3)).toEqual([
    "   Yes · another 25 turns",
    "   No",
    "",
    " Waits while you type: send or clear your text to answer · Ctrl+R answers now",
  ]);
  expect(drawn(asked("elsewhere"), "elsewhere").at(-1)).toBe(" Waits for the other dialog");
  expect(drawn(asked("editor"), "empty editor").at(-1)).toBe(" ↑↓ choose · y yes · n or Escape no");
});

test("an amount is asked for with an example, and refused with the reason", () => {
  const state = { ...asked("empty editor"), field: fieldWith("12") };
  expect(drawn(state, "empty editor", menu)).toEqual([
    " Turn limit reached",
    " How many more turns?",
    " Use an amount above zero, for example 10.",
    "",
    " > 12",
    "",
    " Enter continues · Escape goes back",
  ]);
  expect(drawn({ ...state, refused: "many" }, "empty editor", menu)[1]).toBe(
    ' "many" is not a number of turns.',
  );
});

test("no line is wider than the terminal", () => {
  const states = [
    asked("empty editor"),
    { ...asked("empty editor"), field: fieldWith("时间".repeat(40)), refused: "x".repeat(90) },
  ];
  for (const focus of ["empty editor", "editor", "elsewhere"] as const)
    for (const state of states)
      for (let width = 1; width <= 110; width++)
        for (const line of renderQuestion(menu, state, focus, width, plain))
          expect(visibleWidth(line), `${width}: ${line}`).toBeLessThanOrEqual(width);
});
