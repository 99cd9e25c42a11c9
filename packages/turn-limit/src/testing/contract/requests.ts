import { strict as assert } from "node:assert";
import { isLimitExceeded } from "../../core/errors/limit-exceeded.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../core/limits/last-turn.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { ModelReply, SeenRequest } from "../scripted-host.ts";
import { assertOutcomes, type Contract, endless, endsAt, timesTold, toolsOffered } from "./contract.ts";

/** Every request is counted, also where the host makes it again by itself. The caller's signal reaches requests and calls. */
export function testRequests({ play, where }: Contract): void {
  where("requests")("requests that the host makes again count for the limit of requests", async () => {
    const limits = { turns: 10, requests: 3 };
    const seen = await play({ limits, model: () => ({ fails: true }) });
    assert(seen.requests.length <= 3, `${seen.requests.length} requests were sent`);
    assert.equal(seen.outcomes[0]?.turns, 1);
  });

  where("requests")("a limit of requests admits exactly as many, and a retry is one of them", async () => {
    const model = ({ index }: { index: number }) => (index === 2 ? { fails: true as const } : { calls: 1 });
    const seen = await play({ limits: { turns: 10, requests: 4 }, model });
    assert.equal(seen.requests.length, 4);
    assertOutcomes(seen, { kind: "stopped", limit: "requests", turns: 3 });
  });

  where("requests", "retries")("a retry that a limit of requests does not cover is not sent", async () => {
    const seen = await play({ limits: { turns: 10, requests: 2 }, model: () => ({ fails: true }) });
    assert.equal(seen.requests.length, 2);
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "stopped", limit: "requests", turns: 1 });
  });

  where("requests", "retries")("a limit of requests that raises does so before a retry, too", async () => {
    const limits = { turns: 10, requests: { max: 2, onExhausted: "raise" } } as const;
    const seen = await play({ limits, model: () => ({ fails: true }) });
    assert.equal(seen.requests.length, 2);
    assert(isLimitExceeded(seen.error), `not a LimitExceeded: ${seen.error}`);
    assert.equal(seen.error.limit, "requests");
    assertOutcomes(seen, { kind: "stopped", limit: "requests", turns: 1 });
  });

  where(
    "requests",
    "retries",
    "ask",
  )("a retry is held while a person is asked", async () => {
    const asked: string[] = [];
    const ask: AdapterOptions["ask"] = ({ limit, used, max }) => asked.push(`${limit} ${used}/${max}`) < 2;
    const model = ({ index }: SeenRequest): ModelReply => (index < 3 ? { fails: true } : { calls: 1 });
    const seen = await play({ limits: { requests: 2, ask }, model });
    assert.deepEqual(asked, ["requests 2/2", "requests 2/2"]);
    assert.equal(seen.requests.length, 4);
    assert.equal(seen.orphans, 0);
    assertOutcomes(seen, { kind: "declined", limit: "requests", turns: 2 });
  });

  where(
    "requests",
    "retries",
    "synthesize",
  )("in place of a retry that is not covered, the answer without tools is made", async () => {
    const limits = { requests: { max: 2, onExhausted: "synthesize" } } as const;
    const model = ({ index }: SeenRequest): ModelReply =>
      index === 1 ? { calls: 1 } : index === 2 ? { fails: true } : { text: "partial" };
    const seen = await play({ limits, model });
    assert.deepEqual(toolsOffered(seen), [1, 1, 0]);
    assert.equal(timesTold(seen.requests.at(-1), DEFAULT_SYNTHESIS_MESSAGE), 1);
    assert.equal(seen.answer, "partial");
    assert.equal(seen.error, undefined);
    assertOutcomes(seen, { kind: "salvaged", limit: "requests" });
  });

  where("requests")("a limit of requests that is not reached holds nothing", async () => {
    const seen = await play({ limits: { requests: 3 }, model: endsAt(3) });
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "completed" });
  });

  // Requests and calls are given the run's own signal where there is a time limit: the caller's must not be lost for it.
  for (const time of ["unlimited", 600_000] as const) {
    const also = time === "unlimited" ? "" : ", where the time is limited, too";
    const limits = { turns: 10, time };
    const aborting = time === "unlimited" ? where("abort") : where("abort", "time");

    aborting(`the caller's signal ends a request that hangs${also}`, async () => {
      const callers = new AbortController();
      let given: AbortSignal | undefined;
      const seen = await play({
        limits,
        signal: callers.signal,
        model({ index }, signal) {
          if (index < 2) return { calls: 1 };
          given = signal;
          setImmediate(() => callers.abort());
          return { stalls: true };
        },
      });
      assert.equal(seen.requests.length, 2);
      assertOutcomes(seen, { kind: "aborted" });
      assert(!given || given.aborted, "the request was not told");
    });

    aborting(`a tool call that hangs is told that the caller aborts${also}`, async () => {
      const callers = new AbortController();
      let given: AbortSignal | undefined;
      const seen = await play({
        limits,
        signal: callers.signal,
        model: endless,
        onExecute(_, signal) {
          given = signal;
          setImmediate(() => callers.abort());
          return new Promise<void>((resolve) => callers.signal.addEventListener("abort", () => resolve()));
        },
      });
      assert.equal(seen.requests.length, 1);
      assertOutcomes(seen, { kind: "aborted" });
      assert(!given || given.aborted, "the call was not told");
    });
  }
}
