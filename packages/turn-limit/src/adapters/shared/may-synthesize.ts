import { type CompleteSettings, limitsOf } from "../../core/governor/settings.ts";
import { actionOf } from "../../core/limits/policy.ts";

/** Can a run under these limits end with the tools-free turn? */
export function maySynthesize({ view: { settings } }: { view: { settings: CompleteSettings } }): boolean {
  return limitsOf(settings).some((limit) => actionOf(limit, settings.canAsk) === "synthesize");
}
