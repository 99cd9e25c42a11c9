import { calls, deferred, type Reply, says, sequence, slow } from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { leaves } from "../helpers/executed.ts";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachHost, onEachTerminal, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, tell, work, yes } from "../helpers/talk.ts";
import { obeys, shownWrapUps, tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const works = calls(leaves("working"));
const willBeTold = { message: "The agent will be told to wrap up before its next turn.", type: "info" };

onEachHost((host) => {
  test("asked for while the question is open, the model is told with the turn that a yes admits [WrapUpDeliveredOnRequest]", async () => {
    await using stage = await setStage(host, obeys());
    const pi = await stage.rpc({ maxTurns: 2, beside });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(await tell(pi, "/wrap-up")).toEqual(willBeTold);
    pi.answer(question, yes);
    answerInTurn(pi);
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(tellingsOf(stage)).toEqual([0, 0, 1]);
    expect(pi.notifications).toContainEqual({ message: "The agent is told to wrap up.", type: "info" });
    expect(questions(pi)).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 3, rounds: 2 }]);
  });
});

onNewestHost((host) => {
  test.for([25, "unlimited", "25 grace 3"])(
    "with a limit of %s, a person can tell a working agent to wrap up [WrapUpRequested] [WrapUpDeliveredOnRequest]",
    async (maxTurns) => {
      const { script, release } = heldAtFirst(works, obeys());
      await using stage = await setStage(host, script);
      const pi = await stage.rpc({ maxTurns, beside });
      await pi.prompt("Go.");
      await stage.model.waitForRequest(1);
      expect(await tell(pi, "/wrap-up")).toEqual(willBeTold);
      release();
      await pi.waitFor(({ type }) => type === "agent_settled");
      expect(tellingsOf(stage)).toEqual([0, 1]);
      expect(shownWrapUps(pi.events)).toMatchObject([{ role: "custom", display: true }]);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 2 }]);
    },
  );

  test("there is nothing to wrap up while the agent rests, and the next prompt is not told", async () => {
    await using stage = await setStage(host, sequence([works]));
    const pi = await stage.rpc();
    expect(await tell(pi, "/wrap-up")).toEqual({
      message: "The agent is not working: there is nothing to wrap up.",
      type: "warning",
    });
    await work(pi, "Go.");
    expect(tellingsOf(stage)).toEqual([0, 0]);
  });

  test("in print mode it is said on stderr, and no request is sent", async () => {
    await using stage = await setStage(host, obeys());
    const { stderr } = await stage.print("/wrap-up");
    expect(stderr).toBe("The agent is not working: there is nothing to wrap up.\n");
    expect(stage.model.requests).toEqual([]);
  });

  test("an agent that is done with the turn is not told, nor is the next prompt [RunEndsNaturally]", async () => {
    const { script, release } = heldAtFirst(says("Done."), sequence([works, works]));
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ beside });
    await pi.prompt("One.");
    await stage.model.waitForRequest(1);
    await tell(pi, "/wrap-up");
    release();
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed" }]);
    await work(pi, "Two.");
    expect(tellingsOf(stage)).toEqual([0, 0, 0]);
  });

  test("asked for twice, the model is told once in the round [WrapUpRequested]", async () => {
    const gates = [deferred(), deferred()];
    const replies: Reply[] = gates.map(({ promise }) => slow(works, promise));
    await using stage = await setStage(host, sequence([...replies, works]));
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    for (const [index, gate] of gates.entries()) {
      await stage.model.waitForRequest(index + 1);
      await tell(pi, "/wrap-up");
      gate.resolve();
    }
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(tellingsOf(stage)).toEqual([0, 1, 1, 1]);
  });

  test("what the model was told at the question does not stand behind its answer afterwards", async () => {
    await using stage = await setStage(host, obeys());
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("One.");
    const question = await pi.nextDialog();
    await tell(pi, "/wrap-up");
    pi.answer(question, yes);
    await pi.waitFor(({ type }) => type === "agent_settled");
    answerInTurn(pi, no);
    await work(pi, "Two.");
    const next = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(next).toContain("Partial answer.");
    expect(next).not.toContain(DEFAULT_WRAP_UP_MESSAGE);
  });
});

await onEachTerminal((host) => {
  test("a person can type it while the agent works [WrapUpRequested]", async () => {
    const { script, release } = heldAtFirst(works, obeys());
    await using stage = await setStage(host, script);
    const pi = await stage.tui();
    await pi.submit("Go.");
    await stage.model.waitForRequest(1);
    await pi.submit("/wrap-up");
    await pi.waitFor("The agent will be told to wrap up before its next turn.");
    release();
    await pi.waitFor("Partial answer.");
    expect(await pi.screen()).toContain("Wrap up now.");
    expect(stage.model.requests).toHaveLength(2);
  });
});
