import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Max } from "turn-limit";

const WIDGET = "turn-limit";
const WARN_FROM = 0.8;

/** A counter as the widget shows it. */
export interface Count {
  label: string;
  used: number;
  max: Max;
}

/** The line above the editor: `Turns: 12/25`. */
export function showWidget(ctx: ExtensionContext, counts: readonly Count[]): void {
  if (!ctx.hasUI) return;
  const parts = counts.map((count) => {
    const colour = ctx.mode === "tui" ? urgency(count) : undefined;
    return colour ? ctx.ui.theme.fg(colour, format(count)) : format(count);
  });
  ctx.ui.setWidget(WIDGET, [parts.join(" · ")]);
}

/** Takes the line away. */
export function clearWidget(ctx: ExtensionContext): void {
  if (ctx.hasUI) ctx.ui.setWidget(WIDGET, undefined);
}

function format({ label, used, max }: Count): string {
  return `${label}: ${used}/${max === "unlimited" ? "∞" : max}`;
}

function urgency({ used, max }: Count): "error" | "warning" | undefined {
  if (max === "unlimited") return undefined;
  if (used >= max) return "error";
  return used >= max * WARN_FROM ? "warning" : undefined;
}
