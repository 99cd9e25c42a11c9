import { endsAfter, succeeded } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { tell } from "../helpers/talk.ts";

onNewestHost((host) => {
  test("it lasts: over /reload, a resumed session, and as of the point gone back to", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ maxTurns: 7, session: true, beside: ["travels"] });
    await tell(pi, "/turn-limit 50 stop");
    await pi.prompt("One.");
    await pi.settled();
    const before = succeeded(await pi.send({ type: "get_entries" })).data as { leafId: string };
    await tell(pi, "/turn-limit default");
    const standing = async () => (await tell(pi, "/turn-limit")).message.split(". ")[0];
    await pi.prompt("/load-again");
    expect(await standing()).toBe("Turn limit: 7 (--max-turns)");
    await pi.prompt("Two.");
    await pi.settled();
    await tell(pi, `/go-back ${before.leafId}`);
    expect(await standing()).toBe("Turn limit: 7 (--max-turns)");
    await pi.close();
    const { stderr } = await stage.print("/turn-limit", { maxTurns: 7, session: true, args: ["--continue"] });
    expect(stderr).toContain("Turn limit: 7 (--max-turns)");
  });

  test.for([
    ["turn-limit", "--max-turns", "7 stop", "50 grace 3", "Turn limit: 7 stop (--max-turns). Used: 0/7."],
    ["step-limit", "--max-steps", "40 synthesize", "9", "Step limit: 40 synthesize (--max-steps). Used: 0."],
    ["token-limit", "--max-tokens", "200k", "unlimited", "Token limit: 200k (--max-tokens). Used: 0."],
    ["cost-limit", "--max-cost", "$5.00", "$9", "Cost limit: $5.00 (--max-cost). Used: $0.00."],
    ["time-limit", "--max-time", "10m", "1h", "Time limit: 10m (--max-time). Used: 0s."],
  ] as const)("/%s default takes back what was set", async ([command, flag, configured, other, standing]) => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ args: [flag, configured] });
    await tell(pi, `/${command} ${other}`);
    const title = standing.split(":")[0];
    expect((await tell(pi, `/${command} Default`)).message).toBe(`${title} back to ${configured} (${flag}).`);
    expect((await tell(pi, `/${command}`)).message).toBe(standing);
  });

  test("without any setting it is the extension's own default", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc();
    await tell(pi, "/turn-limit unlimited");
    expect((await tell(pi, "/turn-limit default")).message).toBe("Turn limit back to 25 (default).");
    expect((await tell(pi, "/turn-limit default 3")).message).toBe(
      "Invalid turn limit. Nothing can follow default, except a period.",
    );
  });
});

await onNewestTerminal((host) => {
  test("the panel takes the word, too, and the command completes it", async () => {
    await using stage = await setStage(host, endsAfter(1));
    await stage.sandbox.writeUserConfig({ repeats: 4 });
    const pi = await stage.tui();
    await pi.submit("/limits");
    await pi.waitFor(/^→ Turns /m);
    for (const row of ["Steps", "Tokens", "Cost", "Time", "Repeats"]) {
      await pi.press("Down");
      await pi.waitFor(new RegExp(`^→ ${row} `, "m"));
    }
    await pi.press("Enter");
    await pi.type("9");
    await pi.press("Enter");
    await pi.waitFor(/^→ Repeats .* \/limits in this session$/m);
    await pi.press("Enter");
    await pi.type("default");
    await pi.press("Enter");
    await pi.waitFor(/^→ Repeats +0\/4 +0 % +your settings$/m);
    await pi.press("Escape");
    await pi.waitUntilGone("→ Repeats");
    await pi.type("/turn-limit d");
    await pi.waitFor(/^→ default/m);
  });
});
