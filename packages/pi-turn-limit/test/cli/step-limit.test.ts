import { bash, calls, endsAfter, type PiEvent, says, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest, counterLines, questions, tell, work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const exceeded = {
  outcome: "stopped",
  limit: "steps",
  turns: 4,
  rounds: 1,
  steps: 3,
  maxTurns: 25,
  maxSteps: 3,
};

function lastAnswer(events: readonly PiEvent[]): unknown {
  return events.findLast(({ type }) => type === "message_end")?.message;
}

onEachHost((host) => {
  test("readers of the JSON stream can tell that the steps ran out [CallRaises] [RunRaises]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { events } = await stage.json("Go.", { maxSteps: 3, beside });
    expect(lastAnswer(events)).toMatchObject({
      role: "assistant",
      stopReason: "aborted",
      errorMessage: expect.stringContaining("Step limit exceeded (3)"),
    });
    const entries = events.flatMap(({ entry }) => (entry ? [entry] : []));
    expect(entries).toContainEqual(
      expect.objectContaining({ customType: OUTCOME, data: expect.objectContaining(exceeded) }),
    );
    expect(await recorded(stage, OUTCOME)).toMatchObject([exceeded]);
    expect(await recorded(stage, "turn-limit:boundary")).toEqual([
      { ...named("steps"), used: 3, max: 3, action: "stop" },
    ]);
    expect(stage.model.requests).toHaveLength(4);
  });

  test("an RPC client is told, and the next prompt has the whole budget again [CallRaises] [PersonPrompts]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc();
    expect(await tell(pi, "/step-limit 3")).toEqual({ message: "Step limit set to 3.", type: "info" });
    await work(pi, "One.");
    expect(await executed(stage)).toHaveLength(3);
    expect(stage.model.requests).toHaveLength(4);
    expect(pi.notifications.slice(1)).toEqual([{ message: "Step limit exceeded (3).", type: "error" }]);
    expect(lastAnswer(pi.events)).toHaveProperty(
      "errorMessage",
      expect.stringMatching(/^Step limit exceeded/),
    );
    await work(pi, "Two.");
    expect(await executed(stage)).toHaveLength(6);
    expect(stage.model.requests).toHaveLength(8);
    expect(questions(pi)).toEqual([]);
  });
});

onNewestHost((host) => {
  test("a call that fails is a step, and one that names no tool is none [StepTaken]", async () => {
    const odd = calls(bash("exit 3"), { name: "no-such-tool", arguments: {} }, leaves("a"), leaves("b"));
    await using stage = await setStage(
      host,
      sequence([odd], () => says("Done.")),
    );
    const { code } = await stage.print("Go.", { maxSteps: 2 });
    expect(await executed(stage)).toEqual(["a"]);
    expect(stage.model.requests).toHaveLength(1);
    expect(code).toBe(1);
  });

  test("the counter of steps stands beside that of turns, and counts each call once", async () => {
    await using stage = await setStage(host, sequence([calls(leaves("one"), leaves("two"))]));
    const pi = await stage.rpc({ maxSteps: 3 });
    await work(pi, "Go.");
    const shown = counterLines(pi).filter((line, index, lines) => line !== lines[index - 1]);
    expect(shown).toEqual([
      ...["Turns: 1/25 · Steps: 0/3", "Turns: 1/25 · Steps: 1/3", "Turns: 1/25 · Steps: 2/3"],
      ...["Turns: 2/25 · Steps: 2/3", undefined],
    ]);
  });

  test("an agent that is done with its last step has not hit the limit [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(4, "Done in three."));
    const { code, stdout, stderr } = await stage.print("Go.", { maxSteps: 3, beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done in three.\n", stderr: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", steps: 3 }]);
  });

  test("steps go on counting over a yes at the turn limit [ContinuationConfirmed] [CallRaises]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ maxTurns: 2, maxSteps: 3 });
    pi.onDialog(() => ({ confirmed: true }));
    await work(pi, "Go.");
    expect(questions(pi)).toHaveLength(1);
    expect(await executed(stage)).toHaveLength(3);
    expect(stage.model.requests).toHaveLength(4);
  });

  test.for(["user-message", "custom-message"])(
    "an extension that goes on by %s cannot make an agent work that is out of steps [LimitRaises] [ProgramContinues]",
    async (way) => {
      await using stage = await setStage(host, leavesWithoutEnd());
      const env = { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "2" };
      const { code } = await stage.print("Go.", { maxSteps: 2, beside: ["continues"], env });
      expect(stage.model.requests).toHaveLength(3);
      expect(await executed(stage)).toHaveLength(2);
      expect(code).toBe(1);
    },
  );

  test.for([
    { from: "the flag", cast: { maxSteps: 3 }, settings: {} },
    { from: "the environment", cast: { env: { PI_MAX_STEPS: "3" } }, settings: {} },
    { from: "a number in the settings", cast: {}, settings: { steps: 3 } },
    {
      from: "a policy in the settings",
      cast: {},
      settings: { steps: { max: 3, onExhausted: "raise" } },
    },
  ])(
    "a limit of 3 from $from admits exactly 3 calls, and print mode ends with an error [StepTaken] [CallRaises]",
    async ({ cast, settings }) => {
      await using stage = await setStage(host, leavesWithoutEnd());
      await stage.sandbox.writeUserConfig(settings);
      const { code, stdout, stderr } = await stage.print("Go.", cast);
      expect(await executed(stage)).toEqual(["1.1", "2.1", "3.1"]);
      expect(stage.model.requests).toHaveLength(4);
      expect(stderr).toContain("Step limit exceeded (3)");
      expect(stderr).toContain("--max-steps");
      expect(stdout + stderr).not.toMatch(/abort/i);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    },
  );
});

await onNewestTerminal((host) => {
  test("a person sees the steps counted and that they ran out [CallRaises]", async () => {
    const { script, release } = heldAtFirst(calls(leaves("first")), leavesWithoutEnd());
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ maxSteps: 3 });
    await pi.submit("Go.");
    await pi.waitFor("Turns: 1/25 · Steps: 0/3");
    release();
    await pi.waitFor("Step limit exceeded (3)");
    await cameToRest(pi);
    await pi.submit("/step-limit");
    await pi.waitFor("Step limit: 3 (--max-steps). Last run: 3/3.");
    expect(await executed(stage)).toHaveLength(3);
  });
});
