import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, MessageUpdateEvent } from "@earendil-works/pi-coding-agent";
import type { Boundary } from "turn-limit";
import { reachedText } from "../display/limit-words.ts";

/**
 * Says at the beginning of a sub-agent's last answer which limit it was made at. The parent cannot see that by itself, and
 * would take the answer for a complete one.
 */
export class ResultNote {
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
