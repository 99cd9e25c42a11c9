import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { tellRow } from "../display/limits-panel/tell-row.ts";
import { say } from "../display/say.ts";
import { TELL_COMMAND } from "../limits/own-commands.ts";
import { TELL_WORDS } from "../limits/tell.ts";
import type { CurrentSession } from "../session/governed-session.ts";
import { DEFAULT, HELP } from "../settings/format-limit.ts";
import { asksForHelp } from "../settings/limit-text.ts";
import type { LimitsInForce } from "../settings/limits-in-force.ts";
import { itemsOf } from "./limit-command.ts";

/** Registers `/tell 50,90`, or without an argument to see when the model is told what it has left. */
export function registerTellCommand(pi: ExtensionAPI, limits: LimitsInForce, current: CurrentSession): void {
  pi.registerCommand(TELL_COMMAND, {
    description: "Show or set when the model is told what it has left",
    getArgumentCompletions: (prefix) => {
      const typed = prefix.trim().toLowerCase();
      const words = [...TELL_WORDS, DEFAULT, HELP];
      return itemsOf(words.includes(typed) ? [] : words.filter((word) => word.startsWith(typed)));
    },
    handler: async (args, ctx) => {
      const session = current();
      if (!session) return;
      const row = () => tellRow(limits, () => session.counters.show());
      if (asksForHelp(args)) {
        say(ctx, [`/${TELL_COMMAND} takes:`, ...row().help].join("\n"));
        return;
      }
      const refusal = args.trim() === "" ? undefined : row().set(args).refusal;
      if (refusal !== undefined) {
        say(ctx, refusal, "error");
        return;
      }
      const { text, source } = row();
      say(ctx, `The model is told what it has left: ${text} (${source}).`);
    },
  });
}
