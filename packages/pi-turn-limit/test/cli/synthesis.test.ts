import { DEFAULT_SYNTHESIS_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { keptEntries, recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { counterLines, questions, work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const maxSteps = "2 synthesize";
const salvaged = {
  outcome: "salvaged",
  limit: "steps",
  turns: 4,
  rounds: 1,
  steps: 2,
  maxTurns: 25,
  maxSteps: 2,
};

function saysInstruction({ messages }: { messages: unknown }): boolean {
  return JSON.stringify(messages).includes(DEFAULT_SYNTHESIS_MESSAGE);
}

onEachHost((host) => {
  test("out of steps, print mode prints an answer made without tools [SynthesisBegins] [RunEndsSalvaged]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const { code, stdout, stderr } = await stage.print("Go.", { maxSteps, session: true, beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Step limit reached (2/2): one last answer, without tools.\n");
    expect(await executed(stage)).toEqual(["1.1", "2.1"]);
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(stage.model.requests.map(saysInstruction)).toEqual([false, false, false, true]);
    expect(stage.model.requests.at(-1)?.lastUserText).toBe(DEFAULT_SYNTHESIS_MESSAGE);
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([salvaged]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([salvaged]);
    expect(await recorded(stage, "turn-limit:boundary")).toEqual([
      { ...named("steps"), used: 2, max: 2, action: "synthesize" },
    ]);
  });

  test("the next prompt has its tools and its steps again, and is not told the instruction [PersonPrompts]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const { code } = await stage.print(["One.", "Two."], { maxSteps, beside });
    const prompt = [true, true, true, false];
    expect(offeredTools(stage)).toEqual([...prompt, ...prompt]);
    expect(stage.model.requests.slice(4, 7).filter(saysInstruction)).toEqual([]);
    expect(await executed(stage)).toHaveLength(4);
    expect(await recorded(stage, OUTCOME)).toMatchObject([salvaged, salvaged]);
    expect(code).toBe(0);
  });

  test("a model that calls a tool anyway is stopped, and never asked a second time [SynthesisNeverRepeats] [StepRefusedAfterExhaustion]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code, stdout, stderr } = await stage.print("Go.", { maxSteps, beside });
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(await executed(stage)).toEqual(["1.1", "2.1"]);
    expect(stderr).toContain("Step limit exceeded (2)");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "steps" }]);
  });
});

onNewestHost((host) => {
  test.for([
    { from: "the environment", env: { PI_MAX_STEPS: "2 Synthesize" }, settings: {} },
    { from: "the settings", env: {}, settings: { steps: { max: 2, onExhausted: "synthesize" } } },
  ])("the policy is taken from $from [CallSynthesizes]", async ({ env, settings }) => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig(settings);
    const { code, stdout } = await stage.print("Go.", { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
  });

  test("with a UI the person reads why, and is asked nothing [CallSynthesizes]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const pi = await stage.rpc({ maxSteps, maxTurns: 3 });
    await work(pi, "Go.");
    expect(pi.notifications).toEqual([
      { message: "Step limit reached (2/2): one last answer, without tools.", type: "warning" },
    ]);
    expect(questions(pi)).toEqual([]);
    expect(counterLines(pi)).toContain("Turns: 4/3 · Steps: 2/2");
    expect(pi.widget("turn-limit")).toBeUndefined();
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
  });

  test("a model that ignores refusals 8 at a time gets one request more, and no call [SynthesisNeverRepeats]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(8));
    const { code } = await stage.print("Go.", { maxSteps: "20 synthesize" });
    expect(await executed(stage)).toHaveLength(20);
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(code).toBe(1);
  });

  test.for(["user-message", "custom-message"])(
    "an extension that goes on by %s after the answer gets no request [NothingToSynthesize]",
    async (way) => {
      await using stage = await setStage(host, worksUntilToolsFree());
      const env = { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "2" };
      await stage.print("Go.", { maxSteps, beside: ["continues"], env });
      expect(offeredTools(stage)).toEqual([true, true, true, false]);
    },
  );
});
