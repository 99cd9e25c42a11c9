import { endless, endsAfter, fails } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, questions, work, yes } from "../helpers/talk.ts";

const beside = ["continues"];
const ways = ["user-message", "custom-message"];

onEachHost((host) => {
  test.for(ways)(
    "an extension that goes on without end by %s has the budget of one prompt [ProgramContinues]",
    async (way) => {
      await using stage = await setStage(host, endsAfter(2));
      const cast = { maxTurns: 5, beside, env: { AUTO_CONTINUE: way } };
      const { stderr } = await stage.print("Go.", cast);
      expect(stage.model.requests).toHaveLength(5);
      expect(stderr).toContain("Turn limit reached");
    },
  );

  test("a no stands: a message that an extension sends by itself is refused until a person prompts [DeclineStands]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside, env: { AUTO_CONTINUE: "user-message" } });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    await pi.waitFor(() => pi.notifications.some(({ message }) => message.includes("was not run")));
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toHaveLength(1);
  });
});

onNewestHost((host) => {
  test.for(ways)(
    "a person is asked when an extension goes on by %s [ProgramContinues] [LimitReached]",
    async (way) => {
      await using stage = await setStage(host, endsAfter(2));
      const env = { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "2" };
      const pi = await stage.rpc({ maxTurns: 3, beside, env });
      answerInTurn(pi, yes);
      await pi.prompt("Go.");
      for (let run = 1; run <= 3; run++) await pi.waitFor(({ type }) => type === "agent_settled");
      expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
      expect(stage.model.requests).toHaveLength(6);
    },
  );

  test.for(ways)(
    "an agent that never ends is stopped for good, whatever another extension sends by %s [ProgramContinues]",
    async (way) => {
      await using stage = await setStage(host, endless());
      const { code, stderr } = await stage.print("Go.", {
        maxTurns: 3,
        beside,
        env: { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "3" },
      });
      expect(stage.model.requests).toHaveLength(3);
      expect(stderr).toContain("Turn limit reached");
      expect(code).toBe(1);
    },
  );

  test.for(ways)(
    "what another extension adds by %s within the budget is done [ProgramContinues]",
    async (way) => {
      await using stage = await setStage(host, endsAfter(2));
      const env = { AUTO_CONTINUE: way, AUTO_CONTINUE_TIMES: "2" };
      const { code, stderr } = await stage.print("Go.", { maxTurns: 6, beside, env });
      expect(stage.model.requests).toHaveLength(6);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
  );

  test("a no stands: an extension that goes on by custom message does not bring the question back [DeclineStands]", async () => {
    await using stage = await setStage(host, endless());
    const env = { AUTO_CONTINUE: "custom-message", AUTO_CONTINUE_TIMES: "2" };
    const pi = await stage.rpc({ maxTurns: 2, beside, env });
    answerInTurn(pi, no);
    await pi.prompt("Go.");
    for (let run = 1; run <= 3; run++) await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(2);
    expect(questions(pi)).toHaveLength(1);
  });

  test("a person has the whole budget again, however much an extension used up [PersonPrompts] [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ maxTurns: 3, beside, env: { AUTO_CONTINUE_TIMES: "1" } });
    answerInTurn(pi, no);
    await pi.prompt("One.");
    await pi.waitFor(({ type }) => type === "agent_settled");
    await pi.waitFor(({ type }) => type === "agent_settled");
    expect(stage.model.requests).toHaveLength(3);
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(5);
    expect(questions(pi)).toHaveLength(1);
  });

  test("a provider that fails every time is not asked without end [ProgramContinues] [RunFails]", async () => {
    await using stage = await setStage(host, () => fails(400));
    const { code } = await stage.print("Go.", { maxTurns: 3, beside });
    expect(stage.model.requests).toHaveLength(3);
    expect(code).toBe(1);
  });
});
