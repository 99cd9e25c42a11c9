import { expect, test } from "vitest";
import { limitAgent } from "../../src/adapters/mastra/index.ts";
import { answerTo, scriptedAgent, scriptedModel } from "../hosts/mastra.ts";

// In a file of its own: nothing of the adapter may have been used before.
test("limits can be made in the call that they are for", async () => {
  const requests: Parameters<typeof answerTo>[1] = [];
  const model = scriptedModel((options) => answerTo(options, requests, () => ({ calls: 1 })));
  const agent = scriptedAgent({ model, execute() {} });
  await agent.generate("go", limitAgent({ turns: 3 }).options());
  expect(requests).toHaveLength(3);
});
