import { bash, calls, endless, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { answering, choose } from "../helpers/menu.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { dismissed, tell, work } from "../helpers/talk.ts";
import { obeys, tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const entries = [
  "Continue · another 2 turns",
  "Continue with a number of turns…",
  "Wrap up now",
  "No limit for this run",
  "Stop",
];
const settings = { turns: 2, boundary: "menu" };

onEachHost((host) => {
  test("a number of turns is exactly that many more, and then the menu comes again [ContinuationConfirmed]", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc();
    const asked = answering(pi, choose("Continue with a number of turns…"), choose("3"), choose("Stop"));
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2 + 3);
    expect(asked.map(({ method, title }) => [method, title])).toEqual([
      ["select", "Turn limit reached\nYou've used 2 turns."],
      ["input", "How many more turns?\nUse an amount above zero, for example 10."],
      ["select", "Turn limit reached\nYou've used 3 turns."],
    ]);
  });

  test("Wrap up now is one more request, in which the model is told to [HeldTurnWrapsUp]", async () => {
    await using stage = await setStage(host, obeys());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    const asked = answering(pi, choose("Wrap up now"));
    await work(pi, "Go.");
    expect(tellingsOf(stage)).toEqual([0, 0, 1]);
    expect(asked).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 3 }]);
  });
});

onNewestHost((host) => {
  test("the menu says what was used and offers five ways to go on [LimitReached]", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    expect(await pi.nextDialog()).toMatchObject({
      method: "select",
      title: "Turn limit reached\nYou've used 2 turns.",
      options: entries,
    });
    expect(stage.model.requests).toHaveLength(2);
  });

  test("Continue is another round, Stop ends the run [ContinuationConfirmed] [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    answering(pi, choose("Continue · another 2 turns"), choose("Stop"));
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(4);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "turns", rounds: 2 },
    ]);
  });

  test("a dismissed menu is a no [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    answering(pi, dismissed);
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "turns" }]);
  });

  test("a model that works on instead of wrapping up comes to the menu again [HeldTurnWrapsUp]", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    const asked = answering(pi, choose("Wrap up now"), choose("Wrap up now"), choose("Stop"));
    await work(pi, "Go.");
    expect(tellingsOf(stage)).toEqual([0, 0, 1, 1]);
    expect(asked).toHaveLength(3);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", turns: 4 }]);
  });

  test("without a limit for this run nothing is asked any more, and the next prompt has its limit again", async () => {
    await using stage = await setStage(host, ({ index }) =>
      index === 9 ? says("All done.") : calls(bash(`echo ${index}`)),
    );
    await stage.sandbox.writeUserConfig(settings);
    const pi = await stage.rpc({ beside });
    const asked = answering(pi, choose("No limit for this run"), choose("Stop"));
    await work(pi, "One.");
    expect(stage.model.requests).toHaveLength(9);
    expect(asked).toHaveLength(1);
    expect((await tell(pi, "/turn-limit")).message).toContain("Last run: 9/2.");
    await work(pi, "Two.");
    expect(stage.model.requests).toHaveLength(9 + 2);
    expect(asked).toHaveLength(2);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed" }, { outcome: "declined" }]);
  });

  test.for(["0", "-2", "two", "1.5", "", "99999999999999999999"])(
    "'%s' is not a number of turns: it is asked for again, and dismissing that leads back to the menu",
    async (text) => {
      await using stage = await setStage(host, endless());
      await stage.sandbox.writeUserConfig(settings);
      const pi = await stage.rpc();
      const some = choose("Continue with a number of turns…");
      const asked = answering(pi, some, choose(text), dismissed, choose("Stop"));
      await work(pi, "Go.");
      expect(asked.map(({ method }) => method)).toEqual(["select", "input", "input", "select"]);
      expect(asked[2]?.title).toBe(
        `${JSON.stringify(text)} is not a number of turns.\nUse an amount above zero, for example 10.`,
      );
      expect(stage.model.requests).toHaveLength(2);
    },
  );
});
