import type { Runtime } from "langchain";
import { expect, test } from "vitest";
import type { Outcome } from "../../governor/outcome.ts";
import { AgentRuns } from "./agent-runs.ts";

/** What the hooks of an invocation on a thread are given. */
const invocation = (thread: string) =>
  ({ configurable: { thread_id: thread, checkpoint_ns: "hook:1" }, writer: () => {} }) as unknown as Runtime;

test("of the runs that wait for a person, the last 1000 are kept, and the others have been aborted", async () => {
  const ended: Outcome[] = [];
  const runs = new AgentRuns({ turns: 5, onOutcome: (outcome) => void ended.push(outcome) });
  const keys: (string | undefined)[] = [];
  for (let n = 0; n < 1_003; n += 1) {
    const run = runs.begin({ messages: [] }, invocation(`${n}`));
    keys.push(run?.key);
    await run?.admit(invocation(`${n}`));
  }
  expect(ended.map(({ kind }) => kind)).toEqual(["aborted", "aborted", "aborted"]);
  const turnsOf = (n: number) =>
    runs.within(
      { messages: [], _turnLimitRun: keys[n] },
      invocation(`${n}`),
      ({ driver }) => driver.governor.view.outcome?.turns,
    );
  expect(await turnsOf(3)).toBe(1);
  expect(await turnsOf(2)).toBeUndefined();
});
