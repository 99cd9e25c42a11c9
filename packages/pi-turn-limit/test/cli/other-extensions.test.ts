import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, work, yes } from "../helpers/talk.ts";

const ours = "Turn limit reached: You've used 2 turns. Continue?";
const theirs = "Another extension: One more turn?";

onEachHost((host) => {
  test("asked at the same moment as another extension, a person answers one after the other", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside: ["asks-too"], env: { ASK_AT: "context" } });
    answerInTurn(pi, yes, yes, yes, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([theirs, theirs, ours, theirs, theirs]);
    expect(stage.model.requests).toHaveLength(3);
  });

  test("when another extension has aborted the run, nothing is asked about it [RunAborted]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside: ["asks-too", "records-limit-events"] });
    answerInTurn(pi, yes, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([theirs, theirs, theirs]);
    expect(stage.model.requests).toHaveLength(2);
    expect(pi.notifications).toEqual([]);
    expect(counterLines(pi)).toEqual(["Turns: 1/2", "Turns: 2/2", undefined]);
    expect(await recorded(stage, "turn-limit:outcome")).toMatchObject([
      { outcome: "aborted", turns: 2, rounds: 1, steps: 2, maxTurns: 2, maxSteps: "unlimited" },
    ]);
  });
});

onNewestHost((host) => {
  test("beside another extension that asks, each question is asked in order and the counts are right", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside: ["asks-too"] });
    answerInTurn(pi, yes, yes, yes, yes, yes, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([theirs, theirs, theirs, ours, theirs, theirs, ours]);
    expect(stage.model.requests).toHaveLength(4);
  });
});
