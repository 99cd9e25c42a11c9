import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onEachTerminal, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { no, questions, tell, work } from "../helpers/talk.ts";

onEachHost((host) => {
  test("a command is the person's while it waits for timers, processes and files [PersonActsThroughExtension]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ maxTurns: 3, beside: ["watches"] });
    pi.onDialog(() => no);
    for (let time = 1; time <= 3; time++) await work(pi, `/fetch Number ${time}.`);
    expect(questions(pi)).toEqual([]);
    expect(stage.model.requests).toHaveLength(9);
  });

  test.for(["user-message", "custom-message"])(
    "a command that sends nothing makes no prompt of what an extension sends by itself later: a %s [ProgramContinues]",
    async (how) => {
      await using stage = await setStage(host, endsAfter(3));
      const pi = await stage.rpc({ maxTurns: 3, beside: ["watches"] });
      pi.onDialog(() => no);
      await work(pi, "Go.");
      await tell(pi, "/hello");
      await writeFile(join(stage.sandbox.projectDir, "trigger"), how);
      await pi.waitFor(() => questions(pi).length > 0 || stage.model.requests.length > 3);
      await pi.settled();
      expect(questions(pi)).toEqual(["Turn limit reached: You've used 3 turns. Continue?"]);
      expect(stage.model.requests).toHaveLength(3);
    },
  );
});

await onEachTerminal((host) => {
  test("at a terminal, a command is the person's for as long as it works, and no longer [PersonActsThroughExtension] [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.tui({ maxTurns: 3, beside: ["watches"] });
    for (let time = 1; time <= 3; time++) {
      await pi.submit(`/fetch Number ${time}.`);
      await stage.model.waitForRequest(3 * time);
      await pi.waitUntilGone("Working");
    }
    expect(await pi.screen()).not.toContain("Turn limit reached");
    await pi.submit("/hello");
    await pi.waitFor("Hello to you.");
    await writeFile(join(stage.sandbox.projectDir, "trigger"), "user-message");
    await pi.waitFor("You've used 3 turns. Continue?");
    expect(stage.model.requests).toHaveLength(9);
  });
});

await onNewestTerminal((host) => {
  test("at a terminal, a command is the person's on an older Node, too, and no longer than it works [PersonActsThroughExtension] [ProgramContinues]", async () => {
    await using stage = await setStage(host, endsAfter(3));
    // As Node 22 follows what causes what.
    const env = { NODE_OPTIONS: "--no-async-context-frame" };
    const pi = await stage.tui({ maxTurns: 3, beside: ["watches"], env });
    for (let time = 1; time <= 2; time++) {
      await pi.submit(`/fetch Number ${time}.`);
      await stage.model.waitForRequest(3 * time);
      await pi.waitUntilGone("Working");
    }
    expect(await pi.screen()).not.toContain("Turn limit reached");
    await pi.submit("/hello");
    await pi.waitFor("Hello to you.");
    await writeFile(join(stage.sandbox.projectDir, "trigger"), "user-message");
    await pi.waitFor("You've used 3 turns. Continue?");
    expect(stage.model.requests).toHaveLength(6);
  });
});
