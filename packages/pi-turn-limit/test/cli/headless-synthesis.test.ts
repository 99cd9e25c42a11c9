import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const settings = { turns: { max: 3, headless: "synthesize" } };

onEachHost((host) => {
  test("where nobody can be asked, the turn limit can end with an answer made without tools [LimitSynthesizes] [RunEndsSalvaged]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig(settings);
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Turn limit reached (3/3): one last answer, without tools.\n");
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(await executed(stage)).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", limit: "turns", turns: 4 }]);
    expect(await recorded(stage, "turn-limit:boundary")).toEqual([
      { ...named("turns"), used: 3, max: 3, action: "synthesize" },
    ]);
  });
});

onNewestHost((host) => {
  test("a model that calls a tool anyway is stopped at the turn limit [SynthesisNeverRepeats]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.sandbox.writeUserConfig(settings);
    const { code, stderr } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(4);
    expect(await executed(stage)).toHaveLength(3);
    expect(stderr).toContain("Turn limit reached (3/3). To allow more");
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "turns" }]);
    expect(code).toBe(1);
  });

  test("each prompt has its own answer, and its tools [PersonPrompts]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig(settings);
    await stage.print(["One.", "Two."]);
    const prompt = [true, true, true, false];
    expect(offeredTools(stage)).toEqual([...prompt, ...prompt]);
  });

  test("a person who can be asked is asked as always [LimitReached]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
    expect(stage.model.requests).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "turns" }]);
  });

  test("a limit of 0 leaves nothing to answer from, and no request is sent [NothingToSynthesize]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig({ turns: { max: 0, headless: "synthesize" } });
    const { code } = await stage.print("Go.");
    expect(stage.model.requests).toEqual([]);
    expect(code).toBe(1);
  });
});
