import { createGovernor } from "turn-limit";
import { median } from "./statistics.ts";
import type { Result } from "./table.ts";

const turnsPerPrompt = 25;
const prompts = 200_000;
const rounds = 7;

/** How many turns a second the core decides: `beforeTurn` and `turnEnded`, with a prompt now and then. */
export function decisions(): Result[] {
  const perSecond = Array.from({ length: rounds }, decideMany);
  return [{ what: "core decisions", measured: `${(median(perSecond) / 1e6).toFixed(1)} million a second` }];
}

function decideMany(): number {
  const governor = createGovernor({ turns: turnsPerPrompt });
  let admitted = 0;
  const start = performance.now();
  for (let prompt = 0; prompt < prompts; prompt++) {
    governor.prompt();
    for (let turn = 0; turn < turnsPerPrompt; turn++) {
      if (governor.beforeTurn().kind === "proceed") admitted += 1;
      governor.turnEnded();
    }
  }
  const seconds = (performance.now() - start) / 1000;
  if (admitted !== prompts * turnsPerPrompt) throw new Error(`${admitted} turns were admitted`);
  return admitted / seconds;
}
