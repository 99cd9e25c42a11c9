import { calls, endsAfter, says, sequence } from "@turn-limit/rig";
import { DEFAULT_WRAP_UP_MESSAGE } from "turn-limit";
import { expect, test } from "vitest";
import { leaves, leavesWithoutEnd } from "../helpers/executed.ts";
import { onEachHost, onEachTerminal, onNewestHost } from "../helpers/on-each-host.ts";
import { keptEntries, recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work, yes } from "../helpers/talk.ts";
import { obeys, shownWrapUps, tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const sixGraceTwo = { maxTurns: 6, turnGrace: 2 };
const works = calls(leaves("working"));
const finish = { name: "finish", arguments: {} };

onEachHost((host) => {
  test("what the model was told for one prompt is not in the requests of the next, also in a session that is resumed", async () => {
    await using stage = await setStage(host, obeys());
    await stage.print(["One.", "Two."], { ...sixGraceTwo, session: true });
    await stage.print("Three.", { ...sixGraceTwo, session: true, args: ["--continue"] });
    const once = [0, 0, 0, 0, 1];
    expect(tellingsOf(stage)).toEqual([...once, ...once, ...once]);
  });

  test("readers of the JSON stream and the session file see what the model was told, once [WrapUpDelivered]", async () => {
    await using stage = await setStage(host, obeys());
    const { events } = await stage.json("Go.", { ...sixGraceTwo, session: true });
    const shown = { role: "custom", content: DEFAULT_WRAP_UP_MESSAGE, display: true };
    expect(shownWrapUps(events)).toMatchObject([shown]);
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up" }]);
  });
});

onNewestHost((host) => {
  test("a model that ignores it is told once, and stopped at the limit as always [LimitStops]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code, stderr } = await stage.print("Go.", { ...sixGraceTwo, beside });
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 0, 1, 1]);
    expect(stderr).toContain("Turn limit reached (6/6)");
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "turns" }]);
  });

  test("an agent that is done by then is not told, and takes no turn more [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(4, "Done in four."));
    const { code, stdout, stderr } = await stage.print("Go.", { ...sixGraceTwo, session: true, beside });
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 0]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done in four.\n", stderr: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 4 }]);
    expect(await keptEntries(stage, OUTCOME)).toEqual([]);
  });

  test.for([
    { what: "ends the run is not told, and takes no turn more", last: calls(finish), told: [0, 0, 0, 0] },
    {
      what: "would, beside one that does not, goes on and is told",
      last: calls(finish, leaves("more")),
      told: [0, 0, 0, 0, 1],
    },
  ])("an agent whose tool $what", async ({ last, told }) => {
    const script = sequence([works, works, works, last], () => says("Done."));
    await using stage = await setStage(host, script);
    await stage.print("Go.", { ...sixGraceTwo, beside: ["finishes"] });
    expect(tellingsOf(stage)).toEqual(told);
  });

  test("a yes at the limit arms it again, and it is shown each time [ContinuationConfirmed] [WrapUpDelivered]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ maxTurns: "4 grace 1" });
    answerInTurn(pi, yes, no);
    await work(pi, "Go.");
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
    const shown = { role: "custom", customType: "turn-limit:wrap-up", display: true };
    expect(shownWrapUps(pi.events)).toMatchObject([shown, shown]);
    expect(questions(pi)).toHaveLength(2);
  });

  test("each prompt is told in its own time [PersonPrompts]", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    await stage.print(["One.", "Two."], { maxTurns: "3 grace 1" });
    expect(tellingsOf(stage)).toEqual([0, 0, 1, 0, 0, 1]);
  });

  test.for([
    { from: "two flags", cast: sixGraceTwo },
    { from: "one flag", cast: { maxTurns: "6 grace 2" } },
    { from: "the environment", cast: { env: { PI_MAX_TURNS: "6", PI_TURN_GRACE: "2" } } },
    { from: "the command", cast: {}, command: "/turn-limit 6 grace 2" },
    { from: "the settings", cast: {}, settings: { turns: { max: 6, grace: 2, message: "Land the plane." } } },
  ])(
    "by $from, a model that wraps up when told ends with its partial answer [WrapUpDelivered] [RunEndsWarned]",
    async ({ cast, command, settings = {} }) => {
      const text = settings.turns?.message;
      await using stage = await setStage(host, obeys(text));
      await stage.sandbox.writeUserConfig(settings);
      const prompts = command === undefined ? ["Go."] : [command, "Go."];
      const { code, stdout } = await stage.print(prompts, { ...cast, beside });
      expect(tellingsOf(stage, text)).toEqual([0, 0, 0, 0, 1]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "Partial answer.\n" });
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "wrapped-up", turns: 5, maxTurns: 6 },
      ]);
    },
  );

  test("a project does not switch your wrap-up off, and you are told", async () => {
    await using stage = await setStage(host, obeys());
    await stage.sandbox.writeUserConfig({ turns: { max: 6, grace: 2 } });
    const project = await stage.sandbox.writeProjectConfig({ turns: { grace: 0 } });
    const { stderr } = await stage.print("Go.");
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 0, 1]);
    expect(stderr).toContain(project);
    expect(stderr).toContain("The turn grace 0 is ignored: a project may not change your grace of 2.");
  });

  test.for(["6 grace 0", "6 grace 6", "6 grace 9"])("with %s the model is never told", async (maxTurns) => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const { code } = await stage.print("Go.", { maxTurns });
    expect(tellingsOf(stage)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(code).toBe(1);
  });
});

await onEachTerminal((host) => {
  test("a person sees what the model is told [WrapUpDelivered]", async () => {
    await using stage = await setStage(host, obeys());
    const pi = await stage.tui({ maxTurns: "3 grace 1" });
    await pi.submit("Go.");
    await pi.waitFor("Partial answer.");
    expect(await pi.screen()).toContain("Wrap up now.");
    expect(await pi.screen()).toContain("The agent was told to wrap up");
    expect(await pi.screen()).not.toContain("turn-limit:wrap-up");
    expect(stage.model.requests).toHaveLength(3);
  });
});
