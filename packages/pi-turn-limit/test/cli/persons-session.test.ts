import { bash, calls, endless, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, questions, work } from "../helpers/talk.ts";

// Given with `-e`, so that it is loaded, and told of the session, before the extension that is installed.
const beside = ["opens-a-session"];
const installed: string[] = [];

onEachHost((host) => {
  test("print mode's session is the person's, whatever session another extension opens before [LimitStops]", async () => {
    await using stage = await setStage(host, endless(), { installed });
    const { code, stderr } = await stage.print("Go.", { maxTurns: 2, beside });
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 2 });
  });

  test.for(["load", "while loading"])(
    "print mode's session is the person's, also where another one is opened before this extension is loaded (%s) [LimitStops]",
    async (when) => {
      await using stage = await setStage(host, endless(), { installed });
      const { code, stderr } = await stage.print("Go.", { maxTurns: 2, beside, env: { OPEN_AT: when } });
      expect(stderr).toContain("Turn limit reached (2/2)");
      expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 2 });
    },
  );

  test("an RPC client's prompts refresh its budgets, whatever session another extension opens before [PersonPrompts]", async () => {
    const tenCents = withUsage({ promptTokens: 100_000, completionTokens: 0 }, calls(bash("echo working")));
    await using stage = await setStage(host, () => tenCents, { installed, modelCost: { input: 1 } });
    await stage.sandbox.writeUserConfig({ cost: 0.2 });
    const pi = await stage.rpc({ beside });
    pi.onDialog(() => no);
    await work(pi, "One.");
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(4);
    expect(questions(pi)).toHaveLength(2);
  });
});

onNewestHost((host) => {
  test("JSON mode's session is the person's, too", async () => {
    await using stage = await setStage(host, endless(), { installed });
    const { stderr } = await stage.json("Go.", { maxTurns: 2, beside });
    expect(stderr).toContain("Turn limit reached (2/2)");
    expect(stage.model.requests).toHaveLength(2);
  });

  test.for(["rpc", "json"] as const)(
    "a session that is opened before the extension is loaded is not the person's either, in %s mode",
    async (mode) => {
      await using stage = await setStage(host, endless(), { installed });
      const cast = { maxTurns: 2, beside, env: { OPEN_AT: "load" } };
      if (mode === "json") {
        const { stderr } = await stage.json("Go.", cast);
        expect(stderr).toContain("Turn limit reached (2/2)");
      } else {
        const pi = await stage.rpc(cast);
        pi.onDialog(() => no);
        await work(pi, "Go.");
        expect(questions(pi)).toEqual(["Turn limit reached: You've used 2 turns. Continue?"]);
      }
      expect(stage.model.requests).toHaveLength(2);
    },
  );
});
