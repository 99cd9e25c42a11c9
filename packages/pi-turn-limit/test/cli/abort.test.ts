import { bash, calls, endless, sequence, stalls } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];

onEachHost((host) => {
  test("aborted while the question is open, the run ends and the question goes away [RunEndsUnanswered]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside });
    await pi.prompt("One.");
    const question = await pi.nextDialog();
    await pi.abort();
    await pi.settled();
    expect(stage.model.requests).toHaveLength(2);
    expect(pi.widget("turn-limit")).toBeUndefined();
    expect(pi.notifications).toEqual([]);
    expect(await recorded(stage, "turn-limit:outcome")).toMatchObject([{ outcome: "aborted", turns: 2 }]);

    pi.answer(question, { confirmed: true });
    answerInTurn(pi, no);
    await work(pi, "Two.");
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      ...["One.", "One."],
      ...["Two.", "Two."],
    ]);
    expect(questions(pi)).toHaveLength(2);
  });

  test("aborted while a turn is under way, the run is over and the next prompt starts with a full budget [TurnCancelled] [RunAborted]", async () => {
    const working = calls(bash("echo working"));
    await using stage = await setStage(host, sequence([working, stalls()], endless()));
    const pi = await stage.rpc({ maxTurns: 3, beside });
    await pi.prompt("One.");
    await stage.model.waitForRequest(2);
    await pi.abort();
    await pi.settled();
    expect(questions(pi)).toEqual([]);
    expect(await recorded(stage, "turn-limit:outcome")).toMatchObject([{ outcome: "aborted", turns: 2 }]);
    answerInTurn(pi, no);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(5);
  });

  test("a new session while the question is open ends the run, and starts with a full budget [RunEndsUnanswered]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("One.");
    await pi.nextDialog();
    expect(await pi.send({ type: "new_session" })).toMatchObject({ success: true });
    expect(stage.model.requests).toHaveLength(2);
    answerInTurn(pi, no);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(2);
  });
});
