import { strict as assert } from "node:assert";
import { isLimitExceeded } from "../../core/errors/limit-exceeded.ts";
import type { Headless } from "../../core/limits/policy.ts";
import { assertOutcomes, type Contract, untilToolsAreGone } from "./contract.ts";

/** Sub-agents work on the budget of their run, and how it ends is left to the agent that was prompted. */
export function testSubAgents({ host, where }: Contract): void {
  const { playWithSubAgents } = host;
  if (!playWithSubAgents) return;
  const play = (onExhausted: Exclude<Headless, "refuse" | "wait">) =>
    playWithSubAgents({ limits: { turns: { max: 3, onExhausted } }, model: untilToolsAreGone() });

  where()("sub-agents spend the turns of the run that they work for", async () => {
    const seen = await play("stop");
    assert.equal(seen.requests.length, 3);
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
  });

  where("synthesize")("the answer without tools is the agent's that was prompted", async () => {
    const seen = await play("synthesize");
    assert.deepEqual(
      seen.requests.map(({ tools }) => tools.length > 0),
      [true, true, true, false],
    );
    assert.equal(seen.answer, "partial");
    assertOutcomes(seen, { kind: "salvaged", limit: "turns", turns: 4 });
  });

  where()("a limit that raises makes the run of the agent that was prompted reject", async () => {
    const seen = await play("raise");
    assert.equal(seen.requests.length, 3);
    assert(isLimitExceeded(seen.error));
    assertOutcomes(seen, { kind: "stopped", limit: "turns", turns: 3 });
  });
}
