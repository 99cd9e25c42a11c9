import { bash, calls, endless, endsAfter, type Script, says, turnOf, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { work } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
const cannotHold = "The model scripted-model has no price, so the cost limit of $5.00 cannot hold it.";

/** Pi takes the last of two models. */
const virtual = ["--model", "auto"];

/** Two turns of work and an answer, all of them without tokens of output. */
const answersWithoutOutput: Script = (request) =>
  withUsage({ completionTokens: 0 }, turnOf(request) < 3 ? calls(bash("echo working")) : says("Done."));

onNewestHost((host) => {
  test("with a model that has no price the run goes on, and that is said once a session", async () => {
    await using stage = await setStage(host, endsAfter(4, "Done."));
    const cast = { args: ["--max-cost", "$5"], beside };
    const { code, stdout, stderr } = await stage.print(["One.", "Two."], cast);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toBe(`${cannotHold} The run goes on.\n`);
    expect(stage.model.requests).toHaveLength(8);
    const outcome = { outcome: "completed", turns: 4, unpriced: true };
    expect(await recorded(stage, OUTCOME)).toMatchObject([outcome, outcome]);
  });

  test("a client is warned once, and sees that the cost is not known", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ args: ["--max-cost", "$5"] });
    await work(pi, "One.");
    await work(pi, "Two.");
    expect(pi.notifications).toEqual([{ message: `${cannotHold} The run goes on.`, type: "warning" }]);
  });

  test("without a cost limit nobody hears about prices", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const { stderr } = await stage.print("Go.", { beside });
    expect(stderr).toBe("");
    const [outcome] = await recorded(stage, OUTCOME);
    expect(outcome).not.toHaveProperty("unpriced");
  });

  test("with unpriced: stop not one request is sent", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ cost: { max: 5, unpriced: "stop" } });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toEqual([]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `${cannotHold} The run is stopped.\n` +
        "The model has no price, so the cost limit cannot hold the run. " +
        'Use a model with a price, or another "unpriced" of "cost" in turn-limit.json.\n',
    );
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "cost", turns: 0, unpriced: true },
    ]);
    expect(await recorded(stage, BOUNDARY)).toMatchObject([{ limit: "cost", action: "stop" }]);
  });

  test("with unpriced: stop a person is told, and not asked", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ cost: { max: 5, unpriced: "stop" } });
    const pi = await stage.rpc();
    await work(pi, "Go.");
    expect(stage.model.requests).toEqual([]);
    expect(pi.notifications).toEqual([
      { message: `${cannotHold} The run is stopped.`, type: "warning" },
      { message: "The model has no price, so the cost limit cannot hold the run.", type: "error" },
    ]);
  });

  test("with unpriced: stop a model that has a price works", async () => {
    await using stage = await setStage(host, endsAfter(3, "Done."), { modelCost: { output: 1 } });
    await stage.sandbox.writeUserConfig({ cost: { max: 5, unpriced: "stop" } });
    const { code, stdout, stderr } = await stage.print("Go.");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
  });

  test("with unpriced: stop an answer that costs nothing is one with a price, if its model has one", async () => {
    await using stage = await setStage(host, answersWithoutOutput, { modelCost: { output: 1 } });
    await stage.sandbox.writeUserConfig({ cost: { max: 5, unpriced: "stop" } });
    const { code, stdout, stderr } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(3);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done.\n", stderr: "" });
    const [outcome] = await recorded(stage, OUTCOME);
    expect(outcome).toMatchObject({ outcome: "completed", turns: 3, usage: { cost: 0 } });
    expect(outcome).not.toHaveProperty("unpriced");
  });

  test("a virtual model has the price of the model that answers", async () => {
    await using stage = await setStage(host, endless(), { modelCost: { output: 10_000 } });
    await stage.sandbox.writeUserConfig({ turns: 9, cost: { max: 0.6, unpriced: "stop" } });
    const { code, stderr } = await stage.print("Go.", { args: virtual, beside: [...beside, "routes"] });
    expect(stage.model.requests).toHaveLength(3);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cost limit reached \(\$0\.60\/\$0\.60\)\..*\n$/),
    });
    const [outcome] = await recorded(stage, OUTCOME);
    expect(outcome).toMatchObject({ outcome: "stopped", limit: "cost", turns: 3 });
    expect(outcome).not.toHaveProperty("unpriced");
  });

  test("of a virtual model it is told, and holds from then on, that the model that answers has no price", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ turns: 9, cost: { max: 5, unpriced: "stop" } });
    const { code, stderr } = await stage.print("Go.", { args: virtual, beside: [...beside, "routes"] });
    expect(stage.model.requests).toHaveLength(1);
    expect(stderr).toContain(`${cannotHold} The run is stopped.\n`);
    expect(code).toBe(1);
  });

  test("with unpriced: tokens the token limit takes over", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ tokens: 360, cost: { max: 5, unpriced: "tokens" } });
    const { code, stderr } = await stage.print("Go.", { beside });
    expect(stage.model.requests).toHaveLength(3);
    expect(stderr).toContain(`${cannotHold} The token limit of 360 does.\n`);
    expect(stderr).toContain("Token limit reached (360/360).");
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "stopped", limit: "tokens", turns: 3, unpriced: true },
    ]);
  });

  test("with unpriced: tokens and no token limit not one request is sent", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ cost: { max: 5, unpriced: "tokens" } });
    const { code, stderr } = await stage.print("Go.");
    expect(stage.model.requests).toEqual([]);
    expect(stderr).toContain(`${cannotHold} There is no token limit to hold it instead: the run is stopped.`);
    expect(code).toBe(1);
  });
});
