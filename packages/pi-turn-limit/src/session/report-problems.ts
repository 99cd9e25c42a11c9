import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";

// On the process, not in the module: Pi loads the module again for each session.
const REPORTED = Symbol.for("pi-turn-limit.reported");
const shared = globalThis as { [REPORTED]?: Set<string> };

/** Tells the person what is wrong with the configuration: each problem once, and again after `/reload`. */
export function reportProblems(ctx: ExtensionContext, reason: string, problems: readonly string[]): void {
  if (reason === "reload") delete shared[REPORTED];
  shared[REPORTED] ??= new Set();
  for (const problem of problems) {
    if (shared[REPORTED].has(problem)) continue;
    shared[REPORTED].add(problem);
    say(ctx, problem, "warning");
  }
}
