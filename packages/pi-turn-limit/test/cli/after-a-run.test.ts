import { bash, calls, deferred, endsAfter, type RpcPi, says, slow } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { answering, choose } from "../helpers/menu.ts";
import { onEachTerminal, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { cameToRest, counterLines, limitInForce, tell, work } from "../helpers/talk.ts";

const cells = (table: string) => table.split("\n").map((line) => line.trim().split(/ {2,}/).slice(0, 4));

async function rowOf(pi: RpcPi, label: string): Promise<string[] | undefined> {
  return cells((await tell(pi, "/limits")).message).find(([first]) => first === label);
}

onNewestHost((host) => {
  test("the counter goes with the run; what it took stays in /limits and the commands until the next prompt", async () => {
    const gate = deferred();
    await using stage = await setStage(host, ({ index }) => {
      if (index === 4) return slow(says("All done."), gate.promise);
      return index === 3 ? says("All done.") : calls(bash("echo working"));
    });
    await stage.sandbox.writeUserConfig({ tools: { bash: 5 } });
    const pi = await stage.rpc();
    expect(await limitInForce(pi)).toBe("Turn limit: 25 (default). Used: 0/25.");
    await work(pi, "Go.");
    expect(counterLines(pi).slice(-2)).toEqual(["Turns: 3/25 · bash: 2/5", undefined]);
    await tell(pi, "/turn-limit 50");
    expect(counterLines(pi).at(-1)).toBe("Turns: 0/50 · bash: 0/5");
    await tell(pi, "/step-limit 7");
    expect(counterLines(pi).at(-1)).toBe("Turns: 0/50 · Steps: 0/7 · bash: 0/5");
    expect(await limitInForce(pi)).toContain("Last run: 3/25.");
    expect(cells((await tell(pi, "/limits")).message)).toEqual([
      ["Limit", "Last run", "Max", "%"],
      ["Turns", "3", "25 → 50", "12"],
      ["Steps", "2", "∞ → 7", "–"],
      ["Tokens", "360", "∞", "–"],
      ["Cost", expect.any(String), "∞", "–"],
      ["Time", expect.any(String), "∞", "–"],
      ["bash calls", "2", "5", "40"],
      ["Repeats", expect.any(String), "∞", "–"],
    ]);
    await pi.prompt("Again.");
    await stage.model.waitForRequest(4);
    expect(counterLines(pi).at(-1)).toBe("Turns: 1/50 · Steps: 0/7 · bash: 0/5");
    expect(await limitInForce(pi)).toContain("Used: 1/50.");
    gate.resolve();
  });

  test("a run that took no turn is no last run", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ maxTurns: 0 });
    pi.onDialog(() => ({ confirmed: false }));
    await work(pi, "Go.");
    expect(counterLines(pi).at(-1)).toBeUndefined();
    expect(await limitInForce(pi)).toBe("Turn limit: 0 (--max-turns). Used: 0/0.");
  });

  test("what was granted for the run is not shown as the limit of the next", async () => {
    await using stage = await setStage(host, endsAfter(4));
    await stage.sandbox.writeUserConfig({ turns: 2, boundary: "menu" });
    const pi = await stage.rpc();
    answering(pi, choose("No limit for this run"));
    await work(pi, "Go.");
    expect(await limitInForce(pi)).toContain("Last run: 4/2.");
  });

  test("a limit that is set after a run without one shows what that run took, not 0", async () => {
    await using stage = await setStage(host, endsAfter(4));
    const pi = await stage.rpc({ maxTurns: "unlimited" });
    await work(pi, "Go.");
    await tell(pi, "/turn-limit 10");
    expect(await rowOf(pi, "Turns")).toEqual(["Turns", "4", "∞ → 10", "–"]);
  });

  test("a limit that is taken away after a run is shown with what that run had of it", async () => {
    await using stage = await setStage(host, endsAfter(4));
    const pi = await stage.rpc({ maxSteps: 9 });
    await work(pi, "Go.");
    await tell(pi, "/step-limit unlimited");
    expect(await rowOf(pi, "Steps")).toEqual(["Steps", "3", "9 → ∞", "33"]);
  });

  test("another session has no last run", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ session: true });
    await work(pi, "Go.");
    await pi.send({ type: "new_session" });
    expect(counterLines(pi).at(-1)).toBeUndefined();
    expect(await limitInForce(pi)).toBe("Turn limit: 25 (default). Used: 0/25.");
  });
});

await onEachTerminal((host) => {
  test("what the last run took is known after /reload, and a change in the panel is seen in the counter at once", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor("All done.");
    await cameToRest(pi);
    await pi.submit("/reload");
    const screen = await pi.waitFor(/Reloaded/);
    expect(screen).not.toContain("Turns: ");
    await pi.submit("/limits");
    await pi.waitFor("Limits, and what the last run took");
    await pi.press("Enter");
    await pi.type("4");
    await pi.press("Enter");
    await pi.waitFor(/^→ Turns .* 2\/25 → 4 +8 %/m);
    await pi.waitFor(/^ Turns: 0\/4$/m);
  });
});

await onNewestTerminal((host) => {
  test("the limits that the last run had are known after /reload, too", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor("All done.");
    await cameToRest(pi);
    await pi.submit("/turn-limit 4");
    await pi.waitFor("Turns: 0/4");
    await pi.submit("/reload");
    await pi.waitFor(/Reloaded/);
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns .* 2\/25 → 4 +8 %/m);
  });

  test("a change in the panel is seen in the counter at once, before any run", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.tui();
    await pi.submit("/turn-limit 33 stop");
    await pi.waitFor("Turns: 0/33");
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns /m);
    await pi.press("Enter");
    await pi.type("4");
    await pi.press("Enter");
    await pi.waitFor("Turns: 0/4");
    await pi.waitUntilGone("Turns: 0/33");
  });
});
