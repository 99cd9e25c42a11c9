import { isPlainObject } from "../../core/checks.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import { JsonAnswer } from "./json-answer.ts";
import type { AnswerReport, Json, ReportsUsage } from "./protocol.ts";
import { ServerSentEvents } from "./server-sent-events.ts";

const BYTES_PER_TOKEN = 4;

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

/** The usage of a request whose client disconnected before the answer: at least its input. */
export function unanswered(askedBytes: number): AnswerReport {
  return { usage: undefined, model: undefined, estimate: { input: tokensIn(askedBytes), output: 0 } };
}

/** Reads an answer while it is forwarded. Its memory is bounded. Never throws. */
export class AnswerReader {
  readonly #protocol: ReportsUsage;
  readonly #isError: boolean;
  readonly #isStream: boolean;
  #parts: AnswerParts | undefined;
  #model: string | undefined;
  #usage: Partial<Usage> = {};
  #isTotal = false;
  #goesOnAs: string | undefined;
  #textBytes = 0;
  #bytesWithText = 0;

  constructor(protocol: ReportsUsage, status: number, contentType: string | undefined) {
    this.#protocol = protocol;
    this.#isError = status < 200 || status >= 300;
    this.#isStream = contentType?.toLowerCase().includes("event-stream") ?? false;
  }

  /** The next bytes, decoded if the answer was compressed. */
  push(chunk: Uint8Array): void {
    const [first] = chunk;
    if (first === undefined || this.#isError) return;
    this.#parts ??= this.#begin(first);
    this.#parts.push(chunk);
  }

  /** The answer is over, or was cut off. `askedBytes`: the size of the request, for an estimate. */
  end(askedBytes: number): AnswerReport {
    this.#parts?.end();
    if (!this.#total) this.#parts?.readRest();
    const usage = this.#total;
    // A provider that answers with an error takes nothing.
    const estimate = usage || this.#isError ? undefined : this.#estimate(askedBytes);
    return { usage, model: this.#model, estimate, ...(estimate && { goesOnAs: this.#goesOnAs }) };
  }

  /** The usage of the whole answer, if it was reported. */
  get #total(): Usage | undefined {
    return this.#isTotal && isUsage(this.#usage) ? this.#usage : undefined;
  }

  /** Not every provider sets the content type of a stream. */
  #begin(first: number): AnswerParts {
    const take: TakePart = (part, bytes) => this.#take(part, bytes);
    if (this.#isStream || !"{[ \t\r\n".includes(String.fromCharCode(first)))
      return new ServerSentEvents(this.#protocol.usageKey, take);
    return new JsonAnswer(take);
  }

  /** Is the model not known yet? The first event of a stream names it, together with the first usage. */
  #take(part: unknown, bytes: number): boolean {
    if (isPlainObject(part)) this.#note(part, bytes);
    return this.#model === undefined;
  }

  #note(part: Json, bytes: number): void {
    const { model, usage, isTotal = false, textBytes = 0, goesOnAs } = this.#protocol.reported(part);
    this.#goesOnAs = goesOnAs ?? this.#goesOnAs;
    if (typeof model === "string" && model !== "") this.#model = model;
    if (usage !== undefined) {
      this.#usage = { ...this.#usage, ...usage };
      this.#isTotal = isTotal;
    }
    if (textBytes === 0) return;
    this.#textBytes += textBytes;
    this.#bytesWithText += bytes;
  }

  /** The reported usage, with estimates for what is missing. */
  #estimate(askedBytes: number): Usage {
    const { input, output, cacheRead, cacheWrite } = this.#usage;
    const text = this.#parts?.textInAll(this.#textBytes, this.#bytesWithText) ?? 0;
    return {
      input: isMeasured(input) ? input : tokensIn(askedBytes),
      output: Math.max(isMeasured(output) ? output : 0, tokensIn(text)),
      ...(isMeasured(cacheRead) && { cacheRead }),
      ...(isMeasured(cacheWrite) && { cacheWrite }),
    };
  }
}

function isUsage(usage: Partial<Usage>): usage is Usage {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  return [input, output, cacheRead, cacheWrite].every(isMeasured);
}

function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
