import { type FauxResponseStep, fauxAssistantMessage, getCurrentTools } from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { keepsWorking, openSession, works } from "./open-session.ts";

type Opened = Awaited<ReturnType<typeof openSession>>;

/** Every tool call of the transcript, with whether it was answered. */
function orphans(pi: Opened): string[] {
  const messages = pi.session.messages;
  const answered = new Set(messages.flatMap((m) => (m.role === "toolResult" ? [m.toolCallId] : [])));
  return messages.flatMap((m) =>
    m.role === "assistant"
      ? m.content.flatMap((c) => (c.type === "toolCall" && !answered.has(c.id) ? [c.id] : []))
      : [],
  );
}

function recordsTools(seen: number[], answer: FauxResponseStep): FauxResponseStep {
  return (context, options, state, model) => {
    seen.push(getCurrentTools(context.messages).length);
    return typeof answer === "function" ? answer(context, options, state, model) : answer;
  };
}

test("the call after the last admitted one does not run, and the run ends with an error [StepTaken] [CallRaises]", async () => {
  await using pi = await openSession({ person: {} });
  pi.answersWith(...keepsWorking(10));
  await pi.session.prompt("/step-limit 3");

  await pi.session.prompt("go");

  expect(pi.executed).toHaveLength(3);
  expect(pi.requests()).toBe(4);
  expect(pi.notes.at(-1)).toBe("Step limit exceeded (3).");
  expect(pi.outcomes()).toMatchObject([{ outcome: "stopped", limit: "steps", steps: 3, turns: 4 }]);
  expect(pi.session.messages.at(-1)).toMatchObject({
    stopReason: "aborted",
    errorMessage: /^Step limit exceeded \(3\)/,
  });
});

test("of 6 parallel calls with 2 left exactly the first 2 run, and none is left without a result", async () => {
  await using pi = await openSession();
  pi.answersWith(works(6), works());
  await pi.session.prompt("/step-limit 2");

  await pi.session.prompt("go");

  const calls = pi.session.messages
    .flatMap((m) => (m.role === "assistant" ? m.content : []))
    .flatMap((c) => (c.type === "toolCall" ? [c.id] : []));
  expect(pi.executed).toEqual(calls.slice(0, 2));
  expect(pi.requests()).toBe(1);
  expect(orphans(pi)).toEqual([]);
});

test("out of steps, the model answers once without tools, and the run is salvaged [CallSynthesizes] [RunEndsSalvaged]", async () => {
  const tools: number[] = [];
  await using pi = await openSession();
  pi.answersWith(recordsTools(tools, works(6)), recordsTools(tools, fauxAssistantMessage("what I know")));
  await pi.session.prompt("/step-limit 2 synthesize");

  await pi.session.prompt("go");

  expect(pi.executed).toHaveLength(2);
  expect(tools).toEqual([1, 0]);
  expect(pi.session.getLastAssistantText()).toBe("what I know");
  expect(pi.outcomes()).toMatchObject([{ outcome: "salvaged", limit: "steps", steps: 2, turns: 2 }]);
  expect(orphans(pi)).toEqual([]);
});

test("a model that calls a tool without having any is stopped: never a second pass [SynthesisNeverRepeats]", async () => {
  await using pi = await openSession();
  pi.answersWith(works(3), ...keepsWorking(10));
  await pi.session.prompt("/step-limit 2 synthesize");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(2);
  expect(pi.executed).toHaveLength(2);
  expect(pi.outcomes()).toMatchObject([{ outcome: "stopped", limit: "steps" }]);
  expect(orphans(pi)).toEqual([]);
});

test("the tools are back at the next prompt, whatever became of the pass", async () => {
  const tools: number[] = [];
  const failed = fauxAssistantMessage([], { stopReason: "error", errorMessage: "bad request" });
  await using pi = await openSession();
  pi.answersWith(
    works(3),
    failed,
    recordsTools(tools, works()),
    recordsTools(tools, fauxAssistantMessage("done")),
  );
  await pi.session.prompt("/step-limit 2 synthesize");

  await pi.session.prompt("go");
  await pi.session.prompt("again");

  expect(tools).toEqual([1, 1]);
  expect(pi.outcomes()).toMatchObject([{ outcome: "failed", limit: "steps" }]);
});

test("the pass is exempt from the turn limit, and a retry of it is the same pass, announced once", async () => {
  const overloaded = fauxAssistantMessage([], { stopReason: "error", errorMessage: "529 overloaded_error" });
  const tools: number[] = [];
  await using pi = await openSession({ person: {} });
  pi.answersWith(
    works(3),
    recordsTools(tools, overloaded),
    recordsTools(tools, fauxAssistantMessage("what I know")),
  );
  await pi.session.prompt("/turn-limit 1");
  await pi.session.prompt("/step-limit 2 synthesize");

  await pi.session.prompt("go");

  expect(tools).toEqual([0, 0]);
  expect(pi.notes.filter((note) => note.includes("without tools"))).toHaveLength(1);
  expect(pi.outcomes()).toMatchObject([{ outcome: "salvaged", turns: 2 }]);
});

test("without anyone to ask, the turn limit can end with an answer too [LimitSynthesizes]", async () => {
  const tools: number[] = [];
  await using pi = await openSession({ config: { turns: { max: 2, headless: "synthesize" } } });
  pi.answersWith(...keepsWorking(2), recordsTools(tools, fauxAssistantMessage("what I know")));

  await pi.session.prompt("go");

  expect(tools).toEqual([0]);
  expect(pi.requests()).toBe(3);
  expect(pi.outcomes()).toMatchObject([{ outcome: "salvaged", limit: "turns", turns: 3 }]);
});
