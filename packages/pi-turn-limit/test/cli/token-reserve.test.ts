import { endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work, yes } from "../helpers/talk.ts";
import { obeys, tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const maxTokens = (text: string) => ({ args: ["--max-tokens", text], beside });

onNewestHost((host) => {
  test("of 480 tokens with 120 in reserve, a model that has used 360 is told to wrap up, and can", async () => {
    await using stage = await setStage(host, obeys());
    const { code, stdout, stderr } = await stage.print("Go.", maxTokens("480 reserve 120"));
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 1]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Partial answer.\n", stderr: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 4 }]);
  });

  test("a model that ignores it is told once, and stopped at the limit", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code, stderr } = await stage.print("Go.", maxTokens("600 reserve 240"));
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 1, 1]);
    expect(stderr).toContain("Token limit reached (600/600).");
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "tokens" }]);
  });

  test("a yes at the limit arms it again", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc(maxTokens("240 reserve 120"));
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    expect(tellingsOf(stage)).toEqual([0, 1, 1, 2]);
    expect(questions(pi)).toHaveLength(2);
  });

  test("with the policy synthesize the answer without tools is made from the reserve", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const { code, stdout, stderr } = await stage.print("Go.", maxTokens("480 synthesize reserve 120"));
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Token limit reached (360/480): one last answer, without tools.\n");
    expect(await executed(stage)).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "salvaged", limit: "tokens", turns: 4, usage: { input: 400, output: 80 } },
    ]);
  });

  test("an agent that is done before the reserve is touched is not told", async () => {
    await using stage = await setStage(host, endsAfter(3, "Done in three."));
    const { stdout } = await stage.print("Go.", maxTokens("480 reserve 120"));
    expect(tellingsOf(stage)).toEqual([0, 0, 0]);
    expect(stdout).toBe("Done in three.\n");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed" }]);
  });

  test.for(["360 reserve 0", "360 reserve 360", "360 reserve 9k"])(
    "with %s the model is never told",
    async (text) => {
      await using stage = await setStage(host, leavesWithoutEnd());
      const { code } = await stage.print("Go.", maxTokens(text));
      expect(tellingsOf(stage)).toEqual([0, 0, 0]);
      expect(code).toBe(1);
    },
  );

  test("a project cannot switch a person's reserve off by raising it", async () => {
    await using stage = await setStage(host, obeys());
    const user = await stage.sandbox.writeUserConfig({ tokens: { max: 480, reserve: 120 } });
    const project = await stage.sandbox.writeProjectConfig({ tokens: { reserve: 480 } });
    const { stdout, stderr } = await stage.print("Go.");
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 1]);
    expect(stdout).toBe("Partial answer.\n");
    expect(stderr).toBe(
      `${project}:\n  The token reserve 480 is ignored: a project may not change your reserve of 120.\n` +
        `  To allow it, set "projectMayRaise": true in ${user}.\n`,
    );
  });
});
