import { test } from "vitest";
import { expectToPrintWhatItSays, withFramework } from "../docs/examples.ts";

for (const example of withFramework)
  test(`the example at ${example.place} runs, and prints what it says`, () =>
    expectToPrintWhatItSays(example));
