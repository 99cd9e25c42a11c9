import { test } from "vitest";
import { expectToPrintWhatItSays, withAgents } from "../docs/examples.ts";

for (const example of withAgents)
  test(`the example at ${example.place} runs, and prints what it says`, () =>
    expectToPrintWhatItSays(example));
