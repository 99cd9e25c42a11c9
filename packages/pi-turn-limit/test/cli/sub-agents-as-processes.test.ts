import { calls, type PiHost, type Script } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { exampleOf } from "../helpers/examples.ts";
import { executed } from "../helpers/executed.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { worksUntilToolsFree } from "../helpers/salvage.ts";
import { type Furnishing, type Stage, setStage } from "../helpers/stage.ts";
import {
  defineSubAgent,
  delegates,
  resultOfSubAgent,
  startSubAgent,
  subAgentRequests,
} from "../helpers/sub-agents.ts";

async function stageWithSubAgents(host: PiHost, script: Script, config: object): Promise<Stage> {
  const furnishing: Furnishing = { installed: [exampleOf(host, "subagent/index.ts")] };
  const stage = await setStage(host, script, furnishing);
  await defineSubAgent(stage);
  await stage.sandbox.writeUserConfig(config);
  return stage;
}

const works = delegates(calls(startSubAgent), worksUntilToolsFree());

onEachHost((host) => {
  test("a Pi that a session starts ends with an answer made without tools, which names the limit [SubAgentSynthesizes]", async () => {
    await using stage = await stageWithSubAgents(host, works, { turns: 3 });
    const { code } = await stage.print("Go.");
    expect(subAgentRequests(stage)).toHaveLength(4);
    expect(await executed(stage)).toHaveLength(3);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
    expect(resultOfSubAgent(stage)).toContain("What I know.");
    expect(code).toBe(0);
  });
});

onNewestHost((host) => {
  test("a Pi that a person starts in print mode stops at its limit as always [LimitStops]", async () => {
    await using stage = await stageWithSubAgents(host, worksUntilToolsFree(), { turns: 3 });
    const { code, stdout, stderr } = await stage.print("Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Turn limit reached \(3\/3\)\. To allow more/);
  });

  test("what the person's settings say for runs without a person holds for it [SubAgentSynthesizes]", async () => {
    await using stage = await stageWithSubAgents(host, works, { turns: { max: 3, headless: "stop" } });
    await stage.print("Go.");
    expect(subAgentRequests(stage)).toHaveLength(3);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
  });
});

await onNewestTerminal((host) => {
  test("a person at a terminal that was opened from within Pi runs a Pi of their own [LimitStops]", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const cast = { maxTurns: 3, env: { PI_TURN_LIMIT_PIS_ABOVE: "1" }, args: ["-p", "Go."] };
    await stage.tui({ ...cast, ready: "Turn limit reached (3/3). To allow more" });
    expect(stage.model.requests).toHaveLength(3);
  });
});
