import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";

onEachHost((host) => {
  test("a turn before which something of ours goes wrong is not sent without its limits [LimitStops]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, beside: ["breaks-the-screen"] });
    await pi.prompt("Go.");
    await pi.settled(20_000);
    expect(stage.model.requests).toEqual([]);
    expect(JSON.stringify(pi.events)).toContain("The screen is broken");
  });
});
