import { expect, test } from "vitest";
import { leadsBack } from "./gateway-command.ts";

test.each([
  ["http://127.0.0.1:4080/secret/1", true],
  ["http://LOCALHOST:4080", true],
  ["https://llm.example.com/secret/0", true],
  ["http://127.0.0.1:11434/v1", false],
  ["https://api.openai.com/v1", false],
])("does %s lead back to the gateway? %s", (upstream, is) => {
  expect(leadsBack(upstream, "http://127.0.0.1:4080/secret/0", ["llm.example.com"])).toBe(is);
});
