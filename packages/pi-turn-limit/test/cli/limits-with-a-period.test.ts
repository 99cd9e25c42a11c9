import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { endless, endsAfter } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { questions, tell } from "../helpers/talk.ts";

onNewestHost((host) => {
  test("a period that is none holds the run: without a UI nothing is sent", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({ cost: [2, { max: 20, per: "fortnight" }] });
    const { code, stderr } = await stage.print("Go.");
    expect(stderr).toContain(
      `${file}: "cost[1].per": Invalid period. Use "session", "day", "week", or "month", not "fortnight".`,
    );
    expect(stderr).toContain(`"cost" in ${file} cannot be used, so nothing was sent.`);
    expect({ code, requests: stage.model.requests.length }).toEqual({ code: 1, requests: 0 });
  });

  test("a bad limit of a day is asked about, and a command that sets it settles that", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc({ args: ["--max-cost", "$2, lots per day"] });
    await pi.prompt("Go.");
    expect(await pi.nextDialog()).toMatchObject({
      title: "A limit cannot be used",
      message:
        "--max-cost (per day) cannot be used, so it limits nothing. Use /cost-limit $5 per day to set the limit. Continue?",
    });
    expect(stage.model.requests).toHaveLength(0);
    await pi.prompt("/cost-limit $20 per day");
    await pi.settled();
    expect(stage.model.requests).toHaveLength(1);
    expect(questions(pi)).toHaveLength(1);
  });

  test("/limits has a row for each limit with a period, and the commands set, show and take them back", async () => {
    await using stage = await setStage(host, endless());
    const file = await stage.sandbox.writeUserConfig({ cost: [2, { max: 20, per: "day" }] });
    const pi = await stage.rpc({ args: ["--max-turns", "25, 100 per session"] });
    const said = async (text: string) => (await tell(pi, text)).message;
    expect(await said("/cost-limit $90 per month stop")).toBe(
      "Cost limit set to $90.00 per month stop. It holds in this session. To have it in all, save it in /limits.",
    );
    const rows = (await said("/limits")).split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(rows.filter(([name]) => /^(Turns|Cost)/.test(name ?? ""))).toEqual([
      ["Turns", "0", "25", "0", "--max-turns"],
      ["Turns per session", "0", "100", "0", "--max-turns"],
      ["Cost", "$0.00", "$2.00", "0", `your settings, ${file}`],
      ["Cost per day", "$0.00", "$20.00", "0", `your settings, ${file}`],
      ["Cost per month", "$0.00", "$90.00", "0", "/cost-limit in this session · stop"],
    ]);
    expect(await said("/cost-limit unlimited per day")).toBe("Cost limit set to unlimited per day.");
    expect(await said("/cost-limit default per day")).toBe(
      `Cost limit per day back to $20.00 per day (your settings, ${file}).`,
    );
    expect((await said("/cost-limit")).split("\n")[1]).toMatch(
      /^Cost limit per day: \$20\.00 per day \(your /,
    );
    expect(await said("/step-limit 5 per decade")).toBe(
      'Invalid step limit. "decade" is not a period. Use session, day, week or month.',
    );
    expect(JSON.parse(await readFile(join(stage.sandbox.agentDir, "turn-limit.json"), "utf8"))).toEqual({
      cost: [2, { max: 20, per: "day" }],
    });
  });
});
