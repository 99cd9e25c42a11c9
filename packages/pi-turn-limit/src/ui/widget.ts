import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { amountText } from "./amount-text.ts";
import { wordsFor } from "./limit-words.ts";

const WIDGET = "turn-limit";
const WARN_FROM = 0.8;

/** The line above the editor: `Turns: 12/25 · Tokens: 182.3k/200k`. */
export class Widget {
  #shown: string | undefined;

  /** Shows the limits, if that is another line than the one that is there. */
  show(ctx: ExtensionContext, standings: readonly Boundary[]): void {
    if (!ctx.hasUI) return;
    const line = standings.map((standing) => coloured(ctx, standing)).join(" · ");
    if (line !== this.#shown) ctx.ui.setWidget(WIDGET, [line]);
    this.#shown = line;
  }

  /** Takes the line away. */
  clear(ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.setWidget(WIDGET, undefined);
    this.#shown = undefined;
  }
}

function coloured(ctx: ExtensionContext, standing: Boundary): string {
  const colour = ctx.mode === "tui" ? urgency(standing) : undefined;
  return colour ? ctx.ui.theme.fg(colour, format(standing)) : format(standing);
}

function format({ limit, used, max }: Boundary): string {
  return `${wordsFor(limit).label}: ${amountText(limit, used)}/${amountText(limit, max)}`;
}

function urgency({ used, max }: Boundary): "error" | "warning" | undefined {
  if (max === "unlimited") return undefined;
  if (used >= max) return "error";
  return used >= max * WARN_FROM ? "warning" : undefined;
}
