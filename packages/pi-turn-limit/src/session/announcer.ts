import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, Stop } from "turn-limit";
import { isSubAgent, mayUseStderr } from "../agents/session-place.ts";
import { type CostAndTokens, reachedText, unpricedText } from "../display/limit-words.ts";
import { say } from "../display/say.ts";
import { isPisOwnProcess } from "../pi-process.ts";
import { ScreenLine } from "./screen-line.ts";
import { explained, stopReason, stopTitle } from "./stop-message.ts";

type Model = NonNullable<ExtensionContext["model"]>;

// Pi takes an error that says neither "aborted" nor "cancelled" for a possible bug of its own, and suggests a report.
const REFUSED =
  "Out of budget: a message from another extension was not run (cancelled). Your next prompt starts with a full budget.";

/** Says what a limit did, once, wherever the person will see it. */
export class Announcer {
  readonly #unpriced = new Set<string>();
  #reason: string | undefined;
  readonly #screen = new ScreenLine();
  #explained = false;
  #failing = false;

  /**
   * The run is being stopped, or not even begun because its message is `refused`. A terminal shows the message that a
   * stopped run ends with, so nothing else has to say it there. Print mode shows it only of its last run.
   */
  stopped(ctx: ExtensionContext, stop: Stop, refused: boolean): void {
    const declined = stop.outcome === "declined";
    const title = declined ? "Agent aborted by user." : stopTitle(stop);
    if (ctx.mode === "tui") this.#screen.owe(ctx, refused ? REFUSED : declined ? title : `${title} Aborted.`);
    else if (ctx.hasUI && refused) this.refused(ctx);
    else if (ctx.hasUI) ctx.ui.notify(title, "error");
    else if (!mayUseStderr(ctx)) return;
    else if (ctx.mode === "json") console.error(stopReason(stop));
    else this.#reason = stopReason(stop);
  }

  /** A message of another extension is not run. */
  refused(ctx: ExtensionContext): void {
    say(ctx, REFUSED, "warning");
  }

  /** The message that a stopped run ends with. */
  explain(ctx: ExtensionContext, message: AssistantMessage, stop: Stop): AssistantMessage {
    this.#explained = true;
    const line = this.#screen.take();
    // Of an aborted answer a terminal would say "Operation aborted", whatever the reason.
    if (line !== undefined) return { ...message, stopReason: "error", errorMessage: line };
    const reason = stopReason(stop);
    const ended = explained(message, reason);
    // A parent reads the text of the last answer, and not why it was aborted.
    return isSubAgent(ctx) ? { ...ended, content: [{ type: "text", text: reason }] } : ended;
  }

  /** The stopped run has ended. Pi leaves no message where it was waiting to make a request again. */
  ended(): void {
    this.#screen.pay();
    if (this.#reason && !this.#explained) {
      console.error(this.#reason);
      this.#reason = undefined;
      this.#failing = isPisOwnProcess();
      if (this.#failing) process.exitCode = 1;
    }
    this.#explained = false;
  }

  /** Another prompt: says why the last run was stopped if that was not said yet, and resets Pi's exit code. */
  prompted(): void {
    this.#screen.pay();
    if (this.#reason) console.error(this.#reason);
    if (this.#failing) process.exitCode = undefined;
    this.#reason = undefined;
    this.#failing = false;
  }

  /** The tools-free turn is next. */
  lastTurn(ctx: ExtensionContext, boundary: Boundary): void {
    say(ctx, `${reachedText(boundary).replace(/\.$/, "")}: one last answer, without tools.`, "warning");
  }

  /** The model has no price, and there is a cost limit. */
  unpriced(ctx: ExtensionContext, { id }: Model, settings: CostAndTokens): void {
    if (this.#unpriced.has(id)) return;
    this.#unpriced.add(id);
    say(ctx, unpricedText(id, settings), "warning");
  }
}
