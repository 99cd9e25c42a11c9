import { endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, tell, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
const turnsAsked = (turns: number) => `Turn limit reached: You've used ${turns} turns. Continue?`;
const tokensAsked = (tokens: number, max = tokens) =>
  `Token limit reached: You've used ${tokens} of ${max} tokens. Continue?`;

/** Three turns, and the 360 tokens that they take. */
const atOnce = (tokens = "360") => ({ maxTurns: 3, args: ["--max-tokens", tokens], beside });

onNewestHost((host) => {
  test("while one limit is asked about, another that now stops the run takes the question away", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ maxTurns: 2, args: ["--max-tokens", "1k"], beside });
    await pi.prompt("Go.");
    await pi.nextDialog();
    await tell(pi, "/token-limit 100 stop");
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toEqual([turnsAsked(2)]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "tokens" }]);
  });

  test("a person is asked once, and a yes starts all over that are used up", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc(atOnce());
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([turnsAsked(3), turnsAsked(3)]);
    expect(stage.model.requests).toHaveLength(6);
    const lines = counterLines(pi);
    const full = "Turns: 3/3 · Tokens: 360/360";
    expect(lines.filter((line) => line === full)).toHaveLength(2);
    const afterYes = lines.slice(lines.indexOf(full)).find((line) => line?.startsWith("Turns: 1/3"));
    expect(afterYes).toBe("Turns: 1/3 · Tokens: 0/360");
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "turns", turns: 6, rounds: 2 },
    ]);
  });

  test("when the limit that is asked about is raised, the other one is asked about", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc(atOnce());
    await pi.prompt("Go.");
    await pi.nextDialog();
    await tell(pi, "/turn-limit 10");
    const next = await pi.nextDialog();
    expect(next).toMatchObject({
      title: "Token limit reached",
      message: "You've used 360 of 360 tokens. Continue?",
    });
    expect(stage.model.requests).toHaveLength(3);
    await tell(pi, "/token-limit 480");
    const last = await pi.nextDialog();
    expect(last.message).toBe("You've used 480 of 480 tokens. Continue?");
    expect(stage.model.requests).toHaveLength(4);
    pi.answer(last, no);
    await pi.settled();
    expect(questions(pi)).toEqual([turnsAsked(3), tokensAsked(360), tokensAsked(480)]);
  });

  test("of turns and tokens that are used up at once, print mode reports the turns, and only them", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code, stderr } = await stage.print("Go.", atOnce());
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toBe(
      'Turn limit reached (3/3). To allow more, use --max-turns, PI_MAX_TURNS or "turns" in turn-limit.json.\n',
    );
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "turns" }]);
    expect(await recorded(stage, BOUNDARY)).toEqual([{ ...named("turns"), used: 3, max: 3, action: "stop" }]);
  });

  test("a yes starts only that over which is used up", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ maxTurns: 5, args: ["--max-tokens", "240"], beside });
    answerInTurn(pi, yes, yes, yes, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([tokensAsked(240), tokensAsked(240), turnsAsked(5), tokensAsked(240)]);
    expect(stage.model.requests).toHaveLength(6);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "tokens", turns: 6 },
    ]);
  });

  test("a limit that stops comes before one that asks", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc(atOnce("360 stop"));
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(3);
    expect(pi.notifications).toEqual([{ message: "Token limit reached (360/360).", type: "error" }]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "tokens" }]);
  });

  test("a limit that ends with an answer without tools comes before one that asks", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const pi = await stage.rpc(atOnce("360 synthesize"));
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([]);
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "salvaged", limit: "tokens" }]);
  });

  test("a limit that stops comes before one that ends with an answer without tools", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const { code, stderr } = await stage.print("Go.", atOnce("360 synthesize"));
    expect(offeredTools(stage)).toEqual([true, true, true]);
    expect(stderr).toContain("Turn limit reached (3/3).");
    expect(code).toBe(1);
  });

  test("the step limit comes before that of a tool", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(4));
    await stage.sandbox.writeUserConfig({ tools: { bash: 3 } });
    const pi = await stage.rpc({ maxSteps: 3, beside });
    await work(pi, "Go.");
    expect(await executed(stage)).toHaveLength(3);
    expect(questions(pi)).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "steps", steps: 3 }]);
  });

  test("every limit stands in one line, in one order", async () => {
    await using stage = await setStage(host, endsAfter(2), { modelCost: { input: 100 } });
    const tools = { bash: 5, read: 9 };
    const measured = { time: "1h", cost: "$1", tokens: "1k" };
    await stage.sandbox.writeUserConfig({ tools, repeats: 3, ...measured, steps: 40, turns: 7 });
    const pi = await stage.rpc();
    await work(pi, "Go.");
    expect(counterLines(pi).at(-2)).toMatch(
      /^Turns: 2\/7 · Steps: 1\/40 · Tokens: 240\/1k · Cost: \$0\.02\/\$1\.00 · Time: \d+s\/1h · bash: 1\/5 · read: 0\/9$/,
    );
  });
});

await onNewestTerminal((host) => {
  test("the line that a stopped run leaves says which of the limits it was", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.tui(atOnce("360 stop"));
    await pi.submit("Go.");
    await pi.waitFor(/Stopped by the token limit · 3 turns · 3 steps · 360 tokens · \d+s/);
    expect(await pi.screen()).not.toContain("Turn limit reached");
  });
});
