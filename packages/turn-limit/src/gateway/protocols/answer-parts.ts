import { GrowingBytes } from "./growing-bytes.ts";
import { parsed } from "./parts-of-json.ts";
import { ServerSentEvents } from "./server-sent-events.ts";

/** The parts of an answer, as they arrive. */
export interface AnswerParts {
  push(chunk: Uint8Array): void;
  /** The answer is over. The usage has been read, if it is where it usually is. */
  end(): void;
  /** Reads the parts that were skipped. */
  readRest(): void;
  /** About how many bytes of text the answer has, if the parts that were read have `text` in `bytes`. */
  textInAll(text: number, bytes: number): number;
}

/** Takes a part of an answer, and its size. Returns whether the next part has to be read as well. */
export type TakePart = (part: unknown, bytes: number) => boolean;

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

  /** Skipped events are assumed to be like those that were read. */
  textInAll(text: number, bytes: number): number {
    return bytes === 0 ? 0 : text + (this.#events.skipped * text) / bytes;
  }
}

/** Longer answers are not kept. */
export const LONGEST_ANSWER = 32 * 1024 * 1024;

/** An answer that is one JSON text: an object, or a list of what would be the events of a stream. */
export class JsonAnswer implements AnswerParts {
  readonly #take: TakePart;
  readonly #body = new GrowingBytes();
  #length = 0;

  constructor(take: TakePart) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > LONGEST_ANSWER) this.#body.clear();
    else this.#body.add(chunk);
  }

  end(): void {
    const body = this.#body.bytes.toString("utf8");
    this.#body.clear();
    const whole = parsed(body) ?? parsed(withoutCutOffItem(body));
    const parts = Array.isArray(whole) ? whole : [whole];
    for (const part of parts) this.#take(part, this.#length / parts.length);
  }

  /** All of it was read. */
  readRest(): void {}

  /** If no text was found, all of it may be text. */
  textInAll(text: number): number {
    return text || this.#length;
  }
}

/** A list that was cut off, up to the last complete item. Google puts the comma on a line of its own. */
function withoutCutOffItem(list: string): string {
  return `${list.slice(0, Math.max(0, list.lastIndexOf("\n,")))}]`;
}
