import { Agent } from "@mastra/core/agent";
import { expect, test } from "vitest";

let returned: unknown;

// In a file of its own: what others put in the place of the host's methods was there before the adapter.
Agent.prototype.generate = (async () => returned) as never;
const { limitAgent } = await import("../../src/adapters/mastra/index.ts");

test.each([["a text"], [undefined], [null], [5]])(
  "%j, which another generate() returns, passes through",
  async (result) => {
    returned = result;
    const limits = limitAgent({ turns: 3 });
    const agent = new Agent({ id: "a", name: "a", instructions: "You work.", model: "openai/gpt-5" });

    expect(await agent.generate("go", limits.options())).toBe(result);
    expect(limits.outcomeOf(result)).toBeUndefined();
  },
);
