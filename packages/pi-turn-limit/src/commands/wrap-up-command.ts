import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";
import { WRAP_UP_COMMAND } from "../limits/own-commands.ts";
import type { CurrentSession, WrapUpRequest } from "../session/governed-session.ts";

/** Registers `/wrap-up`. */
export function registerWrapUpCommand(pi: ExtensionAPI, current: CurrentSession): void {
  pi.registerCommand(WRAP_UP_COMMAND, {
    description: "Tell the agent to stop working and deliver what it has",
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
