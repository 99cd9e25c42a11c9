import { bash, calls, endless, fails, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, work } from "../helpers/talk.ts";

const working = calls(bash("echo working"));

onEachHost((host) => {
  test("a turn whose request failed twice is counted once [TurnFails] [TurnRetried]", async () => {
    await using stage = await setStage(host, sequence([working, fails(529), fails(529)], endless()));
    const { code, stderr } = await stage.print("Go.", { maxTurns: 5 });
    expect(stage.model.requests).toHaveLength(7);
    expect(stderr).toContain("Turn limit reached (5/5)");
    expect(code).toBe(1);
  });

  test("a run that fails for good ends by itself, and the next prompt starts with a full budget [RunFails]", async () => {
    await using stage = await setStage(host, sequence([working, fails(400)], endless()));
    const pi = await stage.rpc({ maxTurns: 2 });
    answerInTurn(pi, no);
    await work(pi, "One.");
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toEqual([]);
    expect(pi.widget("turn-limit")).toBeUndefined();
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(1);
  });
});

onNewestHost((host) => {
  test("a retry that succeeds at the limit lets the agent finish [TurnRetried]", async () => {
    await using stage = await setStage(host, sequence([working, fails(529), says("Done in two.")]));
    const { code, stdout } = await stage.print("Go.", { maxTurns: 2 });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done in two.\n" });
    expect(stage.model.requests).toHaveLength(3);
  });

  test("failures before, between and after turns neither use up nor refresh the budget [TurnRetried]", async () => {
    const overloaded = fails(529);
    const script = sequence([overloaded, working, overloaded, working, overloaded, overloaded], endless());
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3 });
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(7);
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
    const shown = counterLines(pi).filter((line, index, lines) => line !== lines[index - 1]);
    expect(shown).toEqual(["Turns: 1/3", "Turns: 2/3", "Turns: 3/3", undefined]);
  });
});
