import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import type { ShownCounters } from "../agents/replies-to-agents.ts";
import { Widget } from "../display/widget.ts";
import { limitOf } from "../limits/limit-of.ts";
import type { Standings } from "./standings.ts";

const TICK = 1_000;

/** The line above the editor, kept up to date while the agent works. */
export class Counters implements ShownCounters {
  readonly #ctx: ExtensionContext;
  readonly #standings: Standings;
  readonly #widget = new Widget();
  #isLive = false;
  #ticker: NodeJS.Timeout | undefined;

  constructor(ctx: ExtensionContext, standings: Standings) {
    this.#ctx = ctx;
    this.#standings = standings;
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

  /** The run is over, or being stopped: what is shown stays as it is. */
  stop(): void {
    this.#isLive = false;
    this.pause();
  }

  show(): void {
    if (!this.#ctx.hasUI) return;
    this.#widget.show(this.#ctx, this.#standings.standings.filter(isInWidget), this.#standings.showsLastRun);
  }

  refresh(): void {
    if (this.#isLive) this.show();
  }

  /** Shows an idle agent: what the last run took, if there was one. */
  showAtRest(): void {
    if (this.#standings.showsLastRun) this.show();
    else this.#widget.clear(this.#ctx);
  }

  /** Shows a limit that starts over before its next turn does. */
  showStartedOver(limit: string): void {
    const standings = this.#standings.standings.map((standing) =>
      standing.limit === limit ? { ...standing, used: 0 } : standing,
    );
    this.#widget.show(this.#ctx, standings.filter(isInWidget));
  }
}

function isInWidget(standing: Boundary): boolean {
  const { hidden } = limitOf(standing);
  return hidden === undefined || (hidden === "at zero" && standing.used > 0);
}
