import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { capitalised } from "../core.ts";
import { usedText } from "../display/limit-words.ts";
import { standingOf } from "../display/limits-panel/limit-rows.ts";
import { say } from "../display/say.ts";
import type { Standings } from "../display/standings.ts";
import { type PiLimit, titleOf } from "../limits/pi-limit.ts";
import type { CurrentSession, GovernedSession } from "../session/governed-session.ts";
import { DEFAULT, describeLimit, HELP, helpText } from "../settings/format-limit.ts";
import { asksForHelp, parseLimit, refusalInSession, takenBackBy } from "../settings/limit-text.ts";
import type { LimitsInForce } from "../settings/limits-in-force.ts";
import { withoutEffect } from "../settings/problems.ts";
import { limitsOfKind, type Settings, valueAt, valueFor } from "../settings/settings.ts";

// A person who sets a limit for a day means it for every session of that day.
const FOR_THIS_SESSION = "It holds in this session. To have it in all, save it in /limits.";

/** Registers a limit's slash command: `/turn-limit 50`, or without an argument to see the limit. */
export function registerLimitCommand(
  pi: ExtensionAPI,
  command: string,
  limit: PiLimit,
  limits: LimitsInForce,
  current: CurrentSession,
): void {
  pi.registerCommand(command, {
    // Short: where it is completed, Pi cuts it off at the end of the line.
    description: `Show or set the ${titleOf(limit)}`,
    getArgumentCompletions: (prefix) => itemsOf(completionsOf(limit, prefix)),
    handler: async (args, ctx) => {
      const session = current();
      if (session) await answer(limit, args, limits, session, ctx);
    },
  });
}

/** What Pi offers to complete. */
export function itemsOf(texts: readonly string[]): { value: string; label: string }[] | null {
  return texts.length > 0 ? texts.map((value) => ({ value, label: value })) : null;
}

/** What a limit's text may be that begins like this. */
export function completionsOf(limit: PiLimit, prefix: string): string[] {
  // Enter takes what is offered: nothing must be, once what is typed is a limit by itself.
  if (isComplete(limit, prefix)) return [];
  const typed = prefix.trimStart().toLowerCase();
  // Nor while a number is being typed: 3 is not 30m.
  if (/^[$0-9]/.test(typed)) return [];
  return [...(limit.suggestions ?? []), DEFAULT, HELP].filter((suggestion) => suggestion.startsWith(typed));
}

/** Shows a limit, or does with it what a text says. */
export async function answer(
  limit: PiLimit,
  text: string,
  limits: LimitsInForce,
  session: GovernedSession,
  ctx: ExtensionContext,
): Promise<void> {
  if (text.trim() === "") {
    await limits.chooseOpen();
    await session.isUpToDate();
    say(ctx, shown(limitsOfKind(limit, limits.values), limits, session.standings));
    return;
  }
  if (asksForHelp(text)) {
    say(ctx, [`/${limit.command} takes:`, ...helpText(limit)].join("\n"));
    return;
  }
  const takenBack = takenBackBy(limit, text);
  if (takenBack) {
    limits.takeBack(takenBack);
    await limits.chooseOpen();
    await session.isUpToDate();
    say(ctx, `${capitalised(titleOf(takenBack))} back to ${described(takenBack, limits)}.`);
    session.counters.show();
    return;
  }
  const settings = parseLimit(limit, text);
  if (!settings) {
    say(ctx, `${refusalInSession(limit, text)}`, "error");
    return;
  }
  await limits.chooseAgain(settings);
  limits.choose(settings);
  await session.isUpToDate();
  const chosen = limitsOfKind(limit, settings).filter((one) => valueFor(settings, one) !== undefined);
  const set = limits.setText(limit, chosen);
  const whereItHolds = chosen.some((one) => isForAllSessions(one, limits.values)) ? [FOR_THIS_SESSION] : [];
  say(ctx, [set, ...withoutEffect(limits.values, chosen), ...whereItHolds].join(" "));
  session.counters.show();
}

/** These limits with what is used of them, one on each line. */
export function shown(some: readonly PiLimit[], limits: LimitsInForce, standings: Standings): string {
  const usage = standings.showsLastRun ? "Last run" : "Used";
  const lines = some.map(
    (one) =>
      `${capitalised(titleOf(one))}: ${described(one, limits)}. ${one.per ? "Used" : usage}: ${used(one, standings, limits.values)}.`,
  );
  return lines.join("\n");
}

function described(limit: PiLimit, limits: LimitsInForce): string {
  return describeLimit(limit, limits.values, (path) => limits.sourceOf(path, limit.command));
}

function isComplete(limit: PiLimit, text: string): boolean {
  return parseLimit(limit, text) !== undefined || takenBackBy(limit, text) !== undefined || asksForHelp(text);
}

function isForAllSessions({ key, per }: PiLimit, values: Settings): boolean {
  return per !== undefined && per !== "session" && valueAt(values, [key, "max"]) !== "unlimited";
}

function used(limit: PiLimit, standings: Standings, values: Settings): string {
  const standing = standingOf(limit, standings, values);
  const text = usedText(standing);
  // The maximum of a run that is over may be another than the one of the next.
  // Of a period, it may be more than what is set, because a person allowed more.
  const isWithMax = limit.usedOfMax || limit.per || (standings.showsLastRun && standing.max !== "unlimited");
  return isWithMax ? `${text}/${limit.settings.max.format(standing.max)}` : text;
}
