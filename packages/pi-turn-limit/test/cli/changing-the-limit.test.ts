import { bash, calls, deferred, endless, type Script, sequence, slow } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, limitInForce, no, questions, tell, work } from "../helpers/talk.ts";

/** Calls tools without end, and holds the answer of turn `turn` until the gate opens. */
function heldAt(turn: number): { script: Script; release: () => void } {
  const gate = deferred();
  const working = calls(bash("echo working"));
  const replies = [...Array(turn - 1).fill(working), slow(working, gate.promise)];
  return { script: sequence(replies, endless()), release: () => gate.resolve() };
}

onEachHost((host) => {
  test("raised while the question is open, the limit answers it and the held turn goes on [QuestionOvertaken]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("Go.");
    await pi.nextDialog();
    expect(stage.model.requests).toHaveLength(2);
    await tell(pi, "/turn-limit 4");
    const next = await pi.nextDialog();
    expect(next.message).toBe("You've used 4 turns. Continue?");
    expect(stage.model.requests).toHaveLength(4);
    pi.answer(next, no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(2);
  });
});

onNewestHost((host) => {
  test("lowered below the counter while turn 4 is under way, the limit holds turn 5 [LimitChanged]", async () => {
    const { script, release } = heldAt(4);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc();
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(4);
    expect(await tell(pi, "/turn-limit 3")).toEqual({ message: "Turn limit set to 3.", type: "info" });
    expect(pi.widget("turn-limit")).toEqual(["Turns: 4/3"]);
    release();
    await pi.settled();
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 4 turns. Continue?"]);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("raised while turn 2 is under way, the limit counts the turns already taken [LimitChanged]", async () => {
    const { script, release } = heldAt(2);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 2 });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    await tell(pi, "/turn-limit 6");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 2/6"]);
    release();
    await pi.settled();
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 6 turns. Continue?"]);
    expect(stage.model.requests).toHaveLength(6);
  });

  test("from unlimited to 3 while the agent works, exactly 3 more turns follow [LimitReEnabled]", async () => {
    const { script, release } = heldAt(4);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: "unlimited" });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await stage.model.waitForRequest(4);
    expect(pi.widget("turn-limit")).toEqual(["Turns: 4/∞"]);
    await tell(pi, "/turn-limit 3");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 0/3"]);
    release();
    await pi.settled();
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
    expect(stage.model.requests).toHaveLength(7);
  });

  test("removed while the agent works, the limit asks nothing more [LimitRemoved]", async () => {
    const gate = deferred();
    const working = calls(bash("echo working"));
    await using stage = await setStage(
      host,
      sequence([working, slow(working, gate.promise), working, working]),
    );
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    expect((await tell(pi, "/turn-limit UNLIMITED")).message).toBe("Turn limit set to unlimited.");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 2/∞"]);
    gate.resolve();
    await pi.settled();
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(5);
  });

  test("removed while the question is open, the limit lets the held turn go on [LimitRemoved]", async () => {
    const working = calls(bash("echo working"));
    await using stage = await setStage(host, sequence([working, working, working]));
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("Go.");
    await pi.nextDialog();
    await tell(pi, "/turn-limit unlimited");
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(1);
  });

  test("changed below the counter while the question is open, the limit leaves it open [LimitChanged]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 3 });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    await tell(pi, "/turn-limit 2");
    pi.answer(question, { confirmed: true });
    const next = await pi.nextDialog();
    expect(next.message).toBe("You've used 2 turns. Continue?");
    expect(stage.model.requests).toHaveLength(5);
    pi.answer(next, no);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(5);
  });

  test("set while the agent is idle, the limit is shown at once and rules the next prompt [LimitChanged]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    expect((await tell(pi, "/turn-limit 50")).message).toBe("Turn limit set to 50.");
    await tell(pi, "/turn-limit 2");
    expect(counterLines(pi)).toEqual(["Turns: 0/50", "Turns: 0/2"]);
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2);
  });

  test("without an argument the command tells the limit, where it came from and the count", async () => {
    const { script } = heldAt(2);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc();
    expect(await limitInForce(pi)).toBe("Turn limit: 25 (default). Used: 0/25.");
    await tell(pi, "/turn-limit 50");
    await pi.prompt("Go.");
    await stage.model.waitForRequest(2);
    expect(await limitInForce(pi)).toBe("Turn limit: 50 (/turn-limit in this session). Used: 2/50.");
  });
});
