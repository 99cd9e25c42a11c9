import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  bash,
  calls,
  cutShort,
  deferred,
  endsAfter,
  fails,
  type Reply,
  type RpcPi,
  says,
  sequence,
  slow,
  withUsage,
} from "@turn-limit/rig";
import { expect, test } from "vitest";
import { readHistory } from "../../src/stats/history.ts";
import type { PromptCost } from "../../src/stats/session-counter.ts";
import { executed, leaves } from "../helpers/executed.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { cameToRest, tell, work } from "../helpers/talk.ts";

const done = says("Done.");
const free = { PI_MAX_TURNS: "unlimited" };

/** What the prompts of the stage's session files took, in the order in which Pi kept them. */
async function kept({ sandbox }: Stage): Promise<Record<keyof PromptCost, number[]> & { sessions: number }> {
  const { prompts, sessions } = await readHistory(`${sandbox.agentDir}/sessions`);
  const column = (measure: keyof PromptCost) => prompts.map((prompt) => prompt[measure]);
  return {
    sessions,
    turns: column("turns"),
    steps: column("steps"),
    tokens: column("tokens"),
    cacheTokens: column("cacheTokens"),
    dollars: column("dollars"),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Forks the session before the last prompt. */
async function fork(pi: RpcPi): Promise<void> {
  const { data } = await pi.send({ type: "get_fork_messages" });
  const { messages } = data as { messages: { entryId: string }[] };
  const answer = await pi.send({ type: "fork", entryId: messages.at(-1)?.entryId });
  expect(answer).toMatchObject({ success: true });
}

onEachHost((host) => {
  test("what is counted is what was sent and what was executed", async () => {
    const replies: Reply[] = [
      calls(leaves("a"), leaves("b"), leaves("c")),
      calls(leaves("d")),
      done,
      calls(leaves("e")),
      done,
    ];
    await using stage = await setStage(host, sequence(replies), {
      modelCost: { input: 1_000, output: 2_000 },
    });
    const pi = await stage.rpc({ session: true, env: free });
    await work(pi, "One.");
    await work(pi, "Two.");
    const counted = await kept(stage);
    expect(counted).toMatchObject({ sessions: 1, turns: [3, 2], steps: [4, 1], tokens: [360, 240] });
    expect(sum(counted.turns)).toBe(stage.model.requests.length);
    expect(sum(counted.steps)).toBe((await executed(stage)).length);
    // 100 tokens in and 20 out, in dollars per million.
    expect(sum(counted.dollars)).toBeCloseTo(5 * (0.1 + 0.04), 9);
  });

  test("what a fork and a clone repeat is counted once", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const pi = await stage.rpc({ session: true, env: free });
    await work(pi, "One.");
    await work(pi, "Two.");
    await fork(pi);
    await work(pi, "Another two.");
    expect(await pi.send({ type: "clone" })).toMatchObject({ success: true });
    await work(pi, "Three.");
    const { sessions, turns, steps } = await kept(stage);
    expect({ sessions, turns }).toEqual({ sessions: 3, turns: [2, 2, 2, 2] });
    expect(sum(turns)).toBe(stage.model.requests.length);
    expect(sum(steps)).toBe(4);
  });
});

onNewestHost((host) => {
  test("a steered message is part of its prompt, and a queued follow-up is a prompt", async () => {
    const gate = deferred();
    const script = sequence([
      slow(calls(bash("echo working")), gate.promise),
      calls(leaves("a")),
      done,
      done,
    ]);
    await using stage = await setStage(host, script);
    const pi = await stage.rpc({ session: true, env: free });
    await pi.prompt("Go.");
    await stage.model.waitForRequest(1);
    await pi.steer("Left.");
    await pi.followUp("And then.");
    gate.resolve();
    await pi.settled();
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      ...["Go.", "Left.", "Left.", "And then."],
    ]);
    expect(await kept(stage)).toMatchObject({ turns: [3, 1], steps: [2, 0] });
  });

  test("a retried request is one turn", async () => {
    const replies = [fails(529), calls(leaves("a")), fails(529), fails(529), done];
    await using stage = await setStage(host, sequence(replies));
    const pi = await stage.rpc({ session: true, env: free });
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(5);
    expect(await kept(stage)).toMatchObject({ turns: [2], steps: [1] });
  });

  test("an answer that is cut short and asked for again after a compaction is one turn", async () => {
    const half = withUsage({ promptTokens: 49_900 }, cutShort(says("Half an ans")));
    const settings = { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } };
    const replies = [calls(leaves("a")), half, done];
    let turn = 0;
    await using stage = await setStage(
      host,
      ({ toolNames }) => (toolNames.length === 0 ? says("A summary.") : (replies[turn++] ?? done)),
      { settings, contextWindow: 50_000 },
    );
    const pi = await stage.rpc({ session: true, env: free });
    await work(pi, "Go.");
    expect(turn).toBe(3);
    expect(await kept(stage)).toMatchObject({ turns: [2], steps: [1] });
  });

  test("a run that the turn limit stopped took as many turns as the limit admits", async () => {
    await using stage = await setStage(host, endsAfter(9));
    await stage.print("Go.", { maxTurns: 4, session: true });
    expect(stage.model.requests).toHaveLength(4);
    expect((await kept(stage)).turns).toEqual([4]);
  });

  test("/limits stats is a notification in RPC mode", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ session: true });
    expect((await tell(pi, "/limits stats")).message).toContain("No prompts yet.");
    await work(pi, "Go.");
    const { message } = await tell(pi, "/limits stats");
    expect(message).toContain("1 prompt in 1 session");
    expect(message).toMatch(/^Turns( +3){4}$/m);
    expect(stage.model.requests).toHaveLength(3);
  });

  test("/limits stats is printed on stderr in print mode", async () => {
    await using stage = await setStage(host, endsAfter(3));
    await stage.print("Go.", { session: true });
    const { code, stdout, stderr } = await stage.print("/limits stats");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("1 prompt in 1 session");
  });

  test("/limits statistics says what is allowed", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc();
    expect(await tell(pi, "/limits statistics")).toMatchObject({
      message: 'Use /limits or /limits stats, not "statistics".',
    });
  });
});

await onNewestTerminal((host) => {
  test("a dialog of another extension comes before it, and afterwards Pi takes prompts as always", async () => {
    await using stage = await setStage(host, () => done);
    const pi = await stage.tui({ session: true, beside: ["interrupts"] });
    await pi.submit("/limits stats");
    await pi.waitFor("Escape closes");
    await writeFile(join(stage.sandbox.projectDir, "interrupt"), "");
    await pi.waitFor("It is only an interruption.");
    await pi.press("Enter");
    await pi.waitFor("Excused: true");
    await pi.press("Escape");
    await pi.waitUntilGone("Escape closes");
    await pi.submit("One.");
    await stage.model.waitForRequest(1);
  });

  test("on the terminal /limits stats is completed, has a screen of its own, and goes with Escape", async () => {
    await using stage = await setStage(host, endsAfter(12));
    const pi = await stage.tui({ session: true });
    await pi.submit("Go.");
    await pi.waitFor("All done.");
    await cameToRest(pi);
    await pi.type("/limits s");
    await pi.waitFor(/^→ stats/m);
    await pi.press("Tab");
    await pi.waitUntilGone(/^→ /m);
    await pi.press("Enter");
    expect(await pi.waitFor("1 prompt in 1 session")).not.toContain("The default of 25");
    await pi.press("PageDown");
    const screen = await pi.waitFor("The default of 25 would have stopped none of your prompts");
    expect(screen).toContain("Escape closes");
    await pi.press("Escape");
    await pi.waitUntilGone("Escape closes");
    await pi.submit("Again.");
    await stage.model.waitForRequest(13);
  });

  test("on a narrow terminal every count is shown; Home, End and q do what they do elsewhere", async () => {
    await using stage = await setStage(host, endsAfter(12));
    const pi = await stage.tui({ session: true, cols: 60 });
    await pi.submit("Go.");
    await pi.waitFor("All done.");
    await pi.submit("/limits stats");
    expect(await pi.waitFor("1 prompt in 1 session")).toMatch(/11-25 +█+ +1 +100\.0 %/);
    await pi.press("End");
    await pi.waitFor("The default of 25");
    await pi.press("Home");
    await pi.waitFor("1 prompt in 1 session");
    await pi.press("q");
    await pi.waitUntilGone("Escape closes");
  });
});
