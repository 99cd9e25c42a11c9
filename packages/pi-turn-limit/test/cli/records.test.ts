import { endless, endsAfter, fails, type PiEvent } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { keptEntries, recorded, sessionFiles } from "../helpers/recorded.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, no, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";

function appendedOutcomes(events: readonly PiEvent[]): unknown[] {
  return events
    .filter(({ type }) => type === "entry_appended")
    .map(({ entry }) => entry as { customType?: string; data?: unknown })
    .filter(({ customType }) => customType === OUTCOME)
    .map(({ data }) => data);
}

onEachHost((host) => {
  test("readers of the JSON stream and of the session file can tell a stop by the limit [RunEndsAsDecided]", async () => {
    await using stage = await setStage(host, endless());
    const { events } = await stage.json("Go.", { maxTurns: 2, session: true, beside });
    const outcome = {
      outcome: "stopped",
      limit: "turns",
      turns: 2,
      rounds: 1,
      steps: 2,
      maxTurns: 2,
      maxSteps: "unlimited",
      usage: { input: 200, output: 40, cacheRead: 0, cacheWrite: 0 },
      time: expect.any(Number),
      summary: expect.stringMatching(/^Stopped by the turn limit · 2 turns · 2 steps · 240 tokens · \d+s$/),
    };
    expect(appendedOutcomes(events)).toMatchObject([outcome]);
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([outcome]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([outcome]);
    expect(await recorded(stage, BOUNDARY)).toEqual([{ ...named("turns"), used: 2, max: 2, action: "stop" }]);
    const types = events.map(({ type }) => type);
    expect(types.lastIndexOf("entry_appended")).toBeLessThan(types.indexOf("agent_settled"));
  });
});

onNewestHost((host) => {
  test("the made-up answer of a stopped run says why in the JSON stream", async () => {
    await using stage = await setStage(host, endless());
    const { events } = await stage.json("Go.", { maxTurns: 2 });
    const last = events.findLast(({ type }) => type === "message_end")?.message;
    expect(last).toMatchObject({ role: "assistant", stopReason: "aborted" });
    expect(last).toHaveProperty("errorMessage", expect.stringContaining("Turn limit reached (2/2)"));
  });

  test("a run that no limit touched leaves nothing in the session, and its outcome on the bus [RunEndsNaturally]", async () => {
    await using stage = await setStage(host, endsAfter(2));
    const { events } = await stage.json("Go.", { maxTurns: 2, session: true, beside });
    expect(await sessionFiles(stage)).toHaveLength(1);
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([]);
    expect(appendedOutcomes(events)).toEqual([]);
    expect(await recorded(stage, BOUNDARY)).toEqual([]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "completed", turns: 2, rounds: 1, steps: 1, maxTurns: 2, maxSteps: "unlimited" },
    ]);
  });

  test("a run that went on with a yes is recorded with its rounds [ContinuationConfirmed]", async () => {
    await using stage = await setStage(host, endsAfter(5));
    const pi = await stage.rpc({ maxTurns: 2, session: true, beside });
    answerInTurn(pi, yes, yes);
    await work(pi, "Go.");
    const outcome = {
      outcome: "completed",
      turns: 5,
      rounds: 3,
      steps: 4,
      maxTurns: 2,
      maxSteps: "unlimited",
    };
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([outcome]);
    expect(appendedOutcomes(pi.events)).toMatchObject([outcome]);
    const asked = { ...named("turns"), used: 2, max: 2, action: "ask" };
    expect(await recorded(stage, BOUNDARY)).toEqual([asked, asked]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([outcome]);
  });

  test("a no is recorded, and each run on its own [RunEndsAsDecided]", async () => {
    await using stage = await setStage(host, endless());
    const pi = await stage.rpc({ maxTurns: 2, session: true, beside });
    answerInTurn(pi, yes, no, no);
    await work(pi, "One.");
    await work(pi, "Two.");
    const declined = { outcome: "declined", limit: "turns", maxTurns: 2, maxSteps: "unlimited" };
    const outcomes = [
      { ...declined, turns: 4, rounds: 2, steps: 4 },
      { ...declined, turns: 2, rounds: 1, steps: 2 },
    ];
    expect(await keptEntries(stage, OUTCOME)).toMatchObject(outcomes);
    expect(await recorded(stage, OUTCOME)).toMatchObject(outcomes);
  });

  test("a run that failed is told as failed [RunFails]", async () => {
    await using stage = await setStage(host, () => fails(400));
    await stage.print("Go.", { maxTurns: 2, session: true, beside });
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "failed", turns: 1, rounds: 1, steps: 0, maxTurns: 2, maxSteps: "unlimited" },
    ]);
    expect(await keptEntries(stage, OUTCOME)).toMatchObject([]);
  });
});
