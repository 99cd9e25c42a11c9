import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, LimitIdentity, Max, Outcome, Stop } from "turn-limit";
import { isSubAgent, mayUseStderr } from "../agents/session-place.ts";
import {
  type CostAndTokens,
  reachedPhrase,
  reachedText,
  remedyText,
  unpricedModelText,
} from "../display/limit-words.ts";
import { say } from "../display/say.ts";
import { OUTCOME, type OutcomeRecord, summary } from "../display/summary-line.ts";
import { limitOf } from "../limits/limit-of.ts";
import { PrintedReason } from "./printed-reason.ts";

/** A limit was hit. Sent to other extensions as `turn-limit:boundary`. */
export interface BoundaryEvent {
  limit: string;
  /** What it is, whatever it is called. */
  identity: LimitIdentity;
  used: number;
  max: Max;
  /** Is a person being asked, is the run being stopped, or does it end with an answer made without tools? */
  action: "ask" | "stop" | "synthesize";
}

// Pi takes an error that says neither "aborted" nor "cancelled" for a possible bug of its own, and suggests a report.
const REFUSED =
  "Out of budget: a message from another extension was not run (cancelled). Your next prompt starts with a full budget.";

/** The exit code of a run that is parked, as that of `turn-limit run`. */
const PARKED_EXIT_CODE = 87;

/** Says what a limit did, once, wherever the person will see it, and tells other extensions. */
export class Announcer {
  readonly #pi: ExtensionAPI;
  readonly #ctx: ExtensionContext;
  readonly #screen: ScreenLine;
  readonly #printed: PrintedReason;
  readonly #unpriced = new Set<string>();
  /** That the run is parked, and how to go on with it, if it is. */
  parked: string | undefined;
  #explained = false;

  constructor(pi: ExtensionAPI, ctx: ExtensionContext) {
    this.#pi = pi;
    this.#ctx = ctx;
    this.#screen = new ScreenLine(ctx);
    this.#printed = new PrintedReason(ctx);
  }

  /** Tells other extensions that a limit was hit. */
  boundary({ kind, limit, identity, used, max }: Boundary & { kind: BoundaryEvent["action"] }): void {
    const event: BoundaryEvent = { limit, identity, used, max, action: kind };
    this.#pi.events.emit("turn-limit:boundary", event);
  }

  /** Tells other extensions how a run ended, and keeps it in the session if `isShown`. */
  outcome({ kind, intervened: _, ...counts }: Outcome, { isShown }: { isShown: boolean }): void {
    const ended = { outcome: kind, ...counts };
    const record: OutcomeRecord = { ...ended, summary: summary(ended) };
    if (isShown) this.#pi.appendEntry(OUTCOME, record);
    this.#pi.events.emit(OUTCOME, record);
  }

  /**
   * The run is being stopped, or not even begun because its message is `refused`. A terminal shows the message that a
   * stopped run ends with, so nothing else has to say it there.
   */
  stopped(stop: Stop, refused: boolean): void {
    const { hasUI, mode, ui } = this.#ctx;
    const declined = stop.outcome === "declined";
    const title = declined ? "Agent aborted by user." : stopTitle(stop);
    if (mode === "tui") this.#screen.owe(refused ? REFUSED : declined ? title : `${title} Aborted.`);
    else if (hasUI && refused) this.refused();
    else if (hasUI) ui.notify(title, "error");
    else if (!mayUseStderr(this.#ctx)) return;
    else if (mode === "json") console.error(this.#reason(stop));
    else this.#printed.owe(this.#reason(stop), this.parked === undefined ? 1 : PARKED_EXIT_CODE);
  }

  /** A message of another extension is not run. */
  refused(): void {
    say(this.#ctx, REFUSED, "warning");
  }

  /** The message that a stopped run ends with. */
  explain(message: AssistantMessage, stop: Stop): AssistantMessage {
    this.#explained = true;
    const line = this.#screen.take();
    // Of an aborted answer a terminal would say "Operation aborted", whatever the reason.
    if (line !== undefined) return { ...message, stopReason: "error", errorMessage: line };
    const reason = this.#reason(stop);
    const ended = explained(message, reason);
    // A parent reads the text of the last answer, and not why it was aborted.
    return isSubAgent(this.#ctx) ? { ...ended, content: [{ type: "text", text: reason }] } : ended;
  }

  #reason(stop: Stop): string {
    return this.parked === undefined ? stopReason(stop) : `${stopTitle(stop)} ${this.parked}`;
  }

  /** The stopped run has ended. Pi leaves no message where it was waiting to make a request again. */
  ended(): void {
    this.#screen.pay();
    this.#printed.ended(this.#explained);
    this.#explained = false;
  }

  /** Another prompt: says why the last run was stopped if that was not said yet. */
  prompted(): void {
    this.#screen.pay();
    this.#printed.prompted();
  }

  /** The session ends. */
  close(reason: string): void {
    this.#printed.close(reason === "quit");
  }

  /** The tools-free turn is next. */
  lastTurn(boundary: Boundary & { kind: "synthesize" }): void {
    this.boundary(boundary);
    say(this.#ctx, `${reachedPhrase(boundary)}: one last answer, without tools.`, "warning");
  }

  /** The model has no price, and there is a cost limit. */
  unpriced(model: string, settings: CostAndTokens): void {
    if (this.#unpriced.has(model)) return;
    this.#unpriced.add(model);
    say(this.#ctx, unpricedModelText(model, settings), "warning");
  }
}

/** Why the run was stopped, in a few words. */
function stopTitle(stop: Stop): string {
  const { max, outcome } = stop;
  const { exceeded, overrun = "was done" } = limitOf(stop);
  if (outcome !== "limit-overrun") return exceeded?.(max) ?? reachedText(stop);
  return `Stopped: more ${overrun} than the limit admits (${stop.used}/${max}).`;
}

/** Why the run was stopped, and what to do about it. */
export function stopReason(stop: Stop): string {
  if (stop.outcome === "limit-overrun") return `${stopTitle(stop)} This is a defect: please report it.`;
  if (stop.outcome === "declined") return `${stopTitle(stop)} Stopped by you.`;
  return `${stopTitle(stop)} ${remedyText(stop)}`;
}

/** The empty answer that Pi makes for an aborted turn, with the reason instead of "This operation was aborted". */
export function explained(message: AssistantMessage, reason: string): AssistantMessage {
  return { ...message, stopReason: "aborted", errorMessage: reason };
}

/** What cannot be aborted may leave a person waiting, and they want to know that they have been heard. */
const SOON_MS = 2_500;

/**
 * The line that tells a person at a terminal why the run was stopped. The message that the run ends with shows it; where that
 * message does not come soon, or not at all, it is a notification.
 */
class ScreenLine {
  readonly #ctx: ExtensionContext;
  #owed: { line: string; soon: NodeJS.Timeout } | undefined;

  constructor(ctx: ExtensionContext) {
    this.#ctx = ctx;
  }

  owe(line: string): void {
    this.take();
    this.#owed = { line, soon: setTimeout(() => this.pay(), SOON_MS).unref() };
  }

  /** The line, if it has not been shown yet: whoever takes it shows it. */
  take(): string | undefined {
    clearTimeout(this.#owed?.soon);
    const line = this.#owed?.line;
    this.#owed = undefined;
    return line;
  }

  /** No message shows it. */
  pay(): void {
    const line = this.take();
    if (line === undefined) return;
    try {
      this.#ctx.ui.notify(line, "error");
    } catch {
      // The session has ended, and its screen with it.
    }
  }
}
