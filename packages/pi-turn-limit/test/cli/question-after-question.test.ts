import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bash, calls } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

await onEachTerminal((host) => {
  test("a question that takes the place of another one is shown, and answered by its keys", async () => {
    await using stage = await setStage(host, () => calls(bash("until [ -e go ]; do sleep 0.1; done")));
    const pi = await stage.tui({ maxTurns: 1, args: ["--max-time", "1s"] });
    await pi.submit("Go.");
    await pi.waitFor("Time limit reached");
    await writeFile(join(stage.sandbox.projectDir, "go"), "");
    const screen = await pi.waitFor("You've used 1 turn. Continue?");
    expect(screen).not.toContain("Time limit reached");
    expect(stage.model.requests).toHaveLength(1);
    await pi.press("Enter");
    await stage.model.waitForRequest(2);
  });
});
