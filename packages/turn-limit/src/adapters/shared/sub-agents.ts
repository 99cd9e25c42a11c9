import type { Admission, Driver } from "../../driver/driver.ts";
import { type CompleteSettings, limitsOf } from "../../governor/settings.ts";
import { type Boundary, isReached } from "../../limits/max.ts";

/**
 * Admits the next turn of a sub-agent on the budget of its caller's run. The tools-free last turn is for the agent that a
 * person prompted, so a sub-agent ends before it. One that goes on after the run is over ends, too.
 */
export async function admitSubAgent(driver: Driver, signal?: AbortSignal): Promise<Admission> {
  const { exhausted, synthesizing, settings, standings } = driver.governor.view;
  const isLastTurn = synthesizing || (exhausted && maySynthesize(settings));
  if (!isLastTurn && driver.outcome === undefined) return driver.admitTurn(signal);
  const boundary = standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
  return { ...(boundary as Boundary), kind: "stop", outcome: "stopped", raises: false };
}

/** Can a run under these limits end with the tools-free turn? */
export function maySynthesize(settings: CompleteSettings): boolean {
  return limitsOf(settings).some(({ onExhausted, headless }) =>
    onExhausted === "ask" && !settings.canAsk ? headless === "synthesize" : onExhausted === "synthesize",
  );
}
