import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { isInvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { PastRun } from "../../core/history/past-run.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunControl } from "../../run/run.ts";
import { ManualClock } from "../manual-clock.ts";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt, untilToolsAreGone } from "./contract.ts";
import { historyOf, type Scene } from "./history-scene.ts";

/** Limits are chosen from what earlier runs took, and what a run took is kept. */
export function testHistory(contract: Contract, streaming: boolean): void {
  testFromTheStart(contract, streaming);
  testChoosing(contract);
  testSettingThem(contract);
  if (!streaming) testManyAgents(contract);
  testWithoutHistory(contract);
  testKeeping(contract);
}

function testFromTheStart({ play, test, host }: Contract, streaming: boolean): void {
  test("20 runs are kept as they end, and p90 of what they took holds the next one [ChosenFromHistory]", async () => {
    // 17 of 20 runs take one turn, the others three. All of them are played in one of the ways in which the host works.
    const lengths = [...new Array<number>(17).fill(1), 3, 3, 3];
    const earlier = streaming === (host.can.streaming === true) ? 0 : 17;
    const played = lengths.slice(earlier);
    const scene = historyOf(earlier, { turns: 1 });
    const seen = await play({
      limits: { turns: "p90 up to 9", ...scene.options },
      model: inTurn(played),
      prompts: played.length + 1,
    });
    assert.equal(seen.requests.length, 17 - earlier + 3 * 3 + 3);
    assert.equal(seen.orphans, 0);
    assert.deepEqual(
      seen.outcomes.map((outcome) => [outcome?.kind, outcome?.turns, outcome?.maxTurns]),
      [...played.map((turns) => ["completed", turns, 9]), ["stopped", 3, 3]],
    );
    assert.deepEqual(scene.told, [
      `Turn limit set to 9 (p90 needs 20 finished runs of contract, and there are ${earlier}).`,
      "Turn limit set to 3 (p90 of your last 20 runs of contract).",
    ]);
    await scene.untilKept(21);
    assert.deepEqual(
      (await scene.store.pastRuns("contract")).map(({ end, took }) => [end, took.turns]),
      [...lengths.map((turns) => ["finished", turns]), ["limited", 3]],
    );
  });
}

function testChoosing({ play, test, where, host }: Contract): void {
  test("with 19 finished runs the default holds, however many a limit ended [ChosenFromHistory]", async () => {
    const scene = historyOf(19, { turns: 2 });
    for (let n = 0; n < 5; n += 1) await scene.keep({ turns: 3 }, "limited");
    const seen = await play({ limits: { turns: "p90", ...scene.options }, model: endless });
    assert.equal(seen.requests.length, 25);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 25, maxTurns: 25 });
    assert.deepEqual(scene.told, [
      "Turn limit set to 25 (p90 needs 20 finished runs of contract, and there are 19).",
    ]);
  });

  test("it is never above what is set beside it [ChosenFromHistory]", async () => {
    const scene = historyOf(20, { turns: 9 });
    const turns = { max: "p90 up to 4", onExhausted: "stop" } as const;
    const seen = await play({ limits: { turns, ...scene.options }, model: endless });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 4, maxTurns: 4 });
    assert.deepEqual(scene.told, ["Turn limit set to 4 (p90 of your last 20 runs of contract is 9)."]);
  });

  where("steps")("a limit of tool calls is chosen, too: exactly as many run", async () => {
    const scene = historyOf(20, { turns: 2, steps: 3 });
    const steps = { max: "p50 up to 9", onExhausted: "stop" } as const;
    const seen = await play({ limits: { steps, ...scene.options }, model: () => ({ calls: 2 }) });
    assert.equal(seen.executed.length, 3);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "steps", steps: 3, maxSteps: 3 });
    assert.deepEqual(scene.told, ["Step limit set to 3 (p50 of your last 20 runs of contract)."]);
  });

  where("calls")("and one of a single tool", async () => {
    const tool = host.toolName ?? "work";
    const scene = historyOf(20, { turns: 2, steps: 2, calls: { [tool]: 2 } });
    const limits = {
      ...{ turns: 6, tools: { [tool]: { max: "p90 up to 9", onExhausted: "stop" } as const } },
      ...scene.options,
    };
    const seen = await play({ limits, model: endless });
    assert.equal(seen.executed.length, 2);
    assert.deepEqual(scene.told, [`Limit for ${tool} set to 2 (p90 of your last 20 runs of contract).`]);
  });

  where("spending")("and one of tokens", async () => {
    const scene = historyOf(20, { turns: 2, input: 900, output: 100 });
    const tokens = { max: "p90 up to 2k", onExhausted: "stop" } as const;
    const turns = "unlimited" as const;
    const seen = await play({ limits: { turns, tokens, ...scene.options }, model: endless });
    assertOutcomes(seen, { kind: "stopped", limit: "tokens" });
    const { input = 0, output = 0 } = seen.outcomes[0]?.usage ?? {};
    const used = (input + output) / seen.requests.length;
    // The answer that goes beyond it is the last one.
    assert.equal(seen.requests.length, Math.ceil(1_000 / used));
    assert.deepEqual(scene.told, ["Token limit set to 1k (p90 of your last 20 runs of contract)."]);
  });

  where("time")("and one of time: a call that hangs is cut off when that is up", async () => {
    const clock = new ManualClock();
    const scene = historyOf(20, { turns: 2, time: 5_000 });
    const time = { max: "p90 up to 1h", onExhausted: "stop" } as const;
    const seen = await play({
      limits: { time, clock, ...scene.options },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "time", turns: 1, time: 5_000 });
    assert.deepEqual(scene.told, ["Time limit set to 5s (p90 of your last 20 runs of contract)."]);
  });

  test("the store is asked once in a run, whatever its turns are [ChosenForEachRun]", async () => {
    const asked: string[] = [];
    const scene = historyOf(0, {}, (store) => ({
      ...store,
      pastRuns: (agent) => {
        asked.push("runs");
        return store.pastRuns(agent);
      },
      remember: (run) => {
        asked.push("kept");
        return store.remember(run);
      },
    }));
    await play({
      limits: { turns: "p90", ...scene.options },
      model: endsAt(5),
      onExecute: () => void asked.push("call"),
    });
    await scene.untilKept(1);
    assert.deepEqual(asked, ["runs", "call", "call", "call", "call", "kept"]);
  });

  where("ask")("a yes begins another round of as many turns as were chosen", async () => {
    const scene = historyOf(20, { turns: 2 });
    const asked: unknown[] = [];
    const ask: AdapterOptions["ask"] = ({ used, max }) => asked.push([used, max]) < 2;
    const seen = await play({ limits: { turns: "p90", ask, ...scene.options }, model: endless });
    assert.equal(seen.requests.length, 4);
    assert.deepEqual(asked, [
      [2, 2],
      [2, 2],
    ]);
    assertOutcomes(seen, { kind: "declined", limit: "turns", turns: 4 });
  });
}

function testManyAgents({ host, where }: Contract): void {
  const { playWithSubAgents, playAtOnce } = host;
  if (playWithSubAgents)
    where()("sub-agents spend what was chosen for the run that they work for", async () => {
      const scene = historyOf(20, { turns: 3 });
      const seen = await playWithSubAgents({
        limits: { turns: "p90", ...scene.options },
        model: untilToolsAreGone(),
      });
      assert.equal(seen.requests.length, 3);
      assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
      await scene.untilKept(21);
    });

  where("runsAtOnce")("runs at once are held by it one by one", async () => {
    const scene = historyOf(20, { turns: 3 });
    const limits = { turns: { max: "p90", onExhausted: "stop" }, ...scene.options } as const;
    const outcomes = await playAtOnce?.({ limits, model: endless }, [{ name: "first" }, { name: "second" }]);
    assert.deepEqual(
      outcomes?.map((outcome) => [outcome?.kind, outcome?.turns]),
      [
        ["stopped", 3],
        ["stopped", 3],
      ],
    );
    await scene.untilKept(22);
  });
}

function testSettingThem({ play, where }: Contract): void {
  /** Plays a run whose settings are changed before its first turn. */
  async function configured(
    scene: Scene,
    limits: AdapterOptions,
    change: (settings: RunControl["view"]["settings"]) => Parameters<RunControl["configure"]>[0],
  ) {
    return play({
      limits: { ...limits, ...scene.options },
      model: endless,
      onControl: (control) => control.configure(change(control.view.settings)),
    });
  }

  where("configure")("a percentile that is set later holds in the same way", async () => {
    const scene = historyOf(20, { turns: 3 });
    const seen = await configured(scene, { turns: 9 }, (settings) => ({ ...settings, turns: "p90" }));
    assert.equal(seen.requests.length, 3);
    assert.deepEqual(scene.told, ["Turn limit set to 3 (p90 of your last 20 runs of contract)."]);
  });

  where("configure")("it holds on when something else is set", async () => {
    const scene = historyOf(20, { turns: 3 });
    const seen = await configured(scene, { turns: "p90" }, (settings) => ({ ...settings, steps: 40 }));
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { maxTurns: 3, maxSteps: 40 });
  });

  where("configure")("a number that is set later takes its place [ChosenAgainWhenSet]", async () => {
    const scene = historyOf(20, { turns: 3 });
    const seen = await configured(scene, { turns: "p90" }, (settings) => ({ ...settings, turns: 5 }));
    assert.equal(seen.requests.length, 5);
  });
}

function testWithoutHistory({ play, test, host }: Contract): void {
  test("a percentile without a history is refused, and the error says what to write", () => {
    for (const [limits, setting] of [
      [{ turns: "p90" }, "turns.max"],
      [{ turns: { max: "p90 up to 50" } }, "turns.max"],
      [{ tools: { work: "p75 up to 5" } }, "tools.work.max"],
    ] as const) {
      const error = refusalOf(() => host.make(limits));
      assert(isInvalidLimit(error), `${JSON.stringify(limits)} was not refused`);
      assert.equal(error.setting, setting);
      assert.match(error.message, /history: historyIn\(store, \{ agent: "…" \}\)/);
    }
  });

  test("a store that cannot be used is told, and the default holds [DefaultWithoutHistory]", async () => {
    const fails = () => Promise.reject(new Error("No such disk."));
    const scene = historyOf(0, {}, (store) => ({ ...store, pastRuns: fails, remember: fails }));
    const seen = await play({ limits: { turns: "p90 up to 3", ...scene.options }, model: endless });
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3, maxTurns: 3 });
    assert.deepEqual(scene.told, ["Turn limit set to 3 (p90 is not known: No such disk)."]);
  });

  test("damaged records are left out", async () => {
    const damaged = [undefined, {}, { end: "finished" }, { end: "finished", took: { turns: "90" } }];
    const scene = historyOf(20, { turns: 2 }, (store) => ({
      ...store,
      pastRuns: async (agent) => [...(damaged as PastRun[]), ...(await store.pastRuns(agent))],
    }));
    const seen = await play({ limits: { turns: "p99", ...scene.options }, model: endless });
    assert.equal(seen.requests.length, 2);
    assert.deepEqual(scene.told, ["Turn limit set to 2 (p99 of your last 20 runs of contract)."]);
  });
}

function testKeeping({ play, test, where, host }: Contract): void {
  test("what a run took is kept, whatever its limits are [RunsAreRemembered]", async () => {
    const scene = historyOf(0);
    await play({ limits: { turns: 9, ...scene.options }, model: endsAt(3) });
    await scene.untilKept(1);
    const [run] = await scene.store.pastRuns("contract");
    assert.equal(run?.end, "finished");
    assert.equal(run?.took.turns, 3);
    if (host.can.requests === true) assert.equal(run?.took.requests, 3);
    if (host.can.steps === true) assert.equal(run?.took.steps, 2);
    if (host.can.calls === true) assert.deepEqual(run?.took.calls, { [host.toolName ?? "work"]: 2 });
    if (host.can.spending === true) assert((run?.took.input ?? 0) > 0);
    assert.deepEqual(scene.told, []);
  });

  where("abort")("of one that was aborted nothing is kept [RunsAreRemembered]", async () => {
    const scene = historyOf(0);
    const controller = new AbortController();
    const seen = await play({
      limits: { turns: 9, ...scene.options },
      model: endless,
      signal: controller.signal,
      onExecute: () => controller.abort(),
    });
    assertOutcomes(seen, { kind: "aborted" });
    await setImmediate();
    assert.deepEqual(await scene.store.pastRuns("contract"), []);
  });
}

/** A model that takes these numbers of turns for its prompts, one after the other, and does not finish the one after them. */
function inTurn(lengths: readonly number[]): (request: SeenRequest) => ModelReply {
  const ends = lengths.map((_, n) => lengths.slice(0, n + 1).reduce((sum, length) => sum + length, 0));
  return (request) => (ends.includes(request.index) ? { text: "done" } : endless(request));
}

function refusalOf(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}
