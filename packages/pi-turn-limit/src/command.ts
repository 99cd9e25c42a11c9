import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LimitInForce } from "./session/limit-in-force.ts";
import { say } from "./ui/say.ts";

/** What the command does beside setting the limit. */
export interface CommandHooks {
  /** The count so far, for example `12/25`. */
  count(): string;
  /** The limit was set. */
  changed(ctx: ExtensionContext): void;
}

/** Registers a limit's slash command: `/turn-limit 50`, or without an argument to see the limit. */
export function registerLimitCommand<T>(pi: ExtensionAPI, limit: LimitInForce<T>, hooks: CommandHooks): void {
  const { setting } = limit;
  const name = setting.name.charAt(0).toUpperCase() + setting.name.slice(1);

  pi.registerCommand(setting.command, {
    description: `Show or set the ${setting.name}: ${setting.allowedText}`,
    getArgumentCompletions: (prefix) => {
      // Enter takes what is offered: nothing must be, once what is typed is a limit by itself.
      if (setting.parseText(prefix) !== undefined) return null;
      const typed = prefix.trimStart().toLowerCase();
      const fitting = setting.suggestions.filter((suggestion) => suggestion.startsWith(typed));
      return fitting.length > 0 ? fitting.map((value) => ({ value, label: value })) : null;
    },
    handler: async (args, ctx) => {
      if (args.trim() === "") {
        say(ctx, `${name}: ${setting.format(limit.value)} (${limit.source}). Used: ${hooks.count()}.`);
        return;
      }
      const value = setting.parseText(args);
      if (value === undefined) {
        const given = JSON.stringify(args.trim());
        say(
          ctx,
          `Invalid ${setting.name}. Allowed: ${setting.allowedText}; not ${given}. Nothing was changed.`,
          "error",
        );
        return;
      }
      limit.choose(value);
      say(ctx, `${name} set to ${setting.format(value)}.`);
      hooks.changed(ctx);
    },
  });
}
