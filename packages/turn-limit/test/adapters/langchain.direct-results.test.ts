import { createAgent, HumanMessage } from "langchain";
import { describe, expect, test } from "vitest";
import { type AdapterOptions, turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import type { ModelReply, SeenRequest } from "../../src/testing/scripted-host.ts";
import { ScriptedModel, workTool } from "../hosts/langchain.ts";

/** An agent whose tool gives the answer, and that calls it twice at once: LangChain goes on from each call by itself. */
async function play(
  options: AdapterOptions,
  version: "v1" | "v2",
  reply: (request: SeenRequest) => ModelReply = ({ index }) =>
    index === 1 ? { calls: 2 } : { text: "done" },
) {
  const ended: Outcome[] = [];
  const executed: string[] = [];
  const limits = turnLimitMiddleware({ ...options, onOutcome: (outcome) => void ended.push(outcome) });
  const model = new ScriptedModel(reply);
  const tools = [workTool((id) => void executed.push(id), true)];
  const agent = createAgent({ model, tools, middleware: [limits], version }).withConfig(limits.config);
  const error = await agent.invoke({ messages: [new HumanMessage("go")] }).then(
    () => undefined,
    (thrown: Error) => thrown.name,
  );
  return { ended, error, sent: model.requests.length, executed: executed.length };
}

describe.each(["v1", "v2"] as const)("tools that give the answer, %s", (version) => {
  test.each(["stop", "raise", "refuse"] as const)(
    "of which one call is refused: one run, %s",
    async (onExhausted) => {
      const { ended, error, executed } = await play({ tools: { work: { max: 1, onExhausted } } }, version);
      expect(ended).toMatchObject([{ kind: onExhausted === "refuse" ? "completed" : "stopped", steps: 1 }]);
      expect(error).toBe(onExhausted === "raise" ? "LimitExceeded" : undefined);
      expect(executed).toBe(1);
    },
  );

  test("the model is not asked more often than the turns allow", async () => {
    const tools = { work: { max: 1, onExhausted: "refuse" } } as const;
    const { ended, sent } = await play({ turns: 1, tools }, version);
    expect(sent).toBe(1);
    expect(ended).toMatchObject([{ turns: 1, steps: 1 }]);
  });

  test("all of which are run end the run", async () => {
    const { ended, sent, executed } = await play({ turns: 3 }, version);
    expect([sent, executed]).toEqual([1, 2]);
    expect(ended).toMatchObject([{ kind: "completed", turns: 1, steps: 2 }]);
  });
});
