import { bash, calls, type Script, says, turnOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions } from "../helpers/talk.ts";

const working = calls(bash("echo working"));

onEachHost((host) => {
  test("a message that a person steers into the run refreshes nothing", async () => {
    const { script, release } = heldAtFirst(working, () => working);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(1);
    await pi.steer("Left.");
    await pi.prompt("Right.", { streamingBehavior: "steer" });
    release();
    await pi.settled();
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual(["Go.", "Left.", "Right."]);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
  });

  test("at the limit, a steering message does not carry the agent over it [LimitReached]", async () => {
    const { script, release } = heldAtFirst(says("Done."), () => working);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 1 });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(1);
    await pi.steer("Not yet.");
    release();
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 1 turn. Continue?"]);
  });
});

onNewestHost((host) => {
  test("a steering message that arrives as the agent was about to stop refreshes nothing", async () => {
    const { script, release } = heldAtFirst(says("Done."), () => working);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(1);
    await pi.steer("Not yet.");
    release();
    await pi.settled();
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual(["Go.", "Not yet.", "Not yet."]);
    expect(questions(pi)).toHaveLength(1);
  });

  test.for([
    { what: "a message", env: { QUEUE_AS: "steer" } },
    { what: "a custom message", env: { QUEUE_AS: "steer", QUEUE_CUSTOM: "1" } },
    { what: "a custom follow-up", env: { QUEUE_AS: "followUp", QUEUE_CUSTOM: "1" } },
  ])("$what that another extension queued refreshes nothing [ProgramContinues]", async ({ env }) => {
    const script: Script = (request) =>
      turnOf(request) === 2 && request.index < 3 ? says("Done.") : working;
    await using stage = await setStage(host, script);
    const { stderr } = await stage.print("Go.", { maxTurns: 4, beside: ["queues-a-message"], env });
    expect(stage.model.requests).toHaveLength(4);
    expect(stage.model.requests.at(-1)?.lastUserText).toBe("From a program.");
    expect(stderr).toContain("Turn limit reached (4/4)");
  });
});
