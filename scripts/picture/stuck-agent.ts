import { bash, calls, type ModelCost, type Script, withText, withUsage } from "@turn-limit/rig";

/** What the person on the picture asked for. */
export const prompt = "Make the tests pass.";

/** What the agent runs: a test that does not pass, whatever is tried. */
export const testScript = `#!/bin/sh
echo "12 passed, 1 failed"
echo "  rounding: expected 3, got 2"
`;

/** What its model costs, in dollars per million tokens. */
export const modelCost: Partial<ModelCost> = { input: 3, output: 15 };

/** An agent that makes no progress and does not notice. */
export const stuckAgent: Script = () =>
  withUsage(
    { promptTokens: 6_700, completionTokens: 310 },
    withText("Still red. One more try.", calls(bash("./run-tests"))),
  );
