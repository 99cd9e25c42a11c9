import { says } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, tell, work } from "../helpers/talk.ts";

onEachHost((host) => {
  test("a limit that a command adds for a tool lets exactly as many calls run", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    const pi = await stage.rpc();
    answerInTurn(pi, no);
    expect(await tell(pi, "/tool-limit bash 3")).toEqual({
      message: "Limit for bash set to 3.",
      type: "info",
    });
    await work(pi, "Go.");
    expect(await executed(stage)).toEqual(["1.1", "1.2", "1.3"]);
    expect(stage.model.requests).toHaveLength(1);
    expect(questions(pi)).toEqual(["Limit for bash reached: bash was called 3 times. Continue?"]);
    expect(counterLines(pi)).toContain("Turns: 1/25 · bash: 3/3");
  });
});

onNewestHost((host) => {
  test("the command shows what is set, and takes it back", async () => {
    await using stage = await setStage(host, () => says("Done."));
    const file = await stage.sandbox.writeUserConfig({ tools: { write: 4 } });
    const pi = await stage.rpc();
    const told = async (command: string) => (await tell(pi, command)).message;
    const write = `Limit for write: 4 (your settings, ${file}). Used: 0.`;
    expect(await told("/tool-limit")).toBe(write);
    expect(await told("/tool-limit bash")).toBe("Limit for bash: unlimited (default). Used: 0.");
    expect(await told("/tool-limit bash 30 stop")).toBe("Limit for bash set to 30 stop.");
    const bash = "Limit for bash: 30 stop (/tool-limit bash in this session). Used: 0.";
    expect(await told("/tool-limit bash")).toBe(bash);
    expect((await told("/tool-limit")).split("\n")).toEqual([write, bash]);
    expect(await told("/tool-limit write unlimited")).toBe("Limit for write set to unlimited.");
    expect(await told("/tool-limit write default")).toBe(
      `Limit for write back to 4 (your settings, ${file}).`,
    );
    expect(await told("/tool-limit bash default")).toBe("Limit for bash back to unlimited (default).");
    expect(await told("/tool-limit")).toBe(write);
    expect(await told("/tool-limit help")).toMatch(
      /^\/tool-limit takes the name of a tool, such as bash, and then:\n30: a whole number/,
    );
  });

  test("what names no tool, or is no limit, is refused in a line and changes nothing", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(5));
    const pi = await stage.rpc();
    await tell(pi, "/tool-limit bash 2 stop");
    const refused = {
      "Bash 3": 'Invalid tool limit. There is no tool "Bash". Did you mean "bash"?',
      "hammer 3": 'Invalid tool limit. There is no tool "hammer".',
      "30": "Invalid tool limit. Begin with the name of the tool: bash 30.",
      default: "Invalid tool limit. Begin with the name of the tool: bash 30.",
      "bash abc": 'Invalid limit for bash. Use a whole number, or unlimited, not "abc".',
      "bash 3 per day": "Invalid limit for bash. The limit for bash has no period.",
    };
    for (const [text, message] of Object.entries(refused)) {
      expect(await tell(pi, `/tool-limit ${text}`)).toEqual({ message, type: "error" });
    }
    await work(pi, "Go.");
    expect(await executed(stage)).toEqual(["1.1", "1.2"]);
  });
});

await onNewestTerminal((host) => {
  test("the panel has an entry that adds a limit for a tool, and the limit holds", async () => {
    await using stage = await setStage(host, leavesWithoutEnd(12));
    const pi = await stage.tui();
    await pi.submit("/limits");
    await pi.waitFor("Add a tool");
    await pi.press("End");
    await pi.waitFor("↑↓ move · Enter adds · Escape closes");
    await pi.press("Enter");
    await pi.waitFor("For example bash 30");
    await pi.type("Bash 3");
    await pi.press("Enter");
    await pi.waitFor('There is no tool "Bash". Did you mean "bash"?');
    await pi.press("C-u");
    await pi.type("bash 3");
    await pi.press("Enter");
    await pi.waitFor(/bash calls .* 0\/3/);
    await pi.press("Escape");
    await pi.waitUntilGone("Add a tool");
    await pi.submit("Go.");
    await pi.waitFor("bash was called 3 times. Continue?");
    expect(await executed(stage)).toEqual(["1.1", "1.2", "1.3"]);
    await pi.press("Escape");
  });

  test("the tools that there are complete the command", async () => {
    await using stage = await setStage(host, () => says("Done."));
    const pi = await stage.tui();
    await pi.type("/tool-limit ba");
    await pi.waitFor(/→ bash/);
    await pi.press("Tab");
    await pi.waitFor("/tool-limit bash");
    await pi.press("Enter");
    await pi.waitFor("Limit for bash: unlimited (default)");
  });
});
