import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { type LimitTable, limitCalled } from "../limits/pi-limits.ts";
import { standingText } from "./limit-words.ts";
import { cut, widthOf } from "./text-width.ts";

const WIDGET = "turn-limit";
const WARN_FROM = 0.8;
const SEPARATOR = " · ";
const MORE = "…";

/** The line above the editor: `Turns: 12/25 · Tokens: 182.3k/200k`. */
export class Widget {
  #shown: string | undefined;

  /** Shows the limits, if the line has changed. */
  show(ctx: ExtensionContext, standings: readonly Boundary[]): void {
    if (!ctx.hasUI) return;
    const line = standings.map((standing) => format(standing)).join(SEPARATOR);
    if (line === this.#shown) return;
    this.#shown = line;
    if (ctx.mode !== "tui") ctx.ui.setWidget(WIDGET, [line]);
    else
      ctx.ui.setWidget(WIDGET, (_tui, theme) => ({
        render: (width) => [oneLine(standings, width, theme)],
        invalidate() {},
      }));
  }

  /** Takes the line away. */
  clear(ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.setWidget(WIDGET, undefined);
    this.#shown = undefined;
  }
}

/** The limits on one line; where it is too narrow, the turns and those that are nearest to their end. */
export function oneLine(
  standings: readonly Boundary[],
  width: number,
  theme: Pick<Theme, "fg">,
  table?: LimitTable,
): string {
  const fits = (kept: readonly Boundary[]) => widthOf(` ${texts(kept).join(SEPARATOR)}`) <= width;
  const texts = (kept: readonly Boundary[]) => [
    ...kept.map((standing) => format(standing, table)),
    ...(kept.length < standings.length ? [MORE] : []),
  ];
  let kept = standings;
  while (kept.length > 1 && !fits(kept)) kept = without(kept, leastUsed(kept.slice(1)));
  if (!fits(kept)) return cut(` ${texts(kept).join(SEPARATOR)}`, width);
  const parts = kept.map((standing) => coloured(standing, format(standing, table), theme));
  return ` ${[...parts, ...texts(kept).slice(kept.length)].join(SEPARATOR)}`;
}

function without(standings: readonly Boundary[], one: Boundary | undefined): readonly Boundary[] {
  return standings.filter((standing) => standing !== one);
}

function leastUsed(standings: readonly Boundary[]): Boundary | undefined {
  return standings.toSorted((one, other) => shareOf(one) - shareOf(other))[0];
}

function coloured(standing: Boundary, text: string, theme: Pick<Theme, "fg">): string {
  const share = shareOf(standing);
  if (share < WARN_FROM) return text;
  return theme.fg(share >= 1 ? "error" : "warning", text);
}

function format(standing: Boundary, table?: LimitTable): string {
  return `${limitCalled(standing.limit, table).label}: ${standingText(standing, table)}`;
}

function shareOf({ used, max }: Boundary): number {
  if (max === "unlimited") return 0;
  return max === 0 ? 1 : used / max;
}
