import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { quoted } from "../core.ts";
import { limitRows, offerRows } from "../display/limits-panel/limit-rows.ts";
import { tellRow } from "../display/limits-panel/tell-row.ts";
import { say } from "../display/say.ts";
import { LIMITS_COMMAND, WRAP_UP_COMMAND } from "../limits/own-commands.ts";
import type { Person } from "../person/person.ts";
import type { CurrentSession, WrapUpRequest } from "../session/governed-session.ts";
import type { LimitsInForce } from "../settings/limits-in-force.ts";
import type { KnownTools } from "../settings/member-text.ts";

const STATS = { value: "stats", label: "stats", description: "What your prompts take" };

/** Registers `/limits` and `/limits stats`. What they show is loaded when it is first used: it must not slow Pi's start. */
export function registerLimitsPanelCommand(
  pi: ExtensionAPI,
  limits: LimitsInForce,
  tools: () => KnownTools,
  person: Person,
  current: CurrentSession,
): void {
  pi.registerCommand(LIMITS_COMMAND, {
    description: "See and change every limit",
    getArgumentCompletions: (prefix) => {
      const typed = prefix.trim().toLowerCase();
      return typed !== "" && typed !== STATS.value && STATS.value.startsWith(typed) ? [STATS] : null;
    },
    handler: async (args, ctx) => {
      const session = current();
      if (!session) return;
      const given = args.trim();
      if (given === "") {
        const { showLimitsPanel } = await import("../display/limits-panel/show-limits-panel.ts");
        const { standings } = session;
        await limits.chooseOpen();
        await session.isUpToDate();
        const changed = () => session.counters.show();
        const rows = () => limitRows(limits, standings, changed);
        const offers = () => [tellRow(limits, changed), ...offerRows(limits, tools, changed)];
        await person.looksAt(() => showLimitsPanel(ctx, rows, offers, () => standings.showsLastRun));
      } else if (given.toLowerCase() === STATS.value) {
        const { showStats } = await import("../stats/show-stats.ts");
        await person.looksAt(() => showStats(ctx));
      } else {
        say(
          ctx,
          `Use /${LIMITS_COMMAND} or /${LIMITS_COMMAND} ${STATS.value}, not ${quoted(given)}.`,
          "error",
        );
      }
    },
  });
}

/** Registers `/wrap-up`. */
export function registerWrapUpCommand(pi: ExtensionAPI, current: CurrentSession): void {
  pi.registerCommand(WRAP_UP_COMMAND, {
    description: "Have the agent deliver what it has",
    handler: async (_args, ctx) => {
      say(ctx, ...replyTo(current()?.requestWrapUp() ?? "nothing to wrap up"));
    },
  });
}

function replyTo(request: WrapUpRequest): [message: string, type: "info" | "warning"] {
  if (request === "granted") return ["The agent will be told to wrap up before its next turn.", "info"];
  if (request === "told already") return ["The agent has already been told to wrap up.", "info"];
  return ["The agent is not working: there is nothing to wrap up.", "warning"];
}
