import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { mayUseStderr } from "../agents/session-place.ts";

/** Tells the person something, on stderr where there is no UI. What a session inside another one has to say is not shown. */
export function say(
  ctx: ExtensionContext,
  message: string,
  type: "info" | "warning" | "error" = "info",
): void {
  if (ctx.hasUI) ctx.ui.notify(message, type);
  else if (mayUseStderr(ctx)) console.error(message);
}
