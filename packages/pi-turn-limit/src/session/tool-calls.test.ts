import { fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import type { AgentsBelow } from "../agents/agents-below.ts";
import { Run } from "../core.ts";
import type { Counters } from "../display/counters.ts";
import type { Brake } from "./brake.ts";
import { ToolCalls } from "./tool-calls.ts";

/** The calls of a session that has started no agents. */
function toolCalls() {
  const below = { resultArrived: async () => {} } as unknown as AgentsBelow;
  return new ToolCalls(new Run({}), below, {} as Counters, {} as Brake);
}

function calling(...ids: string[]) {
  return fauxAssistantMessage(ids.map((id) => fauxToolCall("work", {}, { id })));
}

test("another turn comes when the last result of the turn is in", async () => {
  const calls = toolCalls();
  calls.answered(calling("a", "b"));
  calls.ended("a", { terminate: false });
  calls.ended("b", { terminate: false });
  expect(await calls.arrived("a", undefined)).toBe(false);
  expect(await calls.arrived("b", undefined)).toBe(true);
});

test("no turn comes when every call of the batch wants the run to end", async () => {
  const calls = toolCalls();
  calls.answered(calling("a", "b"));
  calls.ended("a", { terminate: true });
  calls.ended("b", { terminate: true });
  await calls.arrived("a", undefined);
  expect(await calls.arrived("b", undefined)).toBe(false);
});

test("one call that does not want it keeps the run going", async () => {
  const calls = toolCalls();
  calls.answered(calling("a", "b"));
  calls.ended("a", { terminate: true });
  calls.ended("b", { terminate: false });
  await calls.arrived("a", undefined);
  expect(await calls.arrived("b", undefined)).toBe(true);
});

test("the results of an earlier turn, and of calls made by other tools, say nothing", async () => {
  const calls = toolCalls();
  calls.answered(calling("a"));
  calls.answered(fauxAssistantMessage([fauxText("done")]));
  calls.ended("a", { terminate: false });
  calls.ended("a/1", { terminate: false });
  expect(await calls.arrived("a", undefined)).toBe(false);
  expect(await calls.arrived("a/1", undefined)).toBe(false);
});
