import { calls, endless, fails, type TuiPi } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";

/** The lines below the last output of a tool, down to the editor. */
async function linesAtTheEnd(pi: TuiPi): Promise<string[]> {
  const lines = (await pi.screen()).split("\n").map((line) => line.trim());
  const tool = lines.findLastIndex((line) => line.startsWith("Took "));
  const editor = lines.findIndex((line, index) => index > tool && line.startsWith("──"));
  return lines.slice(tool + 1, editor).filter((line) => line !== "");
}

const stoppedByYou = expect.stringMatching(
  /^Stopped by you at the turn limit · 1 turn · 1 step · 120 tokens/,
);

await onEachTerminal((host) => {
  test("after a no the person sees that the agent was aborted, and one line of what it did [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 1 });
    await pi.submit("Go.");
    await pi.waitFor("Continue?");
    await pi.press("Escape");
    await pi.waitFor("Stopped by you");
    await cameToRest(pi);
    expect(await linesAtTheEnd(pi)).toEqual(["Error: Agent aborted by user.", stoppedByYou]);
  });

  test("after a stop the person sees why, and one line of what the agent did [LimitStops]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: "1 stop" });
    await pi.submit("Go.");
    await pi.waitFor("Stopped by the turn limit");
    await cameToRest(pi);
    expect(await linesAtTheEnd(pi)).toEqual([
      "Error: Turn limit reached (1/1). Aborted.",
      expect.stringMatching(/^Stopped by the turn limit · 1 turn · 1 step/),
    ]);
  });
});

await onNewestTerminal((host) => {
  test("a stop while Pi waits to make a request again is said, too, though there is no answer [LimitStops]", async () => {
    const settings = { retry: { enabled: true, maxRetries: 3, baseDelayMs: 600_000 } };
    await using stage = await setStage(host, () => fails(529), { settings });
    const pi = await stage.tui({ args: ["--max-time", "1s stop"] });
    await pi.submit("Go.");
    await pi.waitFor(/Time limit reached \(\d+s\/1s\)/);
    await pi.waitFor("Stopped by the time limit");
  });

  test("a no is acknowledged also where what is under way cannot be aborted [ContinuationDeclined]", async () => {
    await using stage = await setStage(host, () => calls({ name: "hang", arguments: {} }));
    const pi = await stage.tui({ args: ["--max-time", "1s"], beside: ["ignores-abort"] });
    await pi.submit("Go.");
    await pi.waitFor("Continue?");
    await pi.press("Escape");
    await pi.waitFor("Error: Agent aborted by user.");
  });

  test("each message that another extension sends after a no is refused in one line [DeclineStands]", async () => {
    await using stage = await setStage(host, endless());
    const env = { AUTO_CONTINUE: "custom-message", AUTO_CONTINUE_TIMES: "2" };
    const pi = await stage.tui({ maxTurns: 1, beside: ["continues"], env });
    await pi.submit("Go.");
    await pi.waitFor("Continue?");
    await pi.press("Escape");
    await pi.waitFor(/(Out of budget.*\s.*\s*[^─]*){2}/);
    await cameToRest(pi);
    const message = ["[continue]", "Go on by yourself."];
    const refused = [
      expect.stringMatching(
        /^Error: Out of budget: a message from another extension was not run \(cancelled\)\./,
      ),
      expect.stringContaining("full budget."),
    ];
    expect(await linesAtTheEnd(pi)).toEqual([
      "Error: Agent aborted by user.",
      stoppedByYou,
      ...message,
      ...refused,
      ...message,
      ...refused,
    ]);
    expect(stage.model.requests).toHaveLength(1);
  });

  test("an extension that does not stop sending messages gets no more than that line each time [DeclineStands]", async ({
    expect,
  }) => {
    await using stage = await setStage(host, endless());
    const env = { AUTO_CONTINUE: "custom-message", AUTO_CONTINUE_TIMES: "5" };
    const pi = await stage.tui({ maxTurns: 1, beside: ["continues", "records-limit-events"], env });
    await pi.submit("Go.");
    await pi.waitFor("Continue?");
    await pi.press("Escape");
    const runs = async () => (await recorded(stage, "turn-limit:outcome")).length;
    await expect.poll(runs).toBe(6);
    await cameToRest(pi);
    expect(await pi.screen()).not.toMatch(/Operation aborted|Warning:|0 turns/);
    expect(await pi.screen()).toContain("Error: Out of budget");
  });
});
