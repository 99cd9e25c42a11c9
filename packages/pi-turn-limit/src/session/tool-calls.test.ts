import { fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { CallsOfTurn } from "./tool-calls.ts";

function calling(...ids: string[]) {
  return fauxAssistantMessage(ids.map((id) => fauxToolCall("work", {}, { id })));
}

test("another turn comes when the last result of the turn is in", () => {
  const turn = new CallsOfTurn();
  turn.answered(calling("a", "b"));
  turn.ended("a", false);
  turn.ended("b", false);
  expect(turn.arrived("a")).toBe(false);
  expect(turn.arrived("b")).toBe(true);
});

test("no turn comes when every call of the batch wants the run to end", () => {
  const turn = new CallsOfTurn();
  turn.answered(calling("a", "b"));
  turn.ended("a", true);
  turn.ended("b", true);
  turn.arrived("a");
  expect(turn.arrived("b")).toBe(false);
});

test("one call that does not want it keeps the run going", () => {
  const turn = new CallsOfTurn();
  turn.answered(calling("a", "b"));
  turn.ended("a", true);
  turn.ended("b", false);
  turn.arrived("a");
  expect(turn.arrived("b")).toBe(true);
});

test("the results of an earlier turn, and of calls made by other tools, say nothing", () => {
  const turn = new CallsOfTurn();
  turn.answered(calling("a"));
  turn.answered(fauxAssistantMessage([fauxText("done")]));
  turn.ended("a", false);
  turn.ended("a/1", false);
  expect(turn.arrived("a")).toBe(false);
  expect(turn.arrived("a/1")).toBe(false);
});
