import type { ContextEvent, ContextWithSystemEvent } from "@earendil-works/pi-coding-agent";
import type { Turn } from "../core.ts";

type Messages = ContextWithSystemEvent["messages"];

/** The kinds of messages with which the model is told to wrap up, and why its work was cut off. */
export const WRAP_UP = "turn-limit:wrap-up";
export const LAST_TURN = "turn-limit:last-turn";

/** Is this one of them? */
export function isOurs({ customType }: { customType: string }): boolean {
  return customType === WRAP_UP || customType === LAST_TURN;
}

/** What the model is told in the requests of a run, besides what stays in the transcript. */
export class Instructions {
  /** When a person last prompted. What the model was told before that no longer holds. */
  #promptedAt = 0;
  /** May there be something in the transcript that the model was told for an earlier prompt? */
  #hasEarlier = true;
  #inRequest: string | undefined;
  #left: string | undefined;

  /** A person prompted. */
  prompted(at: number): void {
    this.#promptedAt = at;
    this.#hasEarlier = true;
  }

  /** The model is told this in the next request. It is too late for the transcript, where it would come after the answer. */
  tell(message: string): void {
    this.#inRequest = message;
  }

  /** The model is told in the next request what it has left, if anything. */
  inform(left: string | undefined): void {
    this.#left = left;
  }

  /** The request was answered, or the run is over. */
  done(): void {
    this.#inRequest = this.#left = undefined;
  }

  /** The transcript as it is to be sent; `undefined` if nothing is to be changed. */
  transcript(messages: ContextEvent["messages"]): ContextEvent["messages"] | undefined {
    const current = this.#hasEarlier ? withoutEarlier(messages, this.#promptedAt) : undefined;
    // What the model is told in this run is not earlier, so one look is enough.
    this.#hasEarlier = current !== undefined;
    const text = [this.#inRequest, this.#left].filter(Boolean).join("\n\n");
    return text === "" ? current : [...(current ?? messages), told(text)];
  }
}

// Without what the model was told for an earlier prompt; `undefined` if there is nothing of that in it.
function withoutEarlier(
  messages: ContextEvent["messages"],
  promptedAt: number,
): ContextEvent["messages"] | undefined {
  const isEarlier = (message: ContextEvent["messages"][number]) =>
    message.role === "custom" && isOurs(message) && message.timestamp < promptedAt;
  return messages.some(isEarlier) ? messages.filter((message) => !isEarlier(message)) : undefined;
}

/**
 * The transcript as the last turn sends it: no tool is declared but the final one, and the model is told why. Only this
 * request is changed. The session keeps its tools, so there is nothing to give back afterwards.
 */
export function ofLastTurn(messages: Messages, turn: Turn): Messages {
  const changed = messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded = [], toolsRemoved: _removed, ...rest } = message;
    const offered = toolsAdded.filter(({ name }) => turn.offers(name));
    return offered.length > 0 ? { ...rest, toolsAdded: offered } : rest;
  });
  return [...changed, told(turn.message ?? "")];
}

/** The instruction as the model gets it. */
function told(instruction: string): Messages[number] {
  return { role: "user", content: [{ type: "text", text: instruction }], timestamp: Date.now() };
}
