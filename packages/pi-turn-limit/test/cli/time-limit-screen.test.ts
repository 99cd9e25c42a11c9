import { endsAfter, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { commandHangs, hangs } from "../helpers/hanging.ts";
import { heldAtFirst } from "../helpers/held-at-first.ts";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { clock, fourMinutes, passTime } from "../helpers/time.ts";

const question = /The agent has worked for [\dms ]+\. Continue\?/;

await onEachTerminal((host) => {
  test("the question stands over the work that goes on; Enter gives it another round, Escape ends it", async () => {
    await using stage = await setStage(host, () => hangs);
    const pi = await stage.tui({ args: fourMinutes, beside: [clock] });
    await pi.submit("Go.");
    await commandHangs(stage);
    await passTime(stage);
    expect(await pi.waitFor(question)).toContain("Time limit reached");
    await pi.press("Enter");
    await pi.waitUntilGone(question);
    await passTime(stage);
    await pi.waitFor(question);
    await pi.press("Escape");
    await pi.waitFor(/Stopped by you at the time limit · 1 turn · 1 step · 120 tokens · 9m/);
    expect(await pi.screen()).toContain("Agent aborted by user.");
    expect(stage.model.requests).toHaveLength(1);
  });
});

await onNewestTerminal((host) => {
  test("the counter shows the time as it passes, whatever the agent waits for", async () => {
    await using stage = await setStage(host, () => hangs);
    const pi = await stage.tui({ args: ["--max-time", "10m"] });
    await pi.submit("Go.");
    const [earlier = ""] = /Time: \d+s\/10m/.exec(await pi.waitFor(/Time: \d+s\/10m/)) ?? [];
    await pi.waitUntilGone(earlier);
    await pi.waitFor(/Time: [1-9]\d*s\/10m/);
  });

  test("the question goes away when the agent is done in the meantime", async () => {
    const { script, release } = heldAtFirst(says("All done."), endsAfter(1));
    await using stage = await setStage(host, script);
    const pi = await stage.tui({ args: fourMinutes, beside: [clock] });
    await pi.submit("One.");
    await stage.model.waitForRequest(1);
    await passTime(stage);
    await pi.waitFor(question);
    release();
    await pi.waitFor(/Completed · 1 turn · /);
    await pi.waitUntilGone(question);
    await pi.submit("Two.");
    await stage.model.waitForRequest(2);
  });
});
