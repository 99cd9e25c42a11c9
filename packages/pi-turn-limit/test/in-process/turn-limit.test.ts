import { fauxAssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { keepsWorking, openSession, works } from "./open-session.ts";

test("an agent that never ends is stopped after 25 requests when nobody can be asked", async () => {
  await using pi = await openSession();
  pi.answersWith(...keepsWorking(40));

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(25);
  expect(pi.executed).toHaveLength(25);
  expect(pi.outcomes()).toMatchObject([
    {
      outcome: "stopped",
      limit: "turns",
      turns: 25,
      rounds: 1,
      steps: 25,
      maxTurns: 25,
      maxSteps: "unlimited",
    },
  ]);
});

test("each yes allows another round, a no ends the run [ContinuationConfirmed] [ContinuationDeclined]", async () => {
  const answers = [true, true, false];
  await using pi = await openSession({ person: { confirm: () => answers.shift() ?? false } });
  pi.answersWith(...keepsWorking(40));
  await pi.session.prompt("/turn-limit 4");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(12);
  expect(pi.notes.filter((note) => note.startsWith("Turn limit reached"))).toHaveLength(3);
  expect(pi.notes.at(-1)).toBe("Agent aborted by user.");
  expect(pi.outcomes()).toMatchObject([{ outcome: "declined", turns: 12, rounds: 3 }]);
});

test("a question that fails is a no [ContinuationDeclined]", async () => {
  await using pi = await openSession({ person: { confirm: () => Promise.reject(new Error("no screen")) } });
  pi.answersWith(...keepsWorking(10));
  await pi.session.prompt("/turn-limit 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(2);
  expect(pi.outcomes()).toMatchObject([{ outcome: "declined" }]);
});

test("a request that fails and is retried is one turn [TurnRetried]", async () => {
  const overloaded = () =>
    fauxAssistantMessage([], { stopReason: "error", errorMessage: "529 overloaded_error" });
  await using pi = await openSession();
  pi.answersWith(works(), overloaded, overloaded, ...keepsWorking(10));
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");

  expect(pi.executed).toHaveLength(3);
  expect(pi.requests()).toBe(5);
});

const compacting = { settings: { compaction: { enabled: true, keepRecentTokens: 1 } } };
const summary = () => fauxAssistantMessage("A summary of what happened so far.");

test("compaction's own request is no turn, and neither is the request that made it necessary [TurnRetried]", async () => {
  const overflow = () =>
    fauxAssistantMessage([], {
      stopReason: "error",
      errorMessage: "prompt is too long: 213462 tokens > 200000 maximum",
    });
  await using pi = await openSession(compacting);
  pi.answersWith(works(), works(), overflow, summary, ...keepsWorking(10));
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");

  expect(pi.session.sessionManager.getEntries().some((entry) => entry.type === "compaction")).toBe(true);
  expect(pi.executed).toHaveLength(3);
  expect(pi.requests()).toBe(5);
  expect(pi.outcomes()).toMatchObject([{ outcome: "stopped", turns: 3 }]);
});

test("a cut-off answer that Pi throws away and asks for again is one turn [AnswerDiscarded]", async () => {
  const cutOff = () => fauxAssistantMessage("Half of an ans", { stopReason: "length" });
  await using pi = await openSession(compacting);
  pi.answersWith(works(), works(), cutOff, summary, ...keepsWorking(10));
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");

  expect(pi.executed).toHaveLength(3);
  expect(pi.requests()).toBe(5);
  expect(pi.outcomes()).toMatchObject([{ outcome: "stopped", turns: 3 }]);
});

test("the next prompt after a stop starts a fresh run [PersonPrompts]", async () => {
  await using pi = await openSession();
  pi.answersWith(...keepsWorking(3), works(), fauxAssistantMessage("done"));
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");
  await pi.session.prompt("go on");

  expect(pi.requests()).toBe(5);
  expect(pi.session.getLastAssistantText()).toBe("done");
  expect(pi.outcomes()).toHaveLength(1);
});

test("a run that ends exactly at the limit was not touched by it [RunEndsNaturally]", async () => {
  await using pi = await openSession({ person: {} });
  pi.answersWith(works(), works(), fauxAssistantMessage("done"));
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(3);
  expect(pi.notes).toEqual(["Turn limit set to 3."]);
  expect(pi.outcomes()).toEqual([]);
  expect(pi.widgets).toEqual(["Turns: 0/3", "Turns: 1/3", "Turns: 2/3", "Turns: 3/3", undefined]);
});

test("going back in the tree to the point where a limit was set keeps it", async () => {
  await using pi = await openSession({ person: {} });
  pi.answersWith(fauxAssistantMessage("done"));
  await pi.session.prompt("go");
  const answer = pi.session.sessionManager.getLeafId() ?? "";
  await pi.session.prompt("/turn-limit 9");

  await pi.session.navigateTree(answer);
  await pi.session.prompt("/turn-limit");

  expect(pi.notes.at(-1)).toBe("Turn limit: 9 (/turn-limit in this session). Last run: 1/25.");
});

test("a no stands: another extension that goes on does not bring the question back [DeclineStands]", async () => {
  const goesOn = (pi: ExtensionAPI) => {
    let times = 0;
    pi.on("agent_settled", () => {
      times += 1;
      if (times <= 5) pi.sendUserMessage("continue");
    });
  };
  await using pi = await openSession({ person: {}, extensions: [goesOn] });
  pi.answersWith(...keepsWorking(20));
  await pi.session.prompt("/turn-limit 2");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(2);
  expect(pi.notes.filter((note) => note.startsWith("Turn limit reached"))).toHaveLength(1);
  expect(pi.notes.at(-1)).toContain("a message from another extension was not run");
});

test("a follow-up that was first steered and taken back has the whole budget [PersonPrompts]", async () => {
  await using pi = await openSession({ person: {} });
  pi.answersWith(
    async () => {
      await pi.session.steer("fix it");
      pi.session.clearQueue();
      await pi.session.followUp("fix it");
      return works();
    },
    fauxAssistantMessage("done"),
    ...keepsWorking(2),
    fauxAssistantMessage("fixed"),
  );
  await pi.session.prompt("/turn-limit 3");

  await pi.session.prompt("go");

  expect(pi.requests()).toBe(5);
  expect(pi.session.getLastAssistantText()).toBe("fixed");
  expect(pi.outcomes()).toEqual([]);
});
