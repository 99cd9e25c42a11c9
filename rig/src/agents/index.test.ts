import { expect, test } from "vitest";
import {
  agentNames,
  byKind,
  kindOf,
  prepareAgent,
  runAgent,
  type ScriptedProvider,
  startScriptedProvider,
  worksFor,
} from "../index.ts";

/** The commands whose output the agent has shown to the model, in order. */
function commandsRun({ requests }: ScriptedProvider): string[] {
  const results = requests.at(-1)?.messages.filter((message) => message.role === "tool") ?? [];
  return results.flatMap(({ text }) => /turn \d/.exec(text)?.[0] ?? []);
}

// What every agent does is seen in the tests of `turn-limit run`. This is one without it.
test("an agent makes three tool calls, finishes, and leaves its settings alone", async () => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(3, "Three calls made.") }));
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  const settings = await agent.configSnapshot();

  const { code, stdout } = await runAgent(agent, { prompt: "Go." });

  expect({ code, stdout }).toEqual({ code: 0, stdout: "Three calls made.\n" });
  expect(provider.requests.map(kindOf)).toEqual(Array(4).fill("main"));
  expect(commandsRun(provider)).toEqual(["turn 1", "turn 2", "turn 3"]);
  expect(provider.requests.map(({ ended }) => ended)).toEqual(Array(4).fill("answered"));
  expect(provider.others).toEqual([]);
  expect(await agent.configSnapshot()).toEqual(settings);
});

// Otherwise a test that they stay as they are would show nothing.
test.each(agentNames)("%s has settings of a person", async (name) => {
  await using agent = await prepareAgent(name, { providerAddress: "http://127.0.0.1:9" });
  expect(await agent.configSnapshot()).not.toEqual({});
});
