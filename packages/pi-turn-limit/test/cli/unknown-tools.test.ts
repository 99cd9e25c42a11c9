import { join } from "node:path";
import { endsAfter, says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { work } from "../helpers/talk.ts";

/** What is said about a limit of a tool that does not exist. */
function noTool({ sandbox }: Stage, tool: string): string {
  return `The limit for ${tool} (your settings, ${join(sandbox.agentDir, "turn-limit.json")}) limits nothing: there is no tool "${tool}".`;
}

onEachHost((host) => {
  test("a limit of a tool that does not exist is told, with the tool that was probably meant", async () => {
    await using stage = await setStage(host, endsAfter(2, "Done."));
    await stage.sandbox.writeUserConfig({ tools: { Bash: 1, bash: 30, deploy: 1 } });
    const { code, stdout, stderr } = await stage.print(["One.", "Two."]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toBe(`${noTool(stage, "Bash")} Did you mean "bash"?\n${noTool(stage, "deploy")}\n`);
  });

  test("tools that are not active, or are registered as late as the first run, exist", async () => {
    await using stage = await setStage(host, () => says("Done."));
    await stage.sandbox.writeUserConfig({ tools: { grep: 1, late: 1, finish: 1 } });
    const { stderr } = await stage.print("Go.", { beside: ["registers-late", "finishes"] });
    expect(stderr).toBe("");
  });
});

onNewestHost((host) => {
  test.for([["--tools", "read"], ["--exclude-tools", "bash,finish"], ["--no-tools"]])(
    "of tools that Pi was told to leave out nothing is said: %s",
    async (args) => {
      await using stage = await setStage(host, () => says("Done."));
      await stage.sandbox.writeUserConfig({ tools: { bash: 1, finish: 1 } });
      const { stderr } = await stage.print("Go.", { args, beside: ["finishes"] });
      expect(stderr).toBe("");
    },
  );

  test("a client is told once", async () => {
    await using stage = await setStage(host, () => says("Done."));
    await stage.sandbox.writeUserConfig({ tools: { bahs: 1 } });
    const pi = await stage.rpc();
    await work(pi, "One.");
    await work(pi, "Two.");
    const message = `${noTool(stage, "bahs")} Did you mean "bash"?`;
    expect(pi.notifications).toEqual([{ message, type: "warning" }]);
  });
});
