import { bash, calls, type Dialog, endless, type RpcPi, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs, hanging, hangs } from "../helpers/hanging.ts";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { no, questions, tell, work, yes } from "../helpers/talk.ts";
import { clock, passTime } from "../helpers/time.ts";

const beside = ["records-limit-events", clock];
const OUTCOME = "turn-limit:outcome";

/** Prompts, and lets the time be up while the first request is there. */
async function askedAboutTheTime(stage: Stage, prompt = "Go."): Promise<{ pi: RpcPi; question: Dialog }> {
  const pi = await stage.rpc({ beside });
  await pi.prompt(prompt);
  await stage.model.waitForRequest(1);
  await tell(pi, "/time-limit 4m");
  await passTime(stage);
  return { pi, question: await pi.nextDialog() };
}

onEachHost((host) => {
  test.for(hanging)(
    "the person is asked about $what while it goes on, and a no ends it",
    async ({ reply }) => {
      await using stage = await setStage(host, () => reply);
      const { pi, question } = await askedAboutTheTime(stage);
      expect(question).toMatchObject({ method: "confirm", title: "Time limit reached" });
      expect(question.message).toMatch(/^The agent has worked for [\dms ]+\. Continue\?$/);
      expect(pi.events.some(({ type }) => type === "tool_execution_end" || type === "agent_settled")).toBe(
        false,
      );
      pi.answer(question, no);
      await pi.settled();
      expect(stage.model.requests).toHaveLength(1);
      expect(pi.notifications.slice(1)).toEqual([{ message: "Agent aborted by user.", type: "error" }]);
      expect(pi.widget("turn-limit")).toBeUndefined();
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "declined", limit: "time", turns: 1 },
      ]);
    },
  );
});

onNewestHost((host) => {
  test.for(hanging)(
    "a yes lets $what go on for another round of time, and then the person is asked again",
    async ({ reply }) => {
      await using stage = await setStage(host, () => reply);
      const { pi, question } = await askedAboutTheTime(stage);
      pi.answer(question, yes);
      await pi.send({ type: "get_state" });
      await passTime(stage);
      const again = await pi.nextDialog();
      expect(pi.events.some(({ type }) => type === "tool_execution_end" || type === "agent_settled")).toBe(
        false,
      );
      expect(stage.model.requests).toHaveLength(1);
      pi.answer(again, no);
      await pi.settled();
      expect(questions(pi)).toHaveLength(2);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time" }]);
    },
  );

  test("a turn that ends while the person thinks ends, and the next one waits for the answer", async () => {
    const { script, release } = heldAtFirst(calls(bash("echo worked")), () => says("All done."));
    await using stage = await setStage(host, script);
    const { pi, question } = await askedAboutTheTime(stage);
    release();
    await pi.waitFor(({ type }) => type === "turn_end");
    await pi.send({ type: "get_state" });
    expect(stage.model.requests).toHaveLength(1);
    pi.answer(question, yes);
    await pi.settled();
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
    expect(await recorded(stage, "turn-limit:boundary")).toMatchObject([{ limit: "time", action: "ask" }]);
  });

  test("an agent that finishes while the person thinks is done, and a late answer means nothing", async () => {
    const { script, release } = heldAtFirst(says("All done."), endless());
    await using stage = await setStage(host, script);
    const { pi, question } = await askedAboutTheTime(stage);
    release();
    await pi.settled();
    pi.answer(question, no);
    await pi.send({ type: "get_state" });
    expect(pi.notifications.slice(1)).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 1 }]);
    expect(pi.widget("turn-limit")).toBeUndefined();
  });

  test("a follow-up that was queued meanwhile is a prompt of its own, and the question is withdrawn", async () => {
    const { script, release } = heldAtFirst(says("One is done."), () => says("Two is done."));
    await using stage = await setStage(host, script);
    const { pi, question } = await askedAboutTheTime(stage, "One.");
    await pi.followUp("Two.");
    release();
    await pi.settled();
    pi.answer(question, no);
    await pi.send({ type: "get_state" });
    expect(stage.model.requests).toHaveLength(2);
    expect(pi.notifications.slice(1)).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "completed" },
      { outcome: "completed" },
    ]);
  });

  test("a run that is aborted while the person thinks is over, and the next prompt has its own time", async () => {
    await using stage = await setStage(host, sequence([hangs]));
    const { pi, question } = await askedAboutTheTime(stage, "One.");
    await pi.abort();
    await pi.settled();
    pi.answer(question, no);
    await tell(pi, "/time-limit 10m");
    await work(pi, "Two.");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "aborted" }, { outcome: "completed" }]);
    expect(questions(pi)).toHaveLength(1);
  });

  test("a time limit that is set while the agent works counts from there", async () => {
    await using stage = await setStage(host, () => hangs);
    const pi = await stage.rpc({ beside });
    await pi.prompt("Go.");
    await commandHangs(stage);
    await tell(pi, "/time-limit 4m");
    await passTime(stage);
    pi.answer(await pi.nextDialog(), no);
    await pi.settled();
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time" }]);
  });

  test("a limit that is raised while the person thinks answers the question, and holds", async () => {
    await using stage = await setStage(host, () => hangs);
    const { pi, question } = await askedAboutTheTime(stage);
    await tell(pi, "/time-limit 8m");
    pi.answer(question, no);
    await passTime(stage);
    const again = await pi.nextDialog();
    expect(again.message).toMatch(/worked for 9m/);
    pi.answer(again, no);
    await pi.settled();
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time" }]);
  });
});
