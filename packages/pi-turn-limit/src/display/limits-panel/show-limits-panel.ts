import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { readKey } from "../../person/key-press.ts";
import { say } from "../say.ts";
import { openScreen, Screen, type ScreenHost } from "../screen.ts";
import type { LimitRow } from "./limit-rows.ts";
import { limitsTable } from "./limits-table.ts";
import { JUST_OPENED, type PanelState, press } from "./panel-state.ts";
import { renderPanel } from "./render-panel.ts";

const REFRESH_MS = 250;
// What Pi draws above and below a screen of an extension.
const LINES_KEPT_FREE = 6;

function isOn({ isSwitch, isOff }: LimitRow): boolean {
  return isSwitch === true && !isOff;
}

/** The limits on a screen of their own. They stay up to date and can be edited. */
export class LimitsPanel extends Screen {
  readonly #rows: () => readonly LimitRow[];
  readonly #isLastRun: () => boolean;
  #state: PanelState = JUST_OPENED;
  #disposed = false;
  #refresh: NodeJS.Timeout | undefined;

  constructor(host: ScreenHost, rows: () => readonly LimitRow[], isLastRun: () => boolean) {
    super(host);
    this.#rows = rows;
    this.#isLastRun = isLastRun;
  }

  handleInput(data: string): void {
    const key = readKey(data, (sent, binding) => this.host.matches(sent, binding));
    const state = press(this.#state, key, this.#rows());
    if (state === "closed") {
      this.dispose();
      this.host.close();
    } else {
      this.#state = state;
      this.host.changed();
    }
  }

  render(width: number): string[] {
    this.#drawAgainSoon();
    return renderPanel(this.#rows(), this.#state, width, this.host.theme, {
      title: this.#isLastRun() ? "Limits, and what the last run took" : "Limits",
      height: this.host.height() - LINES_KEPT_FREE,
      focused: this.focused,
    });
  }

  override dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#refresh);
  }

  // Set again at each drawing, so that it stops while something else is shown instead.
  #drawAgainSoon(): void {
    if (this.#disposed || this.#refresh) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      this.host.changed();
    }, REFRESH_MS).unref();
  }
}

/**
 * Shows the limits where the person is: on a screen of their own, as a notification, or on stderr. `offers` are for the
 * screen, where others can be added. `isLastRun` says whether the usage is that of a run that is over.
 */
export async function showLimitsPanel(
  ctx: ExtensionContext,
  rows: () => readonly LimitRow[],
  offers: () => readonly LimitRow[],
  isLastRun: () => boolean,
): Promise<void> {
  const all = () => [...rows(), ...offers()];
  if (ctx.mode === "tui") await openScreen(ctx, (host) => new LimitsPanel(host, all, isLastRun));
  else say(ctx, limitsTable([...rows(), ...offers().filter(isOn)], isLastRun()));
}
