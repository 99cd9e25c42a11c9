import { calls, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { keptMessages, recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { messagesIn, unanswered, unansweredInRequest } from "../helpers/unanswered.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const threeThenSix = sequence(
  [
    calls(leaves("a1"), leaves("a2"), leaves("a3")),
    calls(...[1, 2, 3, 4, 5, 6].map((call) => leaves(`b${call}`))),
  ],
  () => says("What I know."),
);

onEachHost((host) => {
  test("of 8 parallel calls in every turn exactly 20 run, in the order of the calls [StepTaken] [CallRaises]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(8));
    const { code, stderr } = await stage.print("Go.", { maxSteps: 20, session: true, beside });
    const eight = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(await executed(stage)).toEqual([
      ...eight.map((call) => `1.${call}`),
      ...eight.map((call) => `2.${call}`),
      ...eight.slice(0, 4).map((call) => `3.${call}`),
    ]);
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toContain("Step limit exceeded (20)");
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", steps: 20, turns: 3 }]);
    const messages = await keptMessages(stage);
    expect(messages.filter(({ role }) => role === "toolResult")).toHaveLength(24);
    expect(unanswered(messages)).toEqual([]);
  });

  test("the answer without tools is asked for with a result for every call [CallSynthesizes] [StepRefusedAfterExhaustion]", async () => {
    await using stage = await setStage(host, threeThenSix);
    const { code, stdout } = await stage.print(["One.", "Two."], { maxSteps: "5 synthesize", beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(await executed(stage)).toEqual(["a1", "a2", "a3", "b1", "b2"]);
    const [, , pass, next] = stage.model.requests;
    expect(pass?.messages.filter(({ role }) => role === "tool")).toHaveLength(9);
    expect(JSON.stringify(pass?.messages)).toContain("Not run: the step limit is reached (5/5)");
    for (const request of [pass, next]) expect(unansweredInRequest(request?.messages ?? [])).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "salvaged", limit: "steps", steps: 5, turns: 3 },
      { outcome: "completed", steps: 0, turns: 1 },
    ]);
  });
});

onNewestHost((host) => {
  test("of 6 parallel calls with 2 left exactly the first 2 run, and each has a result [CallRaises]", async () => {
    await using stage = await setStage(host, threeThenSix);
    const { events } = await stage.json("Go.", { maxSteps: 5 });
    expect(await executed(stage)).toEqual(["a1", "a2", "a3", "b1", "b2"]);
    expect(stage.model.requests).toHaveLength(2);
    const messages = messagesIn(events);
    expect(messages.filter(({ role }) => role === "toolResult")).toHaveLength(9);
    expect(unanswered(messages)).toEqual([]);
  });

  test("after a refused batch the next prompt's request is one that every provider takes", async () => {
    await using stage = await setStage(host, threeThenSix);
    await stage.print(["One.", "Two."], { maxSteps: 5 });
    const next = stage.model.requests.at(2);
    expect(next?.lastUserText).toBe("Two.");
    expect(unansweredInRequest(next?.messages ?? [])).toEqual([]);
  });

  test("a batch that uses up the steps exactly is run, and only the next call is not [StepTaken]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(3));
    await stage.print("Go.", { maxSteps: 6 });
    expect(await executed(stage)).toHaveLength(6);
    expect(stage.model.requests).toHaveLength(3);
  });

  // Tools of earlier versions cannot call each other.
  test("the calls that a tool makes are steps as well [StepTaken] [CallRaises]", async () => {
    const commands = ["a", "b", "c", "d"].map((name) => `echo ${name} >> executed.txt`);
    const delegating = calls({ name: "delegate", arguments: { commands } });
    await using stage = await setStage(host, sequence([delegating], leavesWithoutEnd()));
    const { code } = await stage.print("Go.", { maxSteps: 3, beside: [...beside, "delegates"] });
    expect(await executed(stage)).toEqual(["a", "b"]);
    expect(stage.model.requests).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", steps: 3 }]);
    expect(code).toBe(1);
  });
});
