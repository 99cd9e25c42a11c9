import { bash, calls, fails, type Reply, type Script, says, stalls, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs, hanging, hangs } from "../helpers/hanging.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, salvage } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { questions } from "../helpers/talk.ts";
import { clock, passTime } from "../helpers/time.ts";
import { unansweredInRequest } from "../helpers/unanswered.ts";

const beside = ["records-limit-events", clock];
const OUTCOME = "turn-limit:outcome";
const cast = { args: ["--max-time", "4m synthesize"], beside };
const announced = /^Time limit reached \([\dms ]+\/4m\): one last answer, without tools\.$/m;

/** Does the same in every turn, until no tool is offered. */
function untilToolsFree(reply: Reply, last: Reply = salvage): Script {
  return ({ toolNames }) => (toolNames.length === 0 ? last : reply);
}

onEachHost((host) => {
  test.for(hanging)(
    "$what is cut off, and one last request without tools gives the answer",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, untilToolsFree(reply));
      const run = stage.print("Go.", cast);
      await begins(stage);
      await passTime(stage);
      const { code, stdout, stderr } = await run;
      expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
      expect(stderr).toMatch(announced);
      expect(offeredTools(stage)).toEqual([true, false]);
      expect(unansweredInRequest(stage.model.requests[1]?.messages ?? [])).toEqual([]);
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "salvaged", limit: "time", turns: 2 },
      ]);
      expect(await recorded(stage, "turn-limit:boundary")).toMatchObject([
        { limit: "time", action: "synthesize" },
      ]);
    },
  );

  test("a compaction that hangs on the way to the answer is cut off, too", async () => {
    const full = withUsage({ promptTokens: 49_500 }, calls(bash("echo worked")));
    const script: Script = ({ toolNames, lastUserText }) => {
      if (toolNames.length > 0) return full;
      if (lastUserText.includes("no tools any more")) return salvage;
      void passTime(stage);
      return stalls();
    };
    const settings = { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } };
    await using stage = await setStage(host, script, { settings, contextWindow: 50_000 });
    const { code } = await stage.print("Go.", cast);
    const [outcome] = await recorded(stage, OUTCOME);
    expect(outcome).toMatchObject({ outcome: code === 0 ? "salvaged" : "stopped", limit: "time" });
  });

  test("time that is up while Pi waits to make a failed request again ends with the answer, too", async () => {
    const settings = { retry: { enabled: true, maxRetries: 3, baseDelayMs: 600_000 } };
    await using stage = await setStage(host, untilToolsFree(fails(529)), { settings });
    const { code, stdout } = await stage.print("Go.", { args: ["--max-time", "3s synthesize"], beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(offeredTools(stage)).toEqual([true, false]);
  });
});

onNewestHost((host) => {
  test.for(hanging)(
    "with a UI, $what is cut off without a question, and the next prompt has its tools and its time",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, untilToolsFree(reply));
      const pi = await stage.rpc(cast);
      for (const time of [1, 2]) {
        await pi.prompt(`${time}.`);
        await begins(stage, 2 * time - 1, time);
        await passTime(stage);
        await pi.waitFor(({ type, entry }) => type === "entry_appended" && isOutcome(entry));
      }
      expect(offeredTools(stage)).toEqual([true, false, true, false]);
      expect(questions(pi)).toEqual([]);
      const salvaged = { outcome: "salvaged", limit: "time", turns: 2 };
      expect(await recorded(stage, OUTCOME)).toMatchObject([salvaged, salvaged]);
    },
  );

  test("a follow-up that was queued meanwhile is a prompt of its own, after the answer and with tools", async () => {
    await using stage = await setStage(host, (request) =>
      request.lastUserText === "Two." ? says("Two is done.") : untilToolsFree(hangs)(request),
    );
    const pi = await stage.rpc(cast);
    await pi.prompt("One.");
    await commandHangs(stage);
    await pi.followUp("Two.");
    await passTime(stage);
    await stage.model.waitForRequest(3);
    await pi.waitFor(({ type, message }) => type === "message_end" && saysThat(message, "Two is done."));
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(offeredTools(stage)).toEqual([true, false, true]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged" }, { outcome: "completed" }]);
  });

  test("a model that calls a tool anyway is stopped", async () => {
    await using stage = await setStage(host, () => hangs);
    const run = stage.print("Go.", cast);
    await commandHangs(stage);
    await passTime(stage);
    const { code, stderr } = await run;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Time limit reached \([\dms ]+\/4m\)\. To allow more/m);
    expect(offeredTools(stage)).toEqual([true, false]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time" }]);
  });

  test.for(hanging.slice(1))(
    "the answer without tools has as much time again: $what is cut off there, too",
    async ({ reply, begins }) => {
      await using stage = await setStage(host, untilToolsFree(hangs, reply));
      const run = stage.print("Go.", cast);
      await commandHangs(stage);
      await passTime(stage);
      await begins(stage, 2);
      await passTime(stage);
      const { code, stdout, stderr } = await run;
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^Time limit reached \([\dms ]+\/4m\)\. To allow more/m);
      expect(offeredTools(stage)).toEqual([true, false]);
      expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "time", turns: 2 }]);
    },
  );
});

function isOutcome(entry: unknown): boolean {
  return (entry as { customType?: string }).customType === OUTCOME;
}

function saysThat(message: unknown, text: string): boolean {
  return JSON.stringify(message).includes(text);
}
