import type { AnswerParts, TakePart } from "./answer-reader.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { parsed } from "./parts-of-json.ts";

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
