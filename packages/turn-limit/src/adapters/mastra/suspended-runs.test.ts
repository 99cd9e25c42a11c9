import { expect, test } from "vitest";
import { Run } from "../../run/run.ts";
import { HostedAgent } from "../shared/hosted-agent.ts";
import { OpenRuns } from "../shared/open-runs.ts";
import type { Limits, Returned } from "./agent-class.ts";
import { GovernedRun } from "./governed-run.ts";
import { ReturnedRun } from "./suspended-runs.ts";

const LIMITS = {} as Limits;

/** Runs that have begun, of which the host has returned something. */
function setUp() {
  const runs = new OpenRuns<ReturnedRun>();
  const ended: string[] = [];
  const returned: Returned[] = [];
  function newRun(): GovernedRun {
    const run = new Run({ onOutcome: ({ kind }, { id }) => void ended.push(`${id} ${kind}`) });
    return new GovernedRun(new HostedAgent(run));
  }
  async function keep(result: Returned & { runId: string }, run = newRun()): Promise<void> {
    run.progress.info = { id: result.runId };
    const { work } = run.tools.govern({ work: { execute: () => "asks a person" } });
    await (work as { execute(input: unknown): Promise<unknown> }).execute({});
    returned.push(result);
    runs.keep(result.runId, new ReturnedRun(run, LIMITS, result));
  }
  async function keepWaiting(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await keep({ runId: `${n}`, finishReason: "suspended" });
  }
  return { runs, ended, keep, keepWaiting };
}

test("of the runs that wait for a person the last 1000 are kept, and the others have been aborted", async () => {
  const { runs, ended, keepWaiting } = setUp();
  await keepWaiting(1_003);
  expect(ended).toEqual(["0 aborted", "1 aborted", "2 aborted"]);
  expect([runs.get("2"), runs.get("3")]).toEqual([undefined, expect.any(ReturnedRun)]);
});

test("a run that is at work is not aborted: one that streams, or was resumed", async () => {
  const { runs, ended, keep, keepWaiting } = setUp();
  await keep({ runId: "streams", status: "running" });
  await keep({ runId: "resumed", status: "suspended" });
  const resumed = runs.get("resumed");
  if (resumed) resumed.isResumed = true;
  await keep({ runId: "suspended", status: "suspended" });
  await keepWaiting(998);
  expect(ended).toEqual(["suspended aborted"]);
});

test("a run that is over is not resumed", async () => {
  const { runs, keep } = setUp();
  await keep({ runId: "over", status: "suspended" });
  runs.get("over")?.run.end();
  expect(runs.get("over")).toBeUndefined();
});

test("a sub-agent's part of a run is forgotten, and what the run does meanwhile goes on", async () => {
  const { runs, keep, keepWaiting } = setUp();
  const run = new Run({});
  run.begin();
  await keep({ runId: "part", finishReason: "suspended" }, new GovernedRun(new HostedAgent(run).subAgent()));
  await run.nextTurn();
  await keepWaiting(1_000);
  expect(runs.get("part")).toBeUndefined();
  expect(run.view.request).toBe("in-flight");
});
