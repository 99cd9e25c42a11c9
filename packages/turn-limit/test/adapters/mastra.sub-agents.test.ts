import type { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { describe, expect, test } from "vitest";
import { type AdapterOptions, limitAgent, type RunOptions } from "../../src/adapters/mastra/index.ts";
import { isUnsupportedOption } from "../../src/core/errors/unsupported-option.ts";
import type { Scenario, SeenRequest } from "../../src/testing/scripted-host.ts";
import { answerTo, runWithGenerate, runWithStream, scriptedAgent, scriptedModel } from "../hosts/mastra.ts";

type Script = Scenario["model"];
type More = Partial<Parameters<typeof scriptedAgent>[0]>;

/** Who sent the requests, in order, and how often a tool was executed. */
function company() {
  const requests: string[] = [];
  let executed = 0;

  /** An agent that calls its sub-agent, if it has one, and else its tool, for as long as it has tools. */
  function agent(name: string, more: More = {}, script: Script = () => ({ calls: 1 })): Agent {
    const model = scriptedModel(async (options) => {
      requests.push(name);
      const content = await answerTo(options, [] as SeenRequest[], ({ tools, ...request }) =>
        tools.length === 0 ? { text: "partial" } : script({ tools, ...request }),
      );
      const delegates = options.tools?.find((tool) => tool.name.startsWith("agent-"));
      return content.map((part) =>
        delegates && part.type === "tool-call"
          ? { ...part, toolName: delegates.name, input: JSON.stringify({ prompt: "help" }) }
          : part,
      );
    });
    const execute = () => {
      executed += 1;
    };
    return scriptedAgent({ model, execute, ...more });
  }
  return { requests, agent, executed: () => executed };
}

describe.each([
  ["generate()", runWithGenerate],
  ["stream()", runWithStream],
])("%s: what an agent has as `agents`", (_, run) => {
  const played = async (limits: AdapterOptions, more: { helper?: More; own?: RunOptions } = {}) => {
    const { requests, agent, executed } = company();
    const governed = limitAgent(limits);
    const lead = agent("lead", { agents: { helper: agent("helper", more.helper) } });
    const result = await run(lead, [], governed.options(more.own));
    return { ...result, requests, executed: executed(), outcome: governed.outcome };
  };

  test("spends the turns of the run that calls it", async () => {
    const { requests, outcome, error } = await played({ turns: 5 });
    expect(requests).toEqual(["lead", "helper", "helper", "helper", "helper"]);
    expect(error).toBeUndefined();
    expect(outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 5 });
  });

  test("spends its steps", async () => {
    const { executed, outcome } = await played({ turns: 20, steps: { max: 4, onExhausted: "stop" } });
    // The first step is the call of the sub-agent.
    expect(executed).toBe(3);
    expect(outcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 4 });
  });

  test("leaves the answer without tools to the agent that was prompted", async () => {
    const { requests, text, outcome } = await played({ turns: { max: 3, onExhausted: "synthesize" } });
    expect(requests).toEqual(["lead", "helper", "helper", "lead"]);
    expect(text).toBe("partial");
    expect(outcome).toMatchObject({ kind: "salvaged", turns: 4 });
  });

  test("leaves the error to the agent that was prompted", async () => {
    const { requests, error, outcome } = await played({ turns: { max: 3, onExhausted: "raise" } });
    expect(requests).toHaveLength(3);
    expect(error).toMatchObject({ name: "LimitExceeded", limit: "turns" });
    expect(outcome).toMatchObject({ kind: "stopped", limit: "turns" });
  });

  test("still has default options of its own", async () => {
    const told: string[] = [];
    const defaultOptions: RunOptions = {
      maxSteps: 2,
      prepareStep: ({ stepNumber }) => void told.push(`prepareStep ${stepNumber}`),
      onFinish: () => void told.push("onFinish"),
    };
    const { requests } = await played({ turns: 3 }, { helper: { defaultOptions: defaultOptions as never } });
    expect(requests).toEqual(["lead", "helper", "helper"]);
    expect(told).toEqual(["prepareStep 0", "prepareStep 1", "onFinish"]);
  });

  test("is on its caller's budget also if it has limits for prompts of its own", async () => {
    const own = limitAgent({ turns: 50 });
    const { requests, outcome } = await played(
      { turns: 5 },
      { helper: { defaultOptions: own.options() as never } },
    );
    expect(requests).toHaveLength(5);
    expect(outcome).toMatchObject({ turns: 5 });
    expect(own.outcome).toBeUndefined();
  });
});

test("a sub-agent of a sub-agent is on the same budget", async () => {
  const { requests, agent } = company();
  const limits = limitAgent({ turns: 5 });
  const middle = agent("middle", { agents: { helper: agent("helper") } });
  const result = await agent("lead", { agents: { middle } }).generate("go", limits.options());
  expect(requests).toEqual(["lead", "middle", "helper", "helper", "helper"]);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", turns: 5 });
});

test("two runs at once with the same sub-agent each have their own budget", async () => {
  const { requests, agent } = company();
  const limits = limitAgent({ turns: 3 });
  const lead = agent("lead", { agents: { helper: agent("helper") } });
  const options = limits.options();
  const results = await Promise.all([lead.generate("go", options), lead.generate("go", options)]);
  expect(requests.toSorted()).toEqual(["helper", "helper", "helper", "helper", "lead", "lead"]);
  expect(results.map((result) => limits.outcomeOf(result)?.turns)).toEqual([3, 3]);
});

test("an agent that is called within a tool joins by itself, and a run of its own is one where it is asked for", async () => {
  const { requests, agent } = company();
  const limits = limitAgent({ turns: 4 });
  const others = limitAgent({ turns: 2 });
  const execute = async () => {
    await agent("helper").generate("help");
    await agent("other").generate("help", others.options());
  };
  await agent("lead", { execute }).generate("go", limits.options());
  expect(requests).toEqual(["lead", "helper", "helper", "helper", "other", "other"]);
  expect(limits.outcome).toMatchObject({ kind: "stopped", turns: 4 });
  expect(others.outcome).toMatchObject({ kind: "stopped", turns: 2 });
});

test("an agent without limits is not limited", async () => {
  const { requests, agent } = company();
  limitAgent({ turns: 1 });
  const result = await agent("lead", { agents: { helper: agent("helper") } }).generate("go", { maxSteps: 2 });
  // The host's own limit for a sub-agent is 5.
  expect(requests.filter((name) => name === "helper")).toHaveLength(10);
  expect(limitAgent({}).outcomeOf(result)).toBeUndefined();
});

test("an agent without limits can be called with null for options, as without the adapter", async () => {
  const agent = scriptedAgent({
    model: scriptedModel((options) => answerTo(options, [], () => ({ text: "done" }))),
    execute() {},
  });
  expect((await agent.generate("go", null as never)).text).toBe("done");
});

describe("network()", () => {
  const memory = () => ({ memory: new MockMemory() });

  test("is refused with an error that says what to do", async () => {
    const { requests, agent } = company();
    const limits = limitAgent({ turns: 5 });
    const lead = agent("lead", { agents: { helper: agent("helper") }, ...memory() });
    const refused = await lead.network("go", limits.options() as never).catch((error: unknown) => error);
    expect(isUnsupportedOption(refused)).toBe(true);
    expect(String(refused)).toMatch(/network.*generate\(\) or stream\(\)/);
    expect(requests).toEqual([]);
  });

  test("is refused for an agent whose limits are in its default options", async () => {
    const { requests, agent } = company();
    const limits = limitAgent({ turns: 5 });
    const lead = agent("lead", { defaultOptions: () => limits.options() as never, ...memory() });
    const refused = await lead.network("go").catch((error: unknown) => error);
    expect(isUnsupportedOption(refused)).toBe(true);
    expect(requests).toEqual([]);
  });

  test("of an agent without limits is left alone", async () => {
    limitAgent({ turns: 5 });
    const { agent } = company();
    await expect(agent("lead").network("go")).rejects.toThrow("Memory is required");
  });
});
