import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endless } from "@turn-limit/rig";
import { test } from "vitest";
import { onTheNextDay } from "../helpers/a-day.ts";
import { onEachHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";

const BIN = fileURLToPath(new URL("../../../turn-limit/dist/command/turn-limit.js", import.meta.url));

/** `turn-limit` as a person types it later, until it ends or is stopped. */
function begun({ sandbox }: Stage, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [BIN, ...args], {
    ...{ cwd: sandbox.root, env: { ...sandbox.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  });
  const seen = { out: "", err: "" };
  child.stdout?.on("data", (more) => (seen.out += more));
  child.stderr?.on("data", (more) => (seen.err += more));
  const ended = once(child, "close").then(([code]) => code as number);
  return { seen, ended, stop: () => child.kill("SIGINT") };
}

onEachHost((host) => {
  test("print mode can be parked until the next day, and resume --watch goes on with it then", async ({
    expect,
  }) => {
    await using stage = await setStage(host, endless());
    const { requests } = stage.model;
    const first = await stage.print("Count the blue herons.", {
      ...{ session: true, args: ["--max-turns", "2 per day wait", "--unanswered", "park"] },
    });
    expect({ code: first.code, requests: requests.length }).toEqual({ code: 87, requests: 2 });
    expect(first.stdout + first.stderr).toMatch(
      /The run is parked here until the limit starts over\. To go on then: npx turn-limit resume \w+/,
    );

    const today = begun(stage, ["resume", "--watch"]);
    await expect.poll(() => today.seen.err).toContain("go on here");
    today.stop();
    await today.ended;
    expect(requests).toHaveLength(2);

    // At the limit of the next day it waits again.
    const watch = begun(stage, ["resume", "--watch"], onTheNextDay);
    await expect
      .poll(() => watch.seen.err)
      .toMatch(/goes on\. The limit has started over\.[\s\S]*Waiting until/);
    expect(requests).toHaveLength(4);
    expect(JSON.stringify(requests[2]?.messages)).toContain("Count the blue herons.");
    watch.stop();
    watch.stop();
  });
});
