import { bash, calls, deferred, fails, says, sequence, slow } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { breakBuild, countsNoTurns } from "../helpers/broken-build.ts";
import { executed, leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { keptEntries, recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { questions, work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";

const forgetsToStop = /if \(next\.kind === "stop"\) await this\.#brake\.stop\(next\);/;
const stepsAreChecked = /(?<=const uncovered\d* = )budget\d*\.uncovered\(call\);/;

onEachHost((host) => {
  test("retries, parallel calls, steering, a follow-up and a yes are no overrun", async () => {
    const gate = deferred();
    const works = (...names: string[]) => calls(...names.map(leaves));
    const overloaded = fails(529);
    const script = sequence([
      ...[slow(works("a1", "a2", "a3"), gate.promise), overloaded, works("b1", "b2"), works("c1")],
      ...[overloaded, overloaded, works("d1", "d2"), says("One is done.")],
      ...[works("e1"), overloaded, works("f1", "f2", "f3", "f4"), works("g1"), says("Two is done.")],
    ]);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ maxTurns: 3, maxSteps: 8, beside });
    pi.onDialog(() => ({ confirmed: true }));
    await pi.prompt("One.");
    await stage.model.waitForRequest(1);
    await pi.steer("Left.");
    await pi.followUp("Two.");
    gate.resolve();
    await pi.settled();
    expect(stage.model.requests).toHaveLength(13);
    expect(questions(pi)).toHaveLength(2);
    expect(await executed(stage)).toHaveLength(14);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "completed", turns: 5, rounds: 2, steps: 8 },
      { outcome: "completed", turns: 4, rounds: 2, steps: 6 },
    ]);
    expect(pi.notifications).toEqual([]);
  });

  test("calls that name no tool, have bad arguments, fail or are refused are no overrun", async () => {
    const odd = calls(
      { name: "no-such-tool", arguments: {} },
      { name: "bash", arguments: { commend: "ls" } },
      ...[bash("exit 3"), leaves("a"), leaves("b")],
    );
    await using stage = await setStage(
      host,
      sequence([odd, odd], () => says("Done.")),
    );
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.rpc({ maxSteps: 20, beside });
    pi.onDialog(() => ({ confirmed: true }));
    await work(pi, "Go.");
    expect(questions(pi)).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 3 }]);
    expect(pi.notifications).toEqual([]);
  });
});

onNewestHost((host) => {
  test("forty turns of flaky requests and parallel calls are no overrun", async () => {
    const works = leavesWithoutEnd(3);
    await using stage = await setStage(host, (request) =>
      request.index % 4 === 0 ? fails(529) : works(request),
    );
    const { stderr } = await stage.print("Go.", { maxTurns: 40, maxSteps: 200, beside });
    expect(stderr).toContain("Turn limit reached (40/40).");
    expect(stage.model.requests).toHaveLength(53);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", turns: 40, steps: 120 }]);
  });

  test.for([
    { fault: "counts no turns", sound: countsNoTurns },
    { fault: "forgets to stop at the boundary", sound: forgetsToStop },
  ])(
    "a build that $fault is found out before the request: 3 are sent of 3, and print mode says so",
    async ({ sound }) => {
      await using build = await breakBuild(sound, "");
      await using stage = await setStage(host, leavesWithoutEnd());
      const cast = { build: build.path, maxTurns: 3, session: true, beside };
      const { code, stdout, stderr } = await stage.print("Go.", cast);
      expect(stage.model.requests).toHaveLength(3);
      expect(stderr).toContain(
        "Stopped: more requests were sent than the limit admits (4/3). This is a defect: please report it.",
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      const overrun = { outcome: "limit-overrun", limit: "turns", maxTurns: 3, steps: 3 };
      expect(await recorded(stage, OUTCOME)).toMatchObject([overrun]);
      expect(await keptEntries(stage, OUTCOME)).toMatchObject([overrun]);
    },
  );

  test("a build that counts no turns is found out with a UI too, and again at the next prompt", async () => {
    await using build = await breakBuild(countsNoTurns, "");
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ build: build.path, maxTurns: 3, beside });
    await work(pi, "One.");
    expect(stage.model.requests).toHaveLength(3);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(6);
    const message = "Stopped: more requests were sent than the limit admits (4/3).";
    expect(pi.notifications).toEqual([
      { message, type: "error" },
      { message, type: "error" },
    ]);
    expect(questions(pi)).toEqual([]);
    expect(await recorded(stage, BOUNDARY)).toEqual([
      { ...named("turns"), used: 4, max: 3, action: "stop" },
      { ...named("turns"), used: 4, max: 3, action: "stop" },
    ]);
  });

  test("a build that admits every step is found out by the first call too many, and no request follows", async () => {
    await using build = await breakBuild(stepsAreChecked, "undefined;");
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code, stderr } = await stage.print("Go.", { build: build.path, maxSteps: 3, beside });
    expect(await executed(stage)).toHaveLength(4);
    expect(stage.model.requests).toHaveLength(4);
    expect(stderr).toContain(
      "Stopped: more tool calls were executed than the limit admits (4/3). This is a defect: please report it.",
    );
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "limit-overrun", limit: "steps" }]);
  });
});
