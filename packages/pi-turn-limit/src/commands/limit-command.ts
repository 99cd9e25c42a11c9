import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import {
  allowedInSession,
  DEFAULT,
  describeLimit,
  formatLimit,
  isDefault,
  parseLimit,
} from "../config/limit-text.ts";
import { refusal } from "../config/problems.ts";
import { withoutEffect } from "../config/without-effect.ts";
import type { PiLimit } from "../limits/pi-limits.ts";
import type { GovernedSession } from "../session/governed-session.ts";
import { standingOf } from "../session/limit-rows.ts";
import type { LimitsInForce } from "../session/limits-in-force.ts";
import { capitalised, titleOf, usedText } from "../ui/limit-words.ts";
import { say } from "../ui/say.ts";

/** Registers a limit's slash command: `/turn-limit 50`, or without an argument to see the limit. */
export function registerLimitCommand(
  pi: ExtensionAPI,
  command: string,
  limit: PiLimit,
  limits: LimitsInForce,
  session: GovernedSession,
): void {
  const title = titleOf(limit.key);
  const allowed = allowedInSession(limit);

  pi.registerCommand(command, {
    description: `Show or set the ${title}: ${allowed}`,
    getArgumentCompletions: (prefix) => {
      // Enter takes what is offered: nothing must be, once what is typed is a limit by itself.
      if (parseLimit(limit, prefix) !== undefined || isDefault(prefix)) return null;
      const typed = prefix.trimStart().toLowerCase();
      // Nor while a number is being typed: 3 is not 30m.
      if (/^[$0-9]/.test(typed)) return null;
      const fitting = [...(limit.suggestions ?? []), DEFAULT].filter((suggestion) =>
        suggestion.startsWith(typed),
      );
      return fitting.length > 0 ? fitting.map((value) => ({ value, label: value })) : null;
    },
    handler: async (args, ctx) => {
      if (args.trim() === "") {
        const standing = describeLimit(limit, limits.values, (path) => limits.sourceOf(path, command));
        const usage = session.showsLastRun ? "Last run" : "Used";
        say(ctx, `${capitalised(title)}: ${standing}. ${usage}: ${used(limit, session)}.`);
        return;
      }
      if (isDefault(args)) {
        limits.takeBack(limit.key);
        const standing = describeLimit(limit, limits.values, (path) => limits.sourceOf(path, command));
        say(ctx, `${capitalised(title)} back to ${standing}.`);
        session.show(ctx);
        return;
      }
      const settings = parseLimit(limit, args);
      if (!settings) {
        say(ctx, `${refusal(title, args.trim(), allowed)} Nothing was changed.`, "error");
        return;
      }
      limits.choose(settings);
      const set = `${capitalised(title)} set to ${formatLimit(limit, limits.values)}.`;
      say(ctx, [set, ...withoutEffect(limits.values, [limit])].join(" "));
      session.show(ctx);
    },
  });
}

function used(limit: PiLimit, session: GovernedSession): string {
  const standing = standingOf(limit, session);
  const text = usedText(standing);
  // The maximum of a run that is over may be another than the one of the next.
  const isWithMax = limit.usedOfMax || (session.showsLastRun && standing.max !== "unlimited");
  return isWithMax ? `${text}/${limit.settings.max.format(standing.max)}` : text;
}
