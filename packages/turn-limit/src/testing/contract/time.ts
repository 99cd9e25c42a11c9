import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { isLimitExceeded } from "../../core/errors/limit-exceeded.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { RunControl } from "../../run/run.ts";
import { ManualClock } from "../manual-clock.ts";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import {
  assertOutcomes,
  type Contract,
  endless,
  timesTold,
  toolsOffered,
  untilToolsAreGone,
} from "./contract.ts";

/** A time limit holds between turns, and in the middle of one. */
export function testTime({ play, where }: Contract): void {
  where("time")("a time limit that is used up stops the next request", async () => {
    const clock = new ManualClock();
    const model = (): ModelReply => {
      clock.pass(1_000);
      return { calls: 1 };
    };
    const seen = await play({ limits: { time: 3_000, clock }, model });
    assert.equal(seen.requests.length, 3);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "time", turns: 3, time: 3_000 });
  });

  where("time", "ask")("the time in which a person is waited for does not count", async () => {
    const clock = new ManualClock();
    const ask = async () => {
      clock.pass(3_600_000);
      return true;
    };
    const model = ({ index }: SeenRequest): ModelReply => {
      clock.pass(1_000);
      return index === 6 ? { text: "done" } : { calls: 1 };
    };
    const seen = await play({ limits: { turns: 2, time: 9_000, clock, ask }, model });
    assert.equal(seen.requests.length, 6);
    assertOutcomes(seen, { kind: "completed", time: 6_000, rounds: 3 });
  });

  where("time")("a tool call that hangs is cut off when the time is up, and the run stopped", async () => {
    const clock = new ManualClock();
    const seen = await play({
      limits: { time: 5_000, clock },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "time", turns: 1, time: 5_000 });
  });

  where("time", "synthesize")(
    "a tool call that hangs is cut off, and told so, for an answer without tools",
    async () => {
      const clock = new ManualClock();
      const seen = await play({
        limits: { time: { max: 5_000, onExhausted: "synthesize" }, clock },
        model: untilToolsAreGone(),
        onExecute: () => clock.hang(5_000),
      });
      assert.deepEqual(toolsOffered(seen), [1, 0]);
      assert.equal(timesTold(seen.requests.at(-1), "Cut off before it had a result: the time limit"), 1);
      assert.equal(timesTold(seen.requests.at(-1), "Not run"), 0);
      assert.equal(seen.answer, "partial");
      assertOutcomes(seen, { kind: "salvaged", limit: "time" });
    },
  );

  where("time")("a time limit that raises does so in the middle of a turn, too", async () => {
    const clock = new ManualClock();
    const seen = await play({
      limits: { time: { max: 5_000, onExhausted: "raise" }, clock },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assert(isLimitExceeded(seen.error), `not a LimitExceeded: ${seen.error}`);
    assert.equal(seen.error.limit, "time");
    assertOutcomes(seen, { kind: "stopped", limit: "time" });
  });

  where("time", "configure")("a time limit that is shortened during a turn holds at once", async () => {
    const clock = new ManualClock();
    let control: RunControl | undefined;
    const seen = await play({
      limits: { time: 60_000, clock },
      model: endless,
      onControl(given) {
        control = given;
      },
      async onExecute() {
        await setImmediate();
        clock.pass(3_000);
        control?.configure({ ...control.view.settings, time: 2_000 });
        clock.pass(0);
        return new Promise(() => {});
      },
    });
    assert.equal(seen.requests.length, 1);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "stopped", limit: "time", turns: 1, time: 3_000 });
  });

  where("time")("a request that stalls is cut off when the time is up", async () => {
    const clock = new ManualClock();
    const model = ({ index }: SeenRequest): ModelReply => {
      if (index < 2) return { calls: 1 };
      void clock.hang(5_000);
      return { stalls: true };
    };
    const seen = await play({ limits: { time: 5_000, clock }, model });
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.executed.length, 1);
    assertOutcomes(seen, { kind: "stopped", limit: "time", turns: 2 });
  });

  where("time", "ask")("a person can be asked while a tool call hangs, and a no cuts it off", async () => {
    const clock = new ManualClock();
    const asked: string[] = [];
    const ask: AdapterOptions["ask"] = ({ limit }) => {
      asked.push(limit);
      return false;
    };
    const seen = await play({
      limits: { time: 5_000, clock, ask },
      model: endless,
      onExecute: () => clock.hang(5_000),
    });
    assert.deepEqual(asked, ["time"]);
    assert.equal(seen.requests.length, 1);
    assertOutcomes(seen, { kind: "declined", limit: "time" });
  });
}
