import { setTimeout as pause } from "node:timers/promises";
import { bash, calls, type Script } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { onEachHost, onEachTerminal, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { salvage, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import {
  askSubAgent,
  delegates,
  inProcess,
  resultOfSubAgent,
  subAgentRequests,
} from "../helpers/sub-agents.ts";

const delegatesTo = (subAgent: Script) => delegates(calls(askSubAgent), subAgent);
const hangs = delegatesTo(() => calls({ name: "hang", arguments: {} }));
const installed = [inProcess];
/** More than a session waits for what it has aborted before it gives up. */
const longerThanStuck = 7_000;

onEachHost((host) => {
  test("a sub-agent ends with an answer made without tools, which names the limit [SubAgentSynthesizes] [ResultNamesTheLimit]", async () => {
    await using stage = await setStage(host, delegatesTo(worksUntilToolsFree()), { installed });
    await stage.sandbox.writeUserConfig({ turns: 3 });
    const { code, stdout, stderr } = await stage.print("Go.");
    expect(subAgentRequests(stage).map(({ toolNames }) => toolNames.length > 0)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(await executed(stage)).toHaveLength(3);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
    expect(resultOfSubAgent(stage)).toContain("What I know.");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "That is all.\n", stderr: "" });
  });

  test("a sub-agent's tool that cannot be aborted: the person's own run ends print mode, and says so once [OnlyTheTopEndsPi] [OnlyTheTopSpeaks]", async () => {
    await using stage = await setStage(host, hangs, { installed: [...installed, "ignores-abort"] });
    await stage.sandbox.writeUserConfig({ time: "6s" });
    const { code, stderr } = await stage.print("Go.");
    expect(stderr.match(/cannot be aborted/g)).toHaveLength(1);
    expect(stderr.match(/Time limit reached/g)).toHaveLength(1);
    expect(code).toBe(1);
  });
});

onNewestHost((host) => {
  test("a model that calls a tool all the same is stopped, and the result names the limit [ResultNamesTheLimit]", async () => {
    await using stage = await setStage(host, delegatesTo(leavesWithoutEnd()), { installed });
    await stage.sandbox.writeUserConfig({ turns: 3 });
    const { code, stderr } = await stage.print("Go.");
    expect(subAgentRequests(stage)).toHaveLength(4);
    expect(await executed(stage)).toHaveLength(3);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.for([
    { what: "steps", settings: { steps: 2 }, reached: "Step limit" },
    // A flag counts for the person's session alone.
    {
      what: "tokens",
      settings: { tokens: 300 },
      args: ["--max-tokens", "unlimited"],
      reached: "Token limit reached",
    },
  ])(
    "a limit of $what ends a sub-agent in the same way [SubAgentSynthesizes]",
    async ({ settings, reached, args = [] }) => {
      await using stage = await setStage(host, delegatesTo(worksUntilToolsFree()), { installed });
      await stage.sandbox.writeUserConfig(settings);
      const { code, stderr } = await stage.print("Go.", { args });
      expect(subAgentRequests(stage).at(-1)?.toolNames).toEqual([]);
      expect(resultOfSubAgent(stage)).toContain(reached);
      expect(resultOfSubAgent(stage)).toContain("What I know.");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
  );

  test("a time limit cuts off what a sub-agent waits for, and it answers [SubAgentSynthesizes]", async () => {
    const waits: Script = ({ toolNames }) => (toolNames.length === 0 ? salvage : calls(bash("sleep 600")));
    await using stage = await setStage(host, delegatesTo(waits), { installed });
    await stage.sandbox.writeUserConfig({ time: "6s" });
    // A flag counts for the person's session alone.
    const { code, stderr } = await stage.print("Go.", { args: ["--max-time", "unlimited"] });
    expect(subAgentRequests(stage)).toHaveLength(2);
    expect(resultOfSubAgent(stage)).toContain("Time limit reached");
    expect(resultOfSubAgent(stage)).toContain("What I know.");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("what the person's settings say for runs without a person holds for sub-agents [SubAgentSynthesizes]", async () => {
    await using stage = await setStage(host, delegatesTo(worksUntilToolsFree()), { installed });
    await stage.sandbox.writeUserConfig({ turns: { max: 3, headless: "stop" } });
    const { code, stderr } = await stage.print("Go.");
    expect(subAgentRequests(stage)).toHaveLength(3);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

await onEachTerminal((host) => {
  test("a sub-agent at its limit asks on the person's screen, and after a no hands back what it has [SubAgentAsksAbove] [NoIsHandedBack]", async () => {
    await using stage = await setStage(host, delegatesTo(worksUntilToolsFree()), { installed });
    await stage.sandbox.writeUserConfig({ turns: 3 });
    const pi = await stage.tui();
    await pi.submit("Go.");
    await pi.waitFor('Sub-agent "Look into it for me.": turn limit reached');
    await pi.press("Escape");
    const screen = await pi.waitFor("That is all.");
    expect(screen).not.toContain("one last answer, without tools");
    expect(subAgentRequests(stage)).toHaveLength(4);
    expect(resultOfSubAgent(stage)).toContain("Turn limit reached (3/3)");
    expect(resultOfSubAgent(stage)).toContain("What I know.");
    expect(await pi.exitCode()).toBeUndefined();
  });
});

await onNewestTerminal((host) => {
  test("a sub-agent's tool that cannot be aborted does not end the person's Pi [OnlyTheTopEndsPi]", async () => {
    await using stage = await setStage(host, hangs, { installed: [...installed, "ignores-abort"] });
    await stage.sandbox.writeUserConfig({ time: "1s" });
    // A flag counts for the person's session alone.
    const pi = await stage.tui({ args: ["--max-time", "unlimited"] });
    await pi.submit("Go.");
    await pi.waitFor("Looks into it");
    await pause(longerThanStuck);
    expect(await pi.exitCode()).toBeUndefined();
    await pi.submit("/time-limit");
    expect(await pi.waitFor("Time limit: unlimited")).not.toMatch(/so Pi ends here|Time limit reached/);
  });
});
