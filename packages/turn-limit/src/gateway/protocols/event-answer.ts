import type { AnswerParts, TakePart } from "./answer-parts.ts";
import { parsed } from "./parts-of-json.ts";
import { ServerSentEvents } from "./server-sent-events.ts";

/** An answer that is a stream of events. */
export class EventAnswer implements AnswerParts {
  readonly #events: ServerSentEvents;

  constructor(usageKey: string, take: TakePart) {
    this.#events = new ServerSentEvents(usageKey, (data, bytes) => take(parsed(data), bytes));
  }

  push(chunk: Uint8Array): void {
    this.#events.push(chunk);
  }

  end(): void {
    this.#events.end();
  }

  readRest(): void {
    this.#events.readPassedOver();
  }

  /** The events that were not read are taken to be like the ones that were. */
  textInAll(text: number, bytes: number): number {
    return bytes === 0 ? 0 : text + (this.#events.skipped * text) / bytes;
  }
}
