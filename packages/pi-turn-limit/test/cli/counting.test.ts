import { bash, calls, endless, endsAfter, type ModelRequest, parallel, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

onEachHost((host) => {
  test.for([0, 1, 5])(
    "a limit of %d sends exactly that many requests and says how to raise it [TurnAdmitted] [LimitStops]",
    async (max) => {
      await using stage = await setStage(host, endless());
      const { code, stdout, stderr } = await stage.print("Go.", { maxTurns: max });
      expect(stage.model.requests).toHaveLength(max);
      expect(stderr).toContain(`Turn limit reached (${max}/${max})`);
      expect(stderr).toContain("--max-turns");
      expect(stdout + stderr).not.toMatch(/abort/i);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    },
  );

  test("JSON mode stops at the limit without a question [LimitStops]", async () => {
    await using stage = await setStage(host, endless());
    const { events } = await stage.json("Go.", { maxTurns: 5 });
    expect(stage.model.requests).toHaveLength(5);
    expect(events.at(-1)).toMatchObject({ type: "agent_settled" });
    expect(events.filter(({ type }) => type === "extension_ui_request")).toEqual([]);
  });

  test("each prompt of a person has the whole budget [PersonPrompts]", async () => {
    await using stage = await setStage(host, endsAfter(3, "Done."));
    const { code, stderr } = await stage.print(["One.", "Two."], { maxTurns: 3 });
    const asked = stage.model.requests.map(({ lastUserText }) => lastUserText);
    expect(asked).toEqual(["One.", "One.", "One.", "Two.", "Two.", "Two."]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

onNewestHost((host) => {
  test("nobody has to set anything: the limit is 25 [SessionOpens]", async () => {
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.print("Go.");
    expect(stage.model.requests).toHaveLength(25);
    expect(stderr).toContain("Turn limit reached (25/25)");
    expect(code).toBe(1);
  });

  test("without a limit the agent works until it is done [TurnAdmitted]", async () => {
    await using stage = await setStage(host, endsAfter(30, "Thirty turns."));
    const { code, stdout, stderr } = await stage.print("Go.", { maxTurns: "unlimited" });
    expect(stage.model.requests).toHaveLength(30);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Thirty turns.\n", stderr: "" });
  });

  test("an agent that is done exactly at the limit has not hit it [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(5, "Done in five."));
    const { code, stdout, stderr } = await stage.print("Go.", { maxTurns: 5 });
    expect(stage.model.requests).toHaveLength(5);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done in five.\n", stderr: "" });
  });

  test("an answer with several tool calls is one turn [TurnCompletes]", async () => {
    await using stage = await setStage(host, parallel(3));
    const { code } = await stage.print("Go.", { maxTurns: 2 });
    expect(stage.model.requests).toHaveLength(2);
    expect(code).toBe(1);
  });

  test("after a stop the next prompt starts with a full budget [PersonPrompts]", async () => {
    await using stage = await setStage(host, endless());
    await stage.print(["One.", "Two."], { maxTurns: 2 });
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      "One.",
      "One.",
      "Two.",
      "Two.",
    ]);
  });

  test("of several prompts in print mode, each that was stopped is named on stderr", async () => {
    const script = (request: ModelRequest) =>
      request.lastUserText === "Two." ? says("Done.") : calls(bash("echo working"));
    await using stage = await setStage(host, script);
    const { stdout, stderr } = await stage.print(["One.", "Two."], { maxTurns: 2 });
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect(stdout).toBe("Done.\n");
  });

  test("JSON mode says on stderr too why a run was stopped, and exits as it always does", async () => {
    await using stage = await setStage(host, endless());
    const { code, stderr } = await stage.json("Go.", { maxTurns: 2 });
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Turn limit reached (2/2). To allow more, use --max-turns, PI_MAX_TURNS or "turns" in turn-limit.json.\n',
    );
  });
});
