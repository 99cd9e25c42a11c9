import { cut, flow, oneLine, wrap } from "../../core.ts";
import type { ScreenTheme } from "../screen.ts";
import { viewOf } from "../text-field.ts";
import type { Question } from "./question.ts";
import { type Focus, hasKeys, type QuestionState, SUMMONS } from "./question-state.ts";

const MARGIN = " ";
const MARK = "→ ";

/** Draws the question above the editor; no line is wider than `width`. */
export function renderQuestion(
  question: Question,
  state: QuestionState,
  focus: Focus,
  width: number,
  theme: ScreenTheme,
): string[] {
  const margin = width > MARGIN.length ? MARGIN : "";
  const room = width - margin.length;
  const isOurs = hasKeys(state, focus);
  const title = wrap(oneLine(question.title), room).map((line) => theme.fg("accent", theme.bold(line)));
  const choices = question.entries.map(({ label }, index) => {
    const isSelected = isOurs && index === state.selected;
    const line = cut(`${isSelected ? MARK : " ".repeat(MARK.length)}${oneLine(label)}`, room);
    return theme.fg(isSelected ? "accent" : isOurs ? "text" : "dim", line);
  });
  const message = wrap(oneLine(question.message), room).map((line) => theme.fg("text", line));
  const lines = [
    ...title,
    ...(state.field ? amountLines(question, state, room, theme) : [...message, "", ...choices]),
    "",
    ...flow(hints(state, focus), " · ", room).map((line) => theme.fg(isOurs ? "dim" : "warning", line)),
  ];
  return [theme.fg("border", "─".repeat(width)), ...lines.map((line) => margin + line)];
}

function amountLines(
  { amountAsked, amountToUse, notAnAmount }: Question,
  { field, refused }: QuestionState,
  room: number,
  theme: ScreenTheme,
): string[] {
  const [said, colour] =
    refused === undefined ? ([amountAsked, "text"] as const) : ([notAnAmount(refused), "error"] as const);
  const { before, cursor, after } = viewOf(field ?? { before: "", after: "" }, Math.max(2, room - 2));
  return [
    ...wrap(oneLine(said), room).map((line) => theme.fg(colour, line)),
    ...wrap(amountToUse, room).map((line) => theme.fg("dim", line)),
    "",
    room < 4 ? "" : `> ${before}${theme.inverse(cursor)}${after}`,
  ];
}

function hints(state: QuestionState, focus: Focus): string[] {
  if (focus === "elsewhere") return ["Waits for the other dialog"];
  if (!hasKeys(state, focus))
    return [
      "Waits while you type: send or clear your text to answer",
      `Ctrl+${SUMMONS.toUpperCase()} answers now`,
    ];
  if (state.field) return ["Enter continues", "Escape goes back"];
  const enter = state.selected === undefined ? [] : ["Enter answers"];
  return ["↑↓ choose", ...enter, "y yes", "n or Escape no"];
}
