import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LimitCommand } from "./config/TextInput.ts";
import type { LimitsInForce } from "./session/limits-in-force.ts";
import { say } from "./ui/say.ts";

/** What the command shows beside the limit, and does beside setting it. */
export interface CommandHooks {
  /** The count so far, for example `12/25`. */
  count(): string;
  /** The limit was set. */
  changed(ctx: ExtensionContext): void;
}

/** Registers a limit's slash command: `/turn-limit 50`, or without an argument to see the limit. */
export function registerLimitCommand(
  pi: ExtensionAPI,
  input: LimitCommand,
  limits: LimitsInForce,
  hooks: CommandHooks,
): void {
  const name = input.name.charAt(0).toUpperCase() + input.name.slice(1);

  pi.registerCommand(input.command, {
    description: `Show or set the ${input.name}: ${input.allowed}`,
    getArgumentCompletions: (prefix) => {
      // Enter takes what is offered: nothing must be, once what is typed is a limit by itself.
      if (input.parse(prefix) !== undefined) return null;
      const typed = prefix.trimStart().toLowerCase();
      const fitting = input.suggestions.filter((suggestion) => suggestion.startsWith(typed));
      return fitting.length > 0 ? fitting.map((value) => ({ value, label: value })) : null;
    },
    handler: async (args, ctx) => {
      if (args.trim() === "") {
        const standing = input.describe(limits.values, (key) => limits.sourceOf(key, input.command));
        say(ctx, `${name}: ${standing}. Used: ${hooks.count()}.`);
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
      hooks.changed(ctx);
    },
  });
}
