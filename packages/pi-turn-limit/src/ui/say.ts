import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Tells the person something, on stderr where there is no UI. */
export function say(
  ctx: ExtensionContext,
  message: string,
  type: "info" | "warning" | "error" = "info",
): void {
  if (ctx.hasUI) ctx.ui.notify(message, type);
  else console.error(message);
}
