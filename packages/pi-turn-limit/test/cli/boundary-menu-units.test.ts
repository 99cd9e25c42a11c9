import { bash, calls, endless, says, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { answering, choose } from "../helpers/menu.ts";
import { onEachHost, onEachTerminal, onNewestHost } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { work } from "../helpers/talk.ts";
import { tellingsOf } from "../helpers/wrapping-up.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const menu = { boundary: "menu", turns: "unlimited" };

onEachHost((host) => {
  test("at the time limit, more time can be given while the work goes on", async () => {
    await using stage = await setStage(host, () => calls(bash("sleep 600")));
    await stage.sandbox.writeUserConfig({ ...menu, time: "1s" });
    const pi = await stage.rpc({ beside });
    const asked = answering(
      pi,
      ...[choose("Continue with a number of minutes…"), choose("x"), choose("2s"), choose("Stop")],
    );
    await work(pi, "Go.");
    expect(asked.map(({ method }) => method)).toEqual(["select", "input", "input", "select"]);
    expect(asked[2]?.title).toContain('"x" is not a number of minutes.');
    expect(asked[3]?.title).toMatch(/^Time limit reached\nThe agent has worked for ([2-9]|\d\d)s\.$/);
    expect(stage.model.requests).toHaveLength(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "declined", limit: "time" }]);
  });
});

onNewestHost((host) => {
  test("a number of tokens is that many more, and then the menu comes again", async () => {
    const usage = { promptTokens: 20_000, completionTokens: 0 };
    await using stage = await setStage(host, ({ index }) => withUsage(usage, calls(bash(`echo ${index}`))));
    await stage.sandbox.writeUserConfig({ ...menu, tokens: "30k" });
    const pi = await stage.rpc();
    const asked = answering(pi, choose("Continue with a number of tokens…"), choose("50k"), choose("Stop"));
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(2 + 3);
    expect(asked.map(({ title }) => title)).toEqual([
      "Token limit reached\nYou've used 40k of 30k tokens.",
      "How many more tokens?\nUse an amount above zero, for example 50k.",
      "Token limit reached\nYou've used 60k of 50k tokens.",
    ]);
  });

  test("told to wrap up at the time limit, the model is told in its next turn", async () => {
    const { script, release } = heldAtFirst(calls(bash("echo worked")), () => says("Partial answer."));
    await using stage = await setStage(host, script);
    // Time enough for the second turn on a busy machine: it has as much again.
    await stage.sandbox.writeUserConfig({ ...menu, time: "4s" });
    const pi = await stage.rpc({ beside });
    await pi.prompt("Go.");
    pi.answer(await pi.nextDialog(), choose("Wrap up now"));
    release();
    await pi.settled();
    expect(tellingsOf(stage)).toEqual([0, 1]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "wrapped-up", turns: 2 }]);
  });

  test("a menu about the time makes way for one about the turns when the turn ends first", async () => {
    const { script, release } = heldAtFirst(calls(bash("echo worked")), endless());
    await using stage = await setStage(host, script);
    await stage.sandbox.writeUserConfig({ boundary: "menu", turns: 1, time: "1s" });
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    const time = await pi.nextDialog();
    expect(time.title).toContain("Time limit reached");
    release();
    const turns = await pi.nextDialog();
    expect(turns.title).toContain("Turn limit reached");
    pi.answer(time, choose("Continue · another 1s"));
    pi.answer(turns, choose("Stop"));
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
  });
});

await onEachTerminal((host) => {
  test("on the terminal the menu is chosen from with the arrows, and the number is typed", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ boundary: "menu", turns: 2 });
    const pi = await stage.tui();
    await pi.submit("Go.");
    const screen = await pi.waitFor("No limit for this run");
    expect(screen).toContain("Turn limit reached");
    expect(screen).toContain("You've used 2 turns.");
    await pi.press("Down", "Enter");
    await pi.waitFor("How many more turns?");
    await pi.type("x");
    await pi.press("Enter");
    await pi.waitFor('"x" is not a number of turns.');
    await pi.type("3");
    await pi.press("Enter");
    await pi.waitFor("You've used 3 turns.");
    expect(stage.model.requests).toHaveLength(5);
    await pi.press("Escape");
    await pi.waitFor("Agent aborted by user.");
    expect(stage.model.requests).toHaveLength(5);
  });
});
