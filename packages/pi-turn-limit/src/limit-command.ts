import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { LimitCommand } from "./config/TextInput.ts";
import type { GovernedRun } from "./session/governed-run.ts";
import type { LimitsInForce } from "./session/limits-in-force.ts";
import { standingOf } from "./session/standing-of.ts";
import { usedText } from "./ui/amount-text.ts";
import { capitalised } from "./ui/limit-words.ts";
import { say } from "./ui/say.ts";

/** Registers a limit's slash command: `/turn-limit 50`, or without an argument to see the limit. */
export function registerLimitCommand(
  pi: ExtensionAPI,
  input: LimitCommand,
  limits: LimitsInForce,
  run: GovernedRun,
): void {
  const name = capitalised(input.name);

  pi.registerCommand(input.command, {
    description: `Show or set the ${input.name}: ${input.allowed}`,
    getArgumentCompletions: (prefix) => {
      // Enter takes what is offered: nothing must be, once what is typed is a limit by itself.
      if (input.parse(prefix) !== undefined) return null;
      const typed = prefix.trimStart().toLowerCase();
      // Nor while a number is being typed: 3 is not 30m.
      if (/^[$0-9]/.test(typed)) return null;
      const fitting = input.suggestions.filter((suggestion) => suggestion.startsWith(typed));
      return fitting.length > 0 ? fitting.map((value) => ({ value, label: value })) : null;
    },
    handler: async (args, ctx) => {
      if (args.trim() === "") {
        const standing = input.describe(limits.values, (key) => limits.sourceOf(key, input.command));
        say(ctx, `${name}: ${standing}. Used: ${used(input, run)}.`);
        return;
      }
      const claims = input.parse(args);
      if (!claims) {
        const given = JSON.stringify(args.trim());
        say(
          ctx,
          `Invalid ${input.name}. Allowed: ${input.allowed}; not ${given}. Nothing was changed.`,
          "error",
        );
        return;
      }
      limits.choose(claims);
      say(ctx, `${name} set to ${input.format(limits.values)}.`);
      run.show(ctx);
    },
  });
}

function used({ key }: LimitCommand, run: GovernedRun): string {
  const standing = standingOf(key.split(".")[0] ?? key, run);
  return standing.limit === "turns" ? `${standing.used}/${standing.max}` : usedText(standing);
}
