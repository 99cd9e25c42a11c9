import { pathToFileURL } from "node:url";
import { endless } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onNewestHost } from "../helpers/on-each-host.ts";
import { setStage } from "../helpers/stage.ts";
import { limitInForce, tell } from "../helpers/talk.ts";

onNewestHost((host) => {
  test("the command takes a number with spaces around it, and unlimited in any case", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc();
    expect((await tell(pi, "/turn-limit  7 ")).message).toBe("Turn limit set to 7.");
    expect((await tell(pi, "/turn-limit UNLIMITED")).message).toBe("Turn limit set to unlimited.");
    expect((await tell(pi, "/turn-limit 0")).message).toBe("Turn limit set to 0.");
    expect(await limitInForce(pi)).toContain("Turn limit: 0 (");
  });

  test.for([
    { value: " 7 ", limit: "7" },
    { value: "UNLIMITED", limit: "unlimited" },
  ])("'$value' is taken from the flag and from the environment, without a word", async ({ value, limit }) => {
    await using stage = await setStage(host, endless());
    const byFlag = await stage.print("/turn-limit", { args: ["--max-turns", value] });
    expect(byFlag.stderr).toBe(`Turn limit: ${limit} (--max-turns). Used: 0/${limit}.\n`);
    const byVariable = await stage.print("/turn-limit", { env: { PI_MAX_TURNS: value } });
    expect(byVariable.stderr).toBe(`Turn limit: ${limit} (PI_MAX_TURNS). Used: 0/${limit}.\n`);
  });

  test("settings are read from an agent folder that is given as an address, as Pi reads it", async () => {
    await using stage = await setStage(host, endless());
    await stage.sandbox.writeUserConfig({ turns: 2 });
    const env = { PI_CODING_AGENT_DIR: pathToFileURL(stage.sandbox.agentDir).href };
    await stage.print("Go.", { env });
    expect(stage.model.requests).toHaveLength(2);
  });

  test("an empty environment variable is none, without a word", async () => {
    await using stage = await setStage(host, endless());
    const { stderr } = await stage.print("/turn-limit", { env: { PI_MAX_TURNS: "" } });
    expect(stderr).toBe("Turn limit: 25 (default). Used: 0/25.\n");
  });

  test.for([
    { written: "1e3", value: "1000" },
    { written: '"UNLIMITED"', value: "unlimited" },
    { written: '{ "max": 4 }', value: "4" },
  ])("$written is taken from both settings files, without a word", async ({ written, value }) => {
    await using stage = await setStage(host, endless());
    const user = await stage.sandbox.writeUserConfig(`{ "turns": ${written} }`);
    const byUser = await stage.print("/turn-limit");
    expect(byUser.stderr).toBe(`Turn limit: ${value} (your settings, ${user}). Used: 0/${value}.\n`);
    await stage.sandbox.writeUserConfig({ projectMayRaise: true });
    const project = await stage.sandbox.writeProjectConfig(`{ "turns": ${written} }`);
    const byProject = await stage.print("/turn-limit");
    expect(byProject.stderr).toBe(`Turn limit: ${value} (project settings, ${project}). Used: 0/${value}.\n`);
  });
});
