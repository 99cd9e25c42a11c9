import { fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { createAnotherTurn } from "./another-turn.ts";

function calling(...ids: string[]) {
  return fauxAssistantMessage(ids.map((id) => fauxToolCall("work", {}, { id })));
}

test("another turn comes when the last result of the turn is in", () => {
  const turn = createAnotherTurn();
  turn.answered(calling("a", "b"));
  turn.toolEnded("a", false);
  turn.toolEnded("b", false);
  expect(turn.resultArrived("a")).toBe(false);
  expect(turn.resultArrived("b")).toBe(true);
});

test("no turn comes when every call of the batch wants the run to end", () => {
  const turn = createAnotherTurn();
  turn.answered(calling("a", "b"));
  turn.toolEnded("a", true);
  turn.toolEnded("b", true);
  turn.resultArrived("a");
  expect(turn.resultArrived("b")).toBe(false);
});

test("one call that does not want it keeps the run going", () => {
  const turn = createAnotherTurn();
  turn.answered(calling("a", "b"));
  turn.toolEnded("a", true);
  turn.toolEnded("b", false);
  turn.resultArrived("a");
  expect(turn.resultArrived("b")).toBe(true);
});

test("the results of an earlier turn, and of calls made by other tools, say nothing", () => {
  const turn = createAnotherTurn();
  turn.answered(calling("a"));
  turn.answered(fauxAssistantMessage([fauxText("done")]));
  turn.toolEnded("a", false);
  turn.toolEnded("a/1", false);
  expect(turn.resultArrived("a")).toBe(false);
  expect(turn.resultArrived("a/1")).toBe(false);
});
