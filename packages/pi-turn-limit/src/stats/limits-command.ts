import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { say } from "../ui/say.ts";

const STATS = { value: "stats", label: "stats", description: "What your prompts take, and which limit fits" };

/** Registers `/limits stats`. What it does is loaded when it is first used: it must not slow Pi's start. */
export function registerLimitsCommand(pi: ExtensionAPI): void {
  pi.registerCommand("limits", {
    description: "Show what your prompts take, and which limit fits: stats",
    getArgumentCompletions: (prefix) => {
      const typed = prefix.trim().toLowerCase();
      return typed !== STATS.value && STATS.value.startsWith(typed) ? [STATS] : null;
    },
    handler: async (args, ctx) => {
      const given = args.trim();
      if (given.toLowerCase() === STATS.value) {
        const { showStats } = await import("./show-stats.ts");
        await showStats(ctx);
      } else {
        const not = given === "" ? "" : `; not ${JSON.stringify(given)}`;
        say(ctx, `Use /limits stats. Allowed: stats${not}.`, "error");
      }
    },
  });
}
