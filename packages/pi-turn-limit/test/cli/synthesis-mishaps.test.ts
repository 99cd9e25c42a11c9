import { calls, deferred, fails, type Reply, type Script, slow, stalls } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leaves } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, salvage, worksUntilToolsFree } from "../helpers/salvage.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { tell, work } from "../helpers/talk.ts";
import { unansweredInRequest } from "../helpers/unanswered.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const maxSteps = "2 synthesize";
const steps = [true, true, true];

/** Works without end; the answers without tools are these, in order, and then the usual one. */
function answersWithoutTools(...replies: Reply[]): Script {
  return (request) =>
    worksUntilToolsFree(request.toolNames.length === 0 ? (replies.shift() ?? salvage) : salvage)(request);
}

function outcomes(stage: Stage): Promise<unknown[]> {
  return recorded(stage, OUTCOME);
}

onEachHost((host) => {
  test("aborted while the answer without tools is awaited, the run is over and the tools are back [RunAborted]", async () => {
    await using stage = await setStage(host, answersWithoutTools(stalls()));
    const pi = await stage.rpc({ maxSteps, beside });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await pi.abort();
    await pi.settled();
    expect(await outcomes(stage)).toMatchObject([{ outcome: "aborted", limit: "steps" }]);
    await work(pi, "Two.");
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
    expect(await outcomes(stage)).toMatchObject([{ outcome: "aborted" }, { outcome: "salvaged" }]);
  });

  test("a request without tools that is retried is the same pass, without tools, with one answer [TurnRetried]", async () => {
    await using stage = await setStage(host, answersWithoutTools(fails(529), fails(529)));
    const { code, stdout } = await stage.print("Go.", { maxSteps, beside });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(offeredTools(stage)).toEqual([...steps, false, false, false]);
    expect(await outcomes(stage)).toMatchObject([{ outcome: "salvaged", turns: 4, steps: 2 }]);
  });

  test("reloaded while the answer is awaited, the extension has the tools as they were", async () => {
    const gate = deferred();
    await using stage = await setStage(host, answersWithoutTools(slow(salvage, gate.promise)));
    const pi = await stage.rpc({ maxSteps, beside: ["travels"] });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await pi.prompt("/load-again");
    expect((await tell(pi, "/step-limit")).message).toContain("Step limit: 2 synthesize (--max-steps)");
    gate.resolve();
    await pi.waitFor(({ type }) => type === "agent_settled");
    await work(pi, "Two.");
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
  });
});

onNewestHost((host) => {
  test("when the request without tools fails for good, the run has failed and the tools are back [RunFails]", async () => {
    await using stage = await setStage(host, answersWithoutTools(fails(400)));
    const { code, stdout } = await stage.print(["One.", "Two."], { maxSteps, beside });
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
    expect(await outcomes(stage)).toMatchObject([
      { outcome: "failed", limit: "steps" },
      { outcome: "salvaged", limit: "steps" },
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
  });

  test("a retry of the request without tools is not announced again", async () => {
    await using stage = await setStage(host, answersWithoutTools(fails(529)));
    const { stderr } = await stage.print("Go.", { maxSteps, beside });
    expect(stderr).toBe("Step limit reached (2/2): one last answer, without tools.\n");
    expect(await recorded(stage, "turn-limit:boundary")).toEqual([
      { ...named("steps"), used: 2, max: 2, action: "synthesize" },
    ]);
  });

  test("reloaded after the answer, the extension has the tools as they were", async () => {
    await using stage = await setStage(host, answersWithoutTools());
    const pi = await stage.rpc({ maxSteps, beside: ["travels"] });
    await work(pi, "One.");
    await pi.prompt("/load-again");
    await work(pi, "Two.");
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
  });

  test("reloaded while the answer is awaited, the extension lets a model that calls a tool no further [SynthesisNeverRepeats]", async () => {
    const gate = deferred();
    const callsAgain = slow(calls(leaves("more")), gate.promise);
    await using stage = await setStage(host, answersWithoutTools(callsAgain));
    const pi = await stage.rpc({ maxSteps, beside: ["travels"] });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await pi.prompt("/load-again");
    gate.resolve();
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(await executed(stage)).toEqual(["1.1", "2.1"]);
    expect(offeredTools(stage)).toEqual([...steps, false]);
  });

  test("a session resumed after the answer has its tools, and a result for every call", async () => {
    await using stage = await setStage(host, answersWithoutTools());
    await stage.print("One.", { maxSteps, session: true });
    const { code, stdout } = await stage.print("Two.", { maxSteps, session: true, args: ["--continue"] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
    for (const { messages } of stage.model.requests) expect(unansweredInRequest(messages)).toEqual([]);
  });

  test("a follow-up that a person queued meanwhile is a prompt of its own, with tools [PersonPrompts]", async () => {
    const gate = deferred();
    await using stage = await setStage(host, answersWithoutTools(slow(salvage, gate.promise)));
    const pi = await stage.rpc({ maxSteps, beside });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await pi.followUp("Two.");
    gate.resolve();
    await pi.settled();
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
    expect(await outcomes(stage)).toMatchObject([{ outcome: "salvaged" }, { outcome: "salvaged" }]);
  });

  test("a message steered in meanwhile carries the agent no further [SynthesisNeverRepeats]", async () => {
    const gate = deferred();
    await using stage = await setStage(host, answersWithoutTools(slow(salvage, gate.promise)));
    const pi = await stage.rpc({ maxSteps });
    await pi.prompt("One.");
    await stage.model.waitForRequest(4);
    await pi.steer("Not yet.");
    gate.resolve();
    await pi.settled();
    expect(offeredTools(stage)).toEqual([...steps, false]);
    await work(pi, "Two.");
    expect(offeredTools(stage)).toEqual([...steps, false, ...steps, false]);
  });
});
