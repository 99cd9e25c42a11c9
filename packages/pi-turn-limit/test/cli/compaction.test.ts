import { bash, calls, cutShort, endsAfter, fails, type Script, says, withUsage } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";

const working = calls(bash("echo working"));
const settings = { compaction: { enabled: true, reserveTokens: 1_000, keepRecentTokens: 1 } };
const contextWindow = 50_000;

/** A request for a summary offers the model no tools. */
function turnsAndSummaries({ model }: Stage): { turns: number; summaries: number } {
  const turns = model.requests.filter(({ toolNames }) => toolNames.length > 0).length;
  return { turns, summaries: model.requests.length - turns };
}

/** Answers requests for a summary, and the turns by the script, which is told which turn it is. */
function withSummaries(onTurn: (turn: number) => ReturnType<Script>): Script {
  let turn = 0;
  return ({ toolNames }) => (toolNames.length === 0 ? says("A summary.") : onTurn(++turn));
}

onEachHost((host) => {
  test("a compaction between turns is no turn and refreshes nothing [TurnCompletes]", async () => {
    const full = withUsage({ promptTokens: 49_500 }, working);
    const script = withSummaries((turn) => (turn === 2 ? full : working));
    await using stage = await setStage(host, script, { settings, contextWindow });
    const { stderr } = await stage.print("Go.", { maxTurns: 4 });
    expect(turnsAndSummaries(stage)).toEqual({ turns: 4, summaries: expect.any(Number) });
    expect(turnsAndSummaries(stage).summaries).toBeGreaterThan(0);
    expect(stderr).toContain("Turn limit reached (4/4)");
  });

  test("a turn asked for again after a compaction is counted once [TurnRetried]", async () => {
    const overflow = fails(400, "This model's maximum context length is 50000 tokens");
    const script = withSummaries((turn) => (turn === 3 ? overflow : working));
    await using stage = await setStage(host, script, { settings, contextWindow });
    const { stderr } = await stage.print("Go.", { maxTurns: 4 });
    expect(turnsAndSummaries(stage)).toEqual({ turns: 5, summaries: expect.any(Number) });
    expect(turnsAndSummaries(stage).summaries).toBeGreaterThan(0);
    expect(stderr).toContain("Turn limit reached (4/4)");
  });

  test("an answer that was cut short and asked for again after a compaction is counted once [AnswerDiscarded]", async () => {
    const half = withUsage({ promptTokens: 49_900 }, cutShort(says("Half an ans")));
    const script = withSummaries((turn) => (turn === 3 ? half : working));
    await using stage = await setStage(host, script, { settings, contextWindow });
    const { stderr } = await stage.print("Go.", { maxTurns: 4 });
    expect(turnsAndSummaries(stage)).toEqual({ turns: 5, summaries: expect.any(Number) });
    expect(turnsAndSummaries(stage).summaries).toBeGreaterThan(0);
    expect(stderr).toContain("Turn limit reached (4/4)");
  });

  test("a compaction that a person asks for is no turn", async () => {
    await using stage = await setStage(
      host,
      (request) => (request.toolNames.length === 0 ? says("A summary.") : endsAfter(2)(request)),
      { settings, contextWindow },
    );
    const pi = await stage.rpc({ maxTurns: 2 });
    await pi.prompt("One.");
    await pi.settled();
    expect(await pi.send({ type: "compact" })).toMatchObject({ success: true });
    await pi.prompt("Two.");
    await pi.settled();
    expect(turnsAndSummaries(stage).turns).toBe(4);
  });
});
