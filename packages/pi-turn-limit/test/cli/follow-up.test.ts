import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls, endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, work } from "../helpers/talk.ts";

const working = calls(bash("echo working"));

onEachHost((host) => {
  test("a follow-up that a person queued is a prompt of its own, with the whole budget [PersonPrompts]", async () => {
    const { script, release } = heldAtFirst(working, endsAfter(3));
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3 });
    await pi.prompt("One.");
    await stage.model.waitForRequest(1);
    await pi.followUp("Two.");
    await pi.prompt("Three.", { streamingBehavior: "followUp" });
    release();
    await pi.settled();
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual([...Array(3).fill("One."), ...Array(3).fill("Two."), ...Array(3).fill("Three.")]);
    expect(questions(pi)).toEqual([]);
    const round = ["Turns: 1/3", "Turns: 2/3", "Turns: 3/3"];
    const shown = counterLines(pi).filter((line) => line !== "Turns: 0/3");
    expect(shown).toEqual([...round, ...round, ...round, undefined]);
  });

  test("with the same words, a person's steering is told from a person's follow-up", async () => {
    const { script, release } = heldAtFirst(working, endsAfter(2));
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, no);
    await pi.prompt("Go on.");
    await stage.model.waitForRequest(1);
    await pi.followUp("Go on.");
    await pi.steer("Go on.");
    release();
    await pi.settled();
    expect(questions(pi)).toEqual([]);
    expect(counterLines(pi).filter((line) => line !== "Turns: 0/3")).toEqual([
      ...["Turns: 1/3", "Turns: 2/3", "Turns: 3/3"],
      ...["Turns: 1/3", "Turns: 2/3"],
      undefined,
    ]);
    expect(stage.model.requests).toHaveLength(5);
  });

  test("a follow-up that a prompt template writes is a prompt of its own [PersonPrompts]", async () => {
    const { script, release } = heldAtFirst(working, endsAfter(3));
    await using stage = await setStage(host, script);
    const prompts = join(stage.sandbox.agentDir, "prompts");
    await mkdir(prompts);
    await writeFile(join(prompts, "again.md"), "Do all of it again.\n");
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, no);
    await pi.prompt("One.");
    await stage.model.waitForRequest(1);
    await pi.followUp("/again");
    release();
    await pi.settled();
    expect(stage.model.requests.at(-1)?.lastUserText).toContain("Do all of it again.");
    expect(stage.model.requests).toHaveLength(6);
    expect(questions(pi)).toEqual([]);
  });
});

onNewestHost((host) => {
  test("a follow-up that another extension queued refreshes nothing [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ maxTurns: 3, beside: ["queues-a-message"], env: { QUEUE_AS: "followUp" } });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await pi.settled();
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual(["Go.", "Go.", "From a program."]);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
  });

  test("a follow-up that was still waiting at a no is a prompt of its own later [PersonPrompts]", async () => {
    const toTheEnd = endsAfter(2);
    await using stage = await setStage(host, (request) =>
      request.lastUserText === "One." ? endless()(request) : toTheEnd(request),
    );
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("One.");
    const question = await pi.nextDialog();
    await pi.followUp("Two.");
    pi.answer(question, no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(2);
    await work(pi, "Three.");
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual(["One.", "One.", "Three.", "Three.", "Two.", "Two."]);
    expect(questions(pi)).toHaveLength(1);
  });
});
