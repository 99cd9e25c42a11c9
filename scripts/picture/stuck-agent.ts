import { bash, calls, type Script, withText } from "@turn-limit/rig";

/** What the person on the picture asked for. */
export const prompt = "Make the tests pass.";

/** What the agent runs: a test that does not pass, whatever is tried. */
export const testScript = `#!/bin/sh
echo "12 passed, 1 failed"
echo "  rounding: expected 3, got 2"
`;

/** An agent that does not get anywhere, and does not notice. */
export const stuckAgent: Script = () => withText("Still red. One more try.", calls(bash("./run-tests")));
