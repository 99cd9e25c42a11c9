import type { Governor } from "../../governor/governor.ts";
import { limitsOf } from "../../governor/settings.ts";
import { actionOf } from "../../limits/policy.ts";

/** Can a run under these limits end with the tools-free turn? */
export function maySynthesize({ view: { settings } }: Governor): boolean {
  return limitsOf(settings).some((limit) => actionOf(limit, settings.canAsk) === "synthesize");
}
