import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { countOf, cut, widthOf } from "../core.ts";
import { limitOf } from "../limits/limit-of.ts";
import { type Standing, standingText } from "./limit-words.ts";
import { shareOf, urgencyOf } from "./share.ts";

const WIDGET = "turn-limit";
const SEPARATOR = " · ";
const MORE = "…";

const TICK = 1_000;

/** Where the limits stand: in the run that is under way or, of an idle agent, before its next one. */
export interface ShownStandings {
  readonly current: readonly Standing[];
}

/**
 * The line above the editor: `Turns: 12/25 · Cost: $1.42/$5.00 · 3 agents`. It is kept up to date while the agent works,
 * and taken away when the run has settled.
 */
export class Counters {
  readonly #ctx: ExtensionContext;
  readonly #shown: ShownStandings;
  #isLive = false;
  #ticker: NodeJS.Timeout | undefined;
  #line: string | undefined;
  #render: (width: number, theme: Pick<Theme, "fg">) => string = () => "";
  /** Where the line stands, while it is shown. */
  #terminal: { requestRender(): void } | undefined;

  constructor(ctx: ExtensionContext, shown: ShownStandings) {
    this.#ctx = ctx;
    this.#shown = shown;
  }

  /** Is the agent at work, so that what is shown changes by itself? */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The agent works from now on. In a terminal, what is shown of the time goes on by itself. */
  live(): void {
    this.#isLive = true;
    if (this.#ctx.mode === "tui") this.#ticker ??= setInterval(() => this.refresh(), TICK).unref();
  }

  /** The agent does nothing more by itself that takes time. */
  pause(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  /** The run is over, or being stopped: what is shown no longer changes by itself. */
  stop(): void {
    this.#isLive = false;
    this.pause();
  }

  show(): void {
    if (this.#ctx.hasUI) this.#show(this.#shown.current);
  }

  /** Shows them again, if the agent is at work. */
  refresh(): void {
    if (this.#isLive) this.show();
  }

  /** The agent is idle. */
  clear(): void {
    if (this.#ctx.hasUI) this.#ctx.ui.setWidget(WIDGET, undefined);
    this.#line = undefined;
  }

  /** Shows a limit that starts over before its next turn does. */
  showStartedOver(limit: string): void {
    const startedOver = (one: Standing) => (one.limit === limit ? { ...one, used: 0 } : one);
    this.#show(this.#shown.current.map(startedOver));
  }

  #show(all: readonly Standing[]): void {
    const standings = all.filter(isShown);
    const line = standings.map((standing) => format(standing)).join(SEPARATOR);
    if (line === this.#line) return;
    this.#line = line;
    if (this.#ctx.mode !== "tui") {
      this.#ctx.ui.setWidget(WIDGET, [line]);
      return;
    }
    this.#render = (width, theme) => widgetLine(standings, width, theme);
    // Pi puts what is set anew below the question, if there is one: the line stays where it is.
    if (this.#terminal) this.#terminal.requestRender();
    else this.#place();
  }

  #place(): void {
    this.#ctx.ui.setWidget(WIDGET, (terminal, theme) => {
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
}

function isShown(standing: Standing): boolean {
  const { hidden } = limitOf(standing);
  return hidden === undefined || (hidden === "at zero" && standing.used > 0);
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
