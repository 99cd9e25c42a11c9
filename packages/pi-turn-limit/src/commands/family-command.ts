import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";
import type { LimitFamily } from "../limits/pi-limit.ts";
import type { CurrentSession } from "../session/governed-session.ts";
import { HELP, helpText } from "../settings/format-limit.ts";
import { asksForHelp } from "../settings/limit-text.ts";
import type { LimitsInForce } from "../settings/limits-in-force.ts";
import { type KnownTools, memberIn, refusalOfName } from "../settings/member-text.ts";
import { membersIn, valueFor } from "../settings/settings.ts";
import { answer, completionsOf, itemsOf, shown } from "./limit-command.ts";

/** Registers the slash command of limits by name: `/tool-limit bash 30`, or without an argument to see those that there are. */
export function registerFamilyCommand(
  pi: ExtensionAPI,
  family: LimitFamily,
  limits: LimitsInForce,
  tools: () => KnownTools,
  current: CurrentSession,
): void {
  const { command, noun, example } = family;
  const names = () => family.names ?? tools().names;

  pi.registerCommand(command, {
    description: `Show or set the limit of a ${noun}`,
    getArgumentCompletions: (prefix) => itemsOf(completions(family, prefix, names())),
    handler: async (args, ctx) => {
      const session = current();
      if (!session) return;
      const { limit, said } = memberIn(family, args);
      if (args.trim() === "") {
        await limits.chooseOpen();
        await session.isUpToDate();
        const members = membersIn(family, limits.values);
        const none = `No ${noun} has a limit. To set one: /${command} ${example} ${family.member(example).example[0]}`;
        say(ctx, members.length === 0 ? none : shown(members, limits, session.standings));
        return;
      }
      if (asksForHelp(args)) {
        say(
          ctx,
          [`/${command} takes the name of a ${noun}, such as ${example}, and then:`, ...helpText(limit)].join(
            "\n",
          ),
        );
        return;
      }
      const isSet = valueFor(limits.values, limit) !== undefined;
      const refusal = isSet ? undefined : refusalOfName(family, limit, tools());
      if (refusal === undefined) await answer(limit, said, limits, session, ctx);
      else say(ctx, refusal, "error");
    },
  });
}

function completions(family: LimitFamily, prefix: string, names: readonly string[]): string[] {
  const typed = prefix.trimStart();
  const { limit, said } = memberIn(family, typed);
  if (/\s/.test(typed)) return completionsOf(limit, said).map((text) => `${limit.member} ${text}`);
  // Enter takes what is offered: nothing must be, once what is typed shows a limit.
  if (names.includes(typed)) return [];
  return [...names, HELP].filter((name) => name !== typed && name.startsWith(typed));
}
