import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, dismissed, no, questions, work, yes } from "../helpers/talk.ts";

onEachHost((host) => {
  test("at the limit the person is asked, and the next turn waits for the answer [LimitReached]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 5 });
    await pi.prompt("Go.");
    expect(await pi.nextDialog()).toMatchObject({
      method: "confirm",
      title: "Turn limit reached",
      message: "You've used 5 turns. Continue?",
    });
    expect(pi.widget("turn-limit")).toEqual(["Turns: 5/5"]);
    await pi.send({ type: "get_state" });
    expect(stage.model.requests).toHaveLength(5);
  });

  test("yes three times and then no gives four rounds of turns [ContinuationConfirmed] [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, yes, yes, yes, no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(12);
    expect(questions(pi)).toEqual(Array(4).fill("Turn limit reached: You've used 3 turns. Continue?"));
    expect(pi.notifications).toEqual([{ message: "Agent aborted by user.", type: "error" }]);
  });

  test("a dismissed question is a no [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 1 });
    answerInTurn(pi, dismissed);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(1);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 1 turn. Continue?"]);
    expect(pi.notifications).toEqual([{ message: "Agent aborted by user.", type: "error" }]);
  });
});

onNewestHost((host) => {
  test("the counter counts each turn and starts over with a yes [TurnAdmitted] [ContinuationConfirmed]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2 });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    const shown = counterLines(pi).filter((line, index, lines) => line !== lines[index - 1]);
    const round = ["Turns: 1/2", "Turns: 2/2"];
    expect(shown).toEqual([...round, "Turns: 0/2", ...round, undefined]);
  });

  test("a limit of 0 asks before the first turn, and a yes admits that turn only", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 0 });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question.message).toBe("You've used 0 turns. Continue?");
    expect(stage.model.requests).toHaveLength(0);
    pi.answer(question, yes);
    const again = await pi.nextDialog();
    expect(again.message).toBe("You've used 1 turn. Continue?");
    expect(stage.model.requests).toHaveLength(1);
    pi.answer(again, no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
  });

  test("an agent that is done exactly at the limit is not asked about [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ maxTurns: 3 });
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(questions(pi)).toEqual([]);
    expect(pi.notifications).toEqual([]);
    expect(counterLines(pi)).toEqual(["Turns: 1/3", "Turns: 2/3", "Turns: 3/3", undefined]);
  });

  test("without a limit the counter still counts, and nothing is asked [TurnAdmitted]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ maxTurns: "unlimited" });
    await work(pi, "Go.");
    expect(counterLines(pi)).toEqual(["Turns: 1/∞", "Turns: 2/∞", undefined]);
    expect(questions(pi)).toEqual([]);
  });

  test("after a no the next prompt starts with a full budget [PersonPrompts]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2 });
    answerInTurn(pi, no, yes, no);
    await work(pi, "One.");
    expect(stage.model.requests).toHaveLength(2);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(6);
    expect(questions(pi)).toHaveLength(3);
  });
});
