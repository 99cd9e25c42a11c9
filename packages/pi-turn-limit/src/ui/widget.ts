import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { type LimitTable, limitCalled } from "../limits/pi-limits.ts";
import { standingText } from "./limit-words.ts";
import { shareOf, urgencyOf } from "./share.ts";
import { cut, widthOf } from "./text-width.ts";

const WIDGET = "turn-limit";
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
        render: (width) => [widgetLine(standings, width, theme)],
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
export function widgetLine(
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
  return standings.toSorted((one, other) => (shareOf(one) ?? 0) - (shareOf(other) ?? 0))[0];
}

function coloured(standing: Boundary, text: string, theme: Pick<Theme, "fg">): string {
  const urgency = urgencyOf(shareOf(standing));
  return urgency === "success" ? text : theme.fg(urgency, text);
}

function format(standing: Boundary, table?: LimitTable): string {
  return `${limitCalled(standing.limit, table).label}: ${standingText(standing, table)}`;
}
