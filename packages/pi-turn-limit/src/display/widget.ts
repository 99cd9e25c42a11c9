import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { countOf, cut, widthOf } from "../core.ts";
import { limitOf } from "../limits/limit-of.ts";
import { type Standing, standingText } from "./limit-words.ts";
import { shareOf, urgencyOf } from "./share.ts";

const WIDGET = "turn-limit";
const SEPARATOR = " · ";
const MORE = "…";

/** Begins the line of an idle agent. */
const LAST_RUN = "Last run";

/** The line above the editor: `Turns: 12/25 · Cost: $1.42/$5.00 · 3 agents`, and after a run `Last run · Turns: 12/25`. */
export class Widget {
  #shown: string | undefined;
  #render: (width: number, theme: Pick<Theme, "fg">) => string = () => "";
  /** Where the line stands, while an agent works. */
  #terminal: { requestRender(): void } | undefined;

  /** Shows the limits, if the line has changed. `isLastRun` if this is what a run took that is over. */
  show(ctx: ExtensionContext, standings: readonly Standing[], isLastRun = false): void {
    if (!ctx.hasUI) return;
    const parts = standings.map((standing) => format(standing));
    const line = [...(isLastRun ? [LAST_RUN] : []), ...parts].join(SEPARATOR);
    if (line === this.#shown) return;
    this.#shown = line;
    if (ctx.mode !== "tui") {
      ctx.ui.setWidget(WIDGET, [line]);
      return;
    }
    const draw = isLastRun ? lastRunLine : widgetLine;
    this.#render = (width, theme) => draw(standings, width, theme);
    // Pi puts what is set anew below the question, if there is one: the line stays where it is.
    if (this.#terminal && !isLastRun) this.#terminal.requestRender();
    else this.#place(ctx);
  }

  #place(ctx: ExtensionContext): void {
    ctx.ui.setWidget(WIDGET, (terminal, theme) => {
      this.#terminal = terminal;
      return {
        render: (width) => [this.#render(width, theme)],
        invalidate() {},
        dispose: () => {
          this.#terminal = undefined;
        },
      };
    });
  }

  /** Takes the line away. */
  clear(ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.setWidget(WIDGET, undefined);
    this.#shown = undefined;
  }
}

/** The limits on one line; where it is too narrow, the turns and those that are nearest to their end. */
export function widgetLine(standings: readonly Standing[], width: number, theme: Pick<Theme, "fg">): string {
  const fits = (kept: readonly Standing[]) => widthOf(` ${texts(kept).join(SEPARATOR)}`) <= width;
  const texts = (kept: readonly Standing[]) => [
    ...kept.map((standing) => format(standing)),
    ...(kept.length < standings.length ? [MORE] : []),
    // Those that draw from a budget that is left out.
    ...standings.filter((standing) => !kept.includes(standing)).flatMap(agentsOf),
  ];
  let kept = standings;
  while (kept.length > 1 && !fits(kept)) kept = without(kept, leastUsed(kept.slice(1)));
  if (!fits(kept)) return cut(` ${texts(kept).join(SEPARATOR)}`, width);
  const parts = kept.map((standing) => coloured(standing, format(standing), theme));
  return ` ${[...parts, ...texts(kept).slice(kept.length)].join(SEPARATOR)}`;
}

/** The same of a run that is over: nothing in it is urgent any more. */
export function lastRunLine(standings: readonly Standing[], width: number, theme: Pick<Theme, "fg">): string {
  const heading = ` ${LAST_RUN} ·`;
  const line = widgetLine(standings, Math.max(0, width - widthOf(heading)), PLAIN);
  return theme.fg("dim", cut(heading + line, width));
}

const PLAIN: Pick<Theme, "fg"> = { fg: (_colour, text) => text };

function without(standings: readonly Standing[], one: Standing | undefined): readonly Standing[] {
  return standings.filter((standing) => standing !== one);
}

function leastUsed(standings: readonly Standing[]): Standing | undefined {
  return standings.toSorted((one, other) => (shareOf(one) ?? 0) - (shareOf(other) ?? 0))[0];
}

function coloured(standing: Standing, text: string, theme: Pick<Theme, "fg">): string {
  const urgency = urgencyOf(shareOf(standing));
  return urgency === "success" ? text : theme.fg(urgency, text);
}

function format(standing: Standing): string {
  const { label } = limitOf(standing);
  return [`${label}: ${standingText(standing)}`, ...agentsOf(standing)].join(SEPARATOR);
}

function agentsOf({ agents = 0 }: Standing): string[] {
  return agents > 0 ? [countOf(agents, "agent")] : [];
}
