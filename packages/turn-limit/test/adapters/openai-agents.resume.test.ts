import { Agent, RunState } from "@openai/agents";
import { expect, test } from "vitest";
import { limitRuns } from "../../src/adapters/openai-agents/index.ts";
import type { SeenRequest } from "../../src/testing/scripted-host.ts";
import { inAnotherProcess } from "../helpers/in-another-process.ts";
import { quickRunner, scripted, workTool } from "../hosts/openai-agents.ts";
import { aPool } from "../pools/a-pool.ts";
import type { Work, Worked } from "./resume/openai-agents.ts";

const script = new URL("resume/openai-agents.ts", import.meta.url);
const work = (what: Work) => inAnotherProcess<Worked>(script, what);

test("a run that goes on in other processes makes as many requests as its limit says", async () => {
  const context = { user: "Ada" };
  const limits = { turns: 2 };
  const first = await work({ limits, context });
  const second = await work({ limits, earlier: first });
  // A context that is given again, as one of a class has to be, takes nothing away.
  const third = await work({ limits, context, earlier: second });
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 2, 2]);
  expect([first, second, third].map(({ context }) => context)).toEqual([context, context, context]);
  expect(third.executed).toHaveLength(2);
  expect(third.saved).toBeUndefined();
  expect(third.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, steps: 2 });
});

test("an agent given as a tool goes on with what its caller's run has left, and its call is the same step", async () => {
  const limits = { turns: 2, steps: 9 };
  const first = await work({ limits, asTool: true });
  const second = await work({ limits, asTool: true, earlier: first });
  expect([first, second].map(({ requests }) => requests.length)).toEqual([2, 2]);
  expect(second.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2, steps: 2 });
});

test.each([false, true])(
  "a run that waits, and goes on elsewhere, takes from a pool what it takes in one process (stream: %s)",
  async (stream) => {
    const { pool, standing } = aPool({ turns: 9, steps: 9, tokens: 9_000 });
    const requests: SeenRequest[] = [];
    let executed = 0;
    const work = workTool({ approve: () => true }, async () => {
      executed += 1;
      return "done";
    });
    const agent = new Agent({ name: "Worker", tools: [work] });
    const model = scripted(({ index }) => (index === 1 ? { calls: 2 } : { text: "Done." }), requests);
    // Each has limits of its own, as a process has.
    const run = async (input: string | RunState<unknown, typeof agent>) => {
      const { run } = limitRuns({ pool }, quickRunner(model));
      if (!stream) return run(agent, input);
      const streamed = await run(agent, input, { stream: true });
      await streamed.completed;
      return streamed;
    };
    const waiting = await run("go");
    const tokens = 120;
    expect(await standing()).toMatchObject({ settled: { turns: 1, tokens }, held: {} });
    const state = await RunState.fromString(agent, `${waiting.state}`);
    for (const call of state.getInterruptions()) state.approve(call);
    await run(state);
    expect([requests.length, executed]).toEqual([2, 2]);
    expect(await standing()).toMatchObject({ settled: { turns: 2, steps: 2, tokens: 2 * tokens }, held: {} });
  },
);

test("what was saved with a state and is damaged, or no state of limits, is an error and no fresh budget", async () => {
  const requests: SeenRequest[] = [];
  const agent = new Agent({ name: "Worker", tools: [workTool({ approve: () => true }, async () => "done")] });
  const limits = limitRuns({ turns: 2 }, quickRunner(scripted(() => ({ calls: 1 }), requests)));
  const saved = JSON.parse(`${(await limits.run(agent, "go")).state}`);
  const texts: Record<string, string> = saved.pendingAgentToolRuns;
  const [key, text] = Object.entries(texts).find(([, text]) => text.includes("checksum")) ?? [];
  for (const [damaged, message] of [
    [JSON.stringify({ ...JSON.parse(String(text)), questions: 7 }), /state\.checksum/],
    ["{", /the limits in the run state/],
    [JSON.stringify({ version: 9 }), /state\.version/],
  ] as const) {
    const pendingAgentToolRuns = { ...texts, [String(key)]: damaged };
    const state = await RunState.fromString(agent, JSON.stringify({ ...saved, pendingAgentToolRuns }));
    // Trying again makes no difference.
    await expect(limits.run(agent, state)).rejects.toThrow(message);
    await expect(limits.run(agent, state)).rejects.toThrow(message);
  }
  expect(requests).toHaveLength(1);
});
