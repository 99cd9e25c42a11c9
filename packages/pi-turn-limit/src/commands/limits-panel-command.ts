import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { AwaitedPerson } from "../session/awaited-person.ts";
import type { LimitRow } from "../ui/limits-panel/limit-row.ts";
import { say } from "../ui/say.ts";

const STATS = { value: "stats", label: "stats", description: "What your prompts take, and which limit fits" };

/** Registers `/limits` and `/limits stats`. What they show is loaded when it is first used: it must not slow Pi's start. */
export function registerLimitsPanelCommand(
  pi: ExtensionAPI,
  person: AwaitedPerson,
  rows: () => readonly LimitRow[],
): void {
  pi.registerCommand("limits", {
    description: "See and change every limit; with stats, what your prompts take and which limit fits",
    getArgumentCompletions: (prefix) => {
      const typed = prefix.trim().toLowerCase();
      return typed !== "" && typed !== STATS.value && STATS.value.startsWith(typed) ? [STATS] : null;
    },
    handler: async (args, ctx) => {
      const given = args.trim();
      if (given === "") {
        const { showLimitsPanel } = await import("../ui/limits-panel/show-limits-panel.ts");
        await person.looksAt(() => showLimitsPanel(ctx, rows));
      } else if (given.toLowerCase() === STATS.value) {
        const { showStats } = await import("../stats/show-stats.ts");
        await person.looksAt(() => showStats(ctx));
      } else {
        say(ctx, `Use /limits or /limits stats. Allowed: stats; not ${JSON.stringify(given)}.`, "error");
      }
    },
  });
}
