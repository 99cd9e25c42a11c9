import { expect, test } from "vitest";
import { taskName } from "./drawing-agents.ts";

test.for([
  ["Look into it.", "Look into it."],
  ["Task: Look into it.", "Look into it."],
  ["\n  Look into it.  \nAnd then …", "Look into it."],
  ["", ""],
  ["word ".repeat(20), `${"word ".repeat(11)}word…`],
] as const)("an agent is called by the first words of its task: %j", ([prompt, name]) => {
  expect(taskName(prompt)).toBe(name);
});
