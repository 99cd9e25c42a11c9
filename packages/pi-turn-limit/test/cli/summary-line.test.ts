import { endless, endsAfter, says, textOf } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest } from "../helpers/talk.ts";
import { obeys } from "../helpers/wrapping-up.ts";

const declined = /Stopped by you at the turn limit · 2 turns · 2 steps · 240 tokens · \d+s/;

await onEachTerminal((host) => {
  test("the line is there again when the session is resumed, and the model never gets to see it", async () => {
    await using stage = await setStage(host, (request) =>
      request.lastUserText === "One." ? endless()(request) : says("All done."),
    );
    const pi = await stage.tui({ maxTurns: 2, session: true });
    await pi.submit("One.");
    await pi.waitFor("You've used 2 turns. Continue?");
    await pi.press("Escape");
    await pi.waitFor(declined);
    await pi.submit("Two.");
    await pi.waitFor("All done.");
    await pi.close();
    const resumed = await stage.tui({ maxTurns: 2, session: true, args: ["--continue"] });
    await resumed.waitFor(declined);
    await resumed.submit("Three.");
    await stage.model.waitForRequest(4);
    const sent = stage.model.requests.flatMap(({ messages }) => messages.map(textOf));
    expect(sent.filter((text) => text.includes("Stopped by you") || text.includes("outcome"))).toEqual([]);
  });
});

await onNewestTerminal((host) => {
  test("what a limit did stands in the transcript as one line, with what the run took [RunEndsAsDecided]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.tui({ maxTurns: 2 });
    await pi.submit("Go.");
    await pi.waitFor("You've used 2 turns. Continue?");
    await pi.press("Escape");
    await pi.waitFor(declined);
  });

  test("a run that went on after a yes has it, too [ContinuationConfirmed]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.tui({ maxTurns: 2 });
    await pi.submit("Go.");
    await pi.waitFor("You've used 2 turns. Continue?");
    await pi.press("Enter");
    await pi.waitFor(/Completed · 3 turns · 2 steps · 360 tokens · \d+s/);
  });

  test("a run that was wrapped up has it, too [RunEndsWarned]", async () => {
    await using stage = await setStage(host, obeys());
    const pi = await stage.tui({ maxTurns: 4, turnGrace: 2 });
    await pi.submit("Go.");
    await pi.waitFor(/Wrapped up · 3 turns · 2 steps · 360 tokens · \d+s/);
  });

  test("a run that no limit touched has none [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.tui({ maxTurns: 2 });
    await pi.submit("Go.");
    await pi.waitFor("All done.");
    const screen = await cameToRest(pi);
    expect(screen).not.toContain(" turns · ");
  });
});
