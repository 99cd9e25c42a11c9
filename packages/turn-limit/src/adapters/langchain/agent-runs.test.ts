import type { Runtime } from "langchain";
import { expect, test } from "vitest";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AgentRun } from "./agent-run.ts";
import { AgentRuns } from "./agent-runs.ts";

/** What the hooks of an invocation on a thread are given. */
const invocation = (thread: string) =>
  ({ configurable: { thread_id: thread, checkpoint_ns: "hook:1" }, writer: () => {} }) as unknown as Runtime;

test("of the runs that wait for a person, the last 1000 are kept, and the others have been aborted", async () => {
  const ended: Outcome[] = [];
  const runs = new AgentRuns({ turns: 5, onOutcome: (outcome) => void ended.push(outcome) });
  const begun: AgentRun[] = [];
  for (let n = 0; n < 1_003; n += 1) {
    const run = runs.begin({ messages: [] }, invocation(`${n}`));
    begun.push(run);
    await run.loopOf(invocation(`${n}`)).nextTurn(invocation(`${n}`));
  }
  expect(ended.map(({ kind }) => kind)).toEqual(["aborted", "aborted", "aborted"]);
  const resumed = (n: number) =>
    runs.within({ messages: [], _turnLimitRun: begun[n]?.saved }, invocation(`${n}`), (run) => run);
  expect(await resumed(3)).toBe(begun[3]);
  expect(await resumed(2)).not.toBe(begun[2]);
});
