import {
  bash,
  calls,
  endsAfter,
  isDialog,
  type Script,
  says,
  sequence,
  slow,
  withUsage,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs, hangs } from "../helpers/hanging.ts";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { no, questions, tell, work, yes } from "../helpers/talk.ts";
import { clock, fourMinutes, passTime } from "../helpers/time.ts";

const beside = ["records-limit-events", clock];
const OUTCOME = "turn-limit:outcome";
const lessThanFourMinutes = /Used: ([0-3]m )?[0-9]+s\./;

onEachHost((host) => {
  test("the time in which a dialog of another extension is open does not count", async () => {
    await using stage = await setStage(host, sequence([calls({ name: "permit", arguments: {} })]));
    const pi = await stage.rpc({ args: fourMinutes, beside: ["asks-for-permission", ...beside] });
    await pi.prompt("Go.");
    const dialog = await pi.nextDialog();
    expect(dialog.title).toBe("May I?");
    await passTime(stage);
    expect((await tell(pi, "/time-limit")).message).toMatch(lessThanFourMinutes);
    pi.answer(dialog, yes);
    await pi.settled();
    expect(questions(pi)).toEqual(["May I?: It is only a test."]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
  });

  test("a new session while the time runs has nothing to do with it", async () => {
    await using stage = await setStage(host, sequence([hangs]));
    const pi = await stage.rpc({ args: fourMinutes, beside });
    await pi.prompt("One.");
    await commandHangs(stage);
    await pi.send({ type: "new_session" });
    const before = pi.events.length;
    await passTime(stage);
    await pi.send({ type: "get_state" });
    expect(pi.events.slice(before).filter(isDialog)).toEqual([]);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(2);
    expect(pi.stderr).toBe("");
  });

  test("Pi ends as soon as the run does, however much time is left", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const { code, stdout, stderr } = await stage.print("Go.", { args: ["--max-time", "24h"] });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "All done.\n", stderr: "" });
  });
});

onNewestHost((host) => {
  test("the time in which the person is asked about another limit does not count", async () => {
    const { script, release } = heldAtFirst(calls(bash("echo worked")), () => says("All done."));
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 1, beside });
    await pi.prompt("Go.");
    release();
    const question = await pi.nextDialog();
    await tell(pi, "/time-limit 4m");
    await passTime(stage);
    pi.answer(question, yes);
    await stage.model.waitForRequest(2);
    await pi.settled();
    expect(questions(pi)[0]).toContain("Turn limit reached");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 2 }]);
  });

  test("time in which another extension waits for the person does not count", async () => {
    await using stage = await setStage(host, () => calls({ name: "approve", arguments: {} }));
    const pi = await stage.rpc({ beside: ["waits-for-a-person", clock] });
    await pi.prompt("Go.");
    await pi.waitFor(({ type }) => type === "tool_execution_start");
    await tell(pi, "/time-limit 1s");
    await passTime(stage);
    expect((await tell(pi, "/time-limit")).message).toMatch(lessThanFourMinutes);
    expect(questions(pi)).toEqual([]);
    await pi.prompt("/approved");
    pi.answer(await pi.nextDialog(), no);
    await pi.settled();
  });

  test("a new session while the person is asked about the time takes the question back", async () => {
    await using stage = await setStage(host, sequence([hangs]));
    const pi = await stage.rpc({ args: fourMinutes, beside });
    await pi.prompt("One.");
    await commandHangs(stage);
    await passTime(stage);
    const question = await pi.nextDialog();
    await pi.send({ type: "new_session" });
    pi.answer(question, no);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(2);
    expect(pi.stderr).toBe("");
  });

  test.for(["stop", "synthesize"])(
    "with %s, what Pi does after the last answer changes nothing, however long it takes",
    async (policy) => {
      const answer = withUsage({ promptTokens: 49_500 }, says("All done."));
      const settings = { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } };
      const script: Script = ({ toolNames }) =>
        toolNames.length === 0 ? slow(says("A summary."), passTime(stage)) : answer;
      await using stage = await setStage(host, script, { settings, contextWindow: 50_000 });
      const { code, stdout } = await stage.print("Go.", { args: ["--max-time", `4m ${policy}`], beside });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "All done.\n" });
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 1 }]);
    },
  );
});
