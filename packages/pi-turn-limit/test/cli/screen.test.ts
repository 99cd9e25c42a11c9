import { bash, calls, deferred, endless, type Script, says, slow, type TuiPi } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";

const working = calls(bash("echo working"));

/** Holds every answer until `answer()` is called for it; ends after `turns` turns. */
function stepByStep(turns: number): { script: Script; answer: () => void } {
  const gates = Array.from({ length: turns }, () => deferred());
  let answered = 0;
  return {
    script: ({ index }) => {
      const gate = gates[index - 1];
      const reply = index < turns ? working : says("All done.");
      return gate ? slow(reply, gate.promise) : reply;
    },
    answer: () => gates[answered++]?.resolve(),
  };
}

/** The colour escape that a text on the screen stands in. */
async function colourOf(pi: TuiPi, text: string): Promise<string | undefined> {
  await pi.waitFor(text);
  const [before = ""] = (await pi.screenWithColours()).split(text);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return line.match(/38;[\d;]+(?=m$)/)?.[0];
}

await onEachTerminal((host) => {
  test("the counter stands above the editor while the agent works, and goes when the run has settled", async () => {
    const { script, answer } = stepByStep(2);
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ maxTurns: 12 });
    expect(await pi.screen()).not.toContain("Turns:");
    await pi.submit("Go.");
    const lines = (await pi.waitFor("Turns: 1/12")).split("\n");
    const counter = lines.findIndex((line) => line.includes("Turns: 1/12"));
    const editor = lines.findLastIndex((line) => line.startsWith("──"));
    expect(counter).toBeLessThan(editor);
    answer();
    await pi.waitFor("Turns: 2/12");
    answer();
    await pi.waitFor("All done.");
    await cameToRest(pi);
    expect(stage.model.requests).toHaveLength(2);
  });

  test("Enter on the question goes on, Escape ends the run [ContinuationConfirmed] [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 2 });
    await pi.submit("Go.");
    expect(await pi.waitFor("You've used 2 turns. Continue?")).toContain("Turn limit reached");
    expect(stage.model.requests).toHaveLength(2);
    await pi.press("Enter");
    await stage.model.waitForRequest(4);
    await pi.waitFor("You've used 2 turns. Continue?");
    await pi.press("Escape");
    const screen = await pi.waitFor("Agent aborted by user.");
    expect(screen).not.toContain("Continue?");
    await cameToRest(pi);
    expect(stage.model.requests).toHaveLength(4);
  });
});

await onNewestTerminal((host) => {
  test("a limit set by command lasts over /reload, and not over /new", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 7 });
    await pi.type("/turn-limit 33");
    await pi.waitFor(/^\/turn-limit 33\s*$/m);
    await pi.waitUntilGone(/^→ /m);
    await pi.press("Enter");
    await pi.waitFor("Turns: 0/33");
    await pi.submit("/reload");
    await pi.waitFor(/Reloaded/);
    await pi.submit("/turn-limit");
    await pi.waitFor("Turn limit: 33 (/turn-limit in this session). Used: 0/33.");
    await pi.submit("/new");
    await pi.waitFor(/New session started/);
    await pi.waitUntilGone("Turns: 0/33");
    await pi.submit("/turn-limit");
    await pi.waitFor("Turn limit: 7 (--max-turns). Used: 0/7.");
  });

  test("the counter takes the warning colour at 80 % and the error colour at the limit", async () => {
    const { script, answer } = stepByStep(6);
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ maxTurns: 5, beside: ["shows-theme-colours"] });
    const warning = await colourOf(pi, "a warning");
    const error = await colourOf(pi, "an error");
    expect(new Set([warning, error, undefined]).size).toBe(3);
    await pi.submit("Go.");
    for (const count of ["1/5", "2/5", "3/5"]) {
      expect([warning, error]).not.toContain(await colourOf(pi, `Turns: ${count}`));
      answer();
    }
    expect(await colourOf(pi, "Turns: 4/5")).toBe(warning);
    answer();
    expect(await colourOf(pi, "Turns: 5/5")).toBe(error);
  });

  test("after Escape on the question the next prompt starts with a full budget [PersonPrompts]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("One.");
    await pi.waitFor("You've used 1 turn. Continue?");
    await pi.press("Escape");
    await cameToRest(pi);
    await pi.submit("Two.");
    await pi.waitFor("You've used 1 turn. Continue?");
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual(["One.", "Two."]);
  });

  test.for([60, 80])(
    "what the commands are for is not cut off in completions at %d columns",
    async (cols) => {
      await using stage = await setStage(host, endless());
      const pi = await stage.tui({ cols });
      for (const [command, about] of [
        ["turn-limit", "Show or set the turn limit"],
        ["token-limit", "Show or set the token limit"],
        ["limits", "See and change every limit"],
        ["wrap-up", "Have the agent deliver what it has"],
      ]) {
        await pi.type(`/${command}`);
        await pi.waitFor(new RegExp(`^→ ${command} .*${about}\\s*$`, "m"));
        await pi.press("C-u");
      }
    },
  );

  test("help shows what a limit's command takes, line by line", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ cols: 60 });
    await pi.submit("/cost-limit help");
    const screen = await pi.waitFor("default: what is configured");
    expect(screen).toContain("/cost-limit takes:");
    expect(screen).toContain("$20 per day: for a session, day, week or month");
    expect(screen).toContain("$5, $20 per day: several, with commas");
  });

  test("the command completes what is begun, and Enter sends a limit as it was typed [LimitChanged]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui();
    await pi.type("/turn-limit u");
    await pi.waitFor(/^→ unlimited/m);
    await pi.press("BSpace");
    await pi.type("1");
    await pi.waitFor(/^\/turn-limit 1\s*$/m);
    await pi.waitUntilGone(/^→ /m);
    await pi.press("Enter");
    await pi.waitFor("Turn limit set to 1.");
    await pi.waitFor("Turns: 0/1");
  });
});
