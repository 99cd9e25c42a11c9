import { calls, deferred, type Script, sequence, slow } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { offeredTools, salvage, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { tell, work } from "../helpers/talk.ts";

/** Two calls, a third that is made when the gate opens, and further ones without end. */
function heldAtThird(then: Script = leavesWithoutEnd()): { script: Script; release: () => void } {
  const gate = deferred();
  const replies = [calls(leaves("a")), calls(leaves("b")), slow(calls(leaves("c")), gate.promise)];
  return { script: sequence(replies, then), release: () => gate.resolve() };
}

onNewestHost((host) => {
  test("raised while the answer without tools is awaited, the limit lets the run end with it [SynthesisNeverRepeats]", async () => {
    const gate = deferred();
    await using stage = await setStage(host, worksUntilToolsFree(slow(salvage, gate.promise)));
    const pi = await stage.rpc({ maxSteps: "2 synthesize" });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await tell(pi, "/step-limit 3 synthesize");
    gate.resolve();
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    await work(pi, "Two.");
    expect(await executed(stage)).toHaveLength(2 + 3);
  });

  test.for([
    { change: "raised to 5", command: "/step-limit 5", shown: "Turns: 3/25 · Steps: 2/5", run: 5 },
    { change: "lowered to 1", command: "/step-limit 1", shown: "Turns: 3/25 · Steps: 2/1", run: 2 },
  ])(
    "$change while the agent works, the limit counts the calls already made [LimitChanged]",
    async ({ command, shown, run }) => {
      const { script, release } = heldAtThird();
      await using stage = await setStage(host, script);
      const pi = await stage.rpc({ maxSteps: 3 });
      await pi.prompt("Go.");
      await stage.model.waitForRequest(3);
      expect((await tell(pi, "/step-limit")).message).toBe("Step limit: 3 (--max-steps). Used: 2.");
      await tell(pi, command);
      expect(pi.widget("turn-limit")).toEqual([shown]);
      release();
      await pi.waitFor(({ type }) => type === "agent_settled");
      expect(await executed(stage)).toHaveLength(run);
    },
  );

  test("removed while the agent works, the limit holds nothing back, and is not shown [LimitRemoved] [StepTaken]", async () => {
    const { script, release } = heldAtThird(() => salvage);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxSteps: 2 });
    await pi.prompt("Go.");
    await stage.model.waitForRequest(3);
    await tell(pi, "/step-limit unlimited");
    expect(pi.widget("turn-limit")).toEqual(["Turns: 3/25"]);
    release();
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(await executed(stage)).toEqual(["a", "b", "c"]);
  });
});
