import { test } from "vitest";
import { expectToPrintWhatItSays, withPi } from "../docs/examples.ts";

for (const example of withPi)
  test(`the example at ${example.place} runs, and prints what it says`, () =>
    expectToPrintWhatItSays(example));
