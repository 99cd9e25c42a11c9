import type { AssistantMessage } from "@earendil-works/pi-ai";
import type {
  ContextEventResult,
  ContextWithSystemEvent,
  ExtensionAPI,
  ExtensionContext,
  MessageUpdateEvent,
} from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { isSubAgent } from "../agents/session-place.ts";
import type { Turn } from "../core.ts";
import { reachedText } from "../display/limit-words.ts";
import { explained } from "./announcer.ts";
import { LAST_TURN, ofLastTurn } from "./instructions.ts";

/** The tools-free turn with which a run ends. It follows a turn, or work that a limit cut off. */
export class LastTurn {
  readonly #pi: ExtensionAPI;
  readonly #ctx: ExtensionContext;
  readonly #note: ResultNote;
  /** The limit that cut off the work; the tools-free turn has not begun yet. */
  #cutOffBy: Boundary | undefined;
  #isTriggered = false;
  #isAnnounced = false;
  #underWay: Turn | undefined;
  #stopListening: (() => void) | undefined;

  constructor(pi: ExtensionAPI, ctx: ExtensionContext) {
    this.#pi = pi;
    this.#ctx = ctx;
    this.#note = new ResultNote(pi);
  }

  /** A limit cuts off the work, and the person is told that the tools-free turn follows. */
  cutOffBy(limit: Boundary): void {
    this.#cutOffBy = limit;
    this.#isAnnounced = true;
  }

  /** The limit that cut off the work, while the tools-free turn is yet to be triggered. */
  get awaitedBecauseOf(): Boundary | undefined {
    return this.#isTriggered ? undefined : this.#cutOffBy;
  }

  /** The message of a turn with why its work was cut off, or why it is a sub-agent's last. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    if (!this.#cutOffBy) return this.#note.putInto(message);
    return explained(message, `${reachedText(this.#cutOffBy)} Cut off.`);
  }

  /** Work that was cut off does not go on by itself, so the turn is triggered, once. Returns whether it was. */
  trigger(): boolean {
    if (!this.#cutOffBy || this.#isTriggered) return false;
    this.#isTriggered = true;
    const content = `${reachedText(this.#cutOffBy)} What was under way has been cut off.`;
    this.#pi.sendMessage({ customType: LAST_TURN, content, display: true }, { triggerTurn: true });
    return true;
  }

  /** Pi wants to take a turn. Whether it is the tools-free one is not known yet. */
  turnComes(): void {
    this.#underWay = undefined;
  }

  /** A turn begins. Returns the limit it is at if the person has to be told that it is the tools-free one. */
  begins(turn: Turn): (Boundary & { kind: "synthesize" }) | undefined {
    const isNews = !this.#isAnnounced;
    const limit = turn.lastBecauseOf;
    this.#cutOffBy = undefined;
    this.#underWay = limit && turn;
    this.#isAnnounced = limit !== undefined;
    // Listened to only now: it is called for every request.
    if (limit) this.#stopListening ??= this.#pi.on("context_with_system", (event) => this.#assembled(event));
    if (limit && isSubAgent(this.#ctx)) this.#note.lastTurnBegins(limit);
    return isNews && limit ? { ...limit, kind: "synthesize" } : undefined;
  }

  // The request is assembled: the last turn gets no tools but the final one.
  #assembled({ messages }: ContextWithSystemEvent): ContextEventResult | undefined {
    return this.#underWay && { messages: ofLastTurn(messages, this.#underWay) };
  }

  /** The run has ended. */
  reset(): void {
    this.#cutOffBy = undefined;
    this.#isTriggered = false;
    this.#isAnnounced = false;
    this.#underWay = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#note.reset();
  }
}

/**
 * Says at the beginning of a sub-agent's last answer which limit it was made at. The parent cannot see that by itself, and
 * would take the answer for a complete one.
 */
class ResultNote {
  readonly #pi: ExtensionAPI;
  #note = "";
  #isStreamed = false;
  #stopListening: (() => void) | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** The tools-free turn begins. */
  lastTurnBegins(limit: Boundary): void {
    this.#note = `[${reachedText(limit)} This answer was made without tools. The work may be unfinished.]\n\n`;
    // Listened to only now: it is called for every piece of an answer.
    this.#stopListening ??= this.#pi.on("message_update", (event) => this.#putIntoStream(event));
  }

  /** The answer with the note, if there is one. */
  putInto(message: AssistantMessage): AssistantMessage | undefined {
    this.#isStreamed = false;
    if (this.#note === "" || message.stopReason === "error" || message.stopReason === "aborted")
      return undefined;
    const { content } = message;
    const first = content.findIndex(({ type }) => type === "text");
    const noted = content.map((part, index) =>
      index === first && part.type === "text" ? { ...part, text: this.#note + part.text } : part,
    );
    return {
      ...message,
      content: first < 0 ? [{ type: "text", text: this.#note.trim() }, ...content] : noted,
    };
  }

  /** The run has ended. */
  reset(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#note = "";
    this.#isStreamed = false;
  }

  // Some parents put the result together from the pieces of the answer and never look at the message.
  #putIntoStream({ assistantMessageEvent: piece }: MessageUpdateEvent): void {
    if (piece.type !== "text_delta" || this.#isStreamed) return;
    this.#isStreamed = true;
    piece.delta = this.#note + piece.delta;
  }
}
