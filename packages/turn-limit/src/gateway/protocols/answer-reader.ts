import { isPlainObject } from "../../core/checks.ts";
import { isMeasured, type Usage } from "../../core/meter/usage.ts";
import type { AnswerParts, TakePart } from "./answer-parts.ts";
import { EventAnswer, JsonAnswer } from "./answer-parts.ts";
import type { AnswerReader, AnswerReport, Json } from "./protocol.ts";

const BYTES_PER_TOKEN = 4;

/** What an event of a stream, or an answer that is not a stream, reports. */
export interface Said {
  readonly model?: unknown;
  /** These counts replace earlier ones. `NaN`: reported, but not a number of tokens. */
  readonly usage?: Partial<Usage>;
  /** Is that the usage of the whole answer? */
  readonly isTotal?: boolean;
  /** How many bytes of text, or of the arguments of calls, came with it. */
  readonly textBytes?: number;
}

/** How the answers of a protocol are read. */
export interface AnswerForm {
  /** The key of the object with the usage. */
  readonly usageKey: string;
  says(part: Json): Said;
}

/** Reads an answer of this form. */
export function readAnswer(form: AnswerForm, status: number, contentType: string | undefined): AnswerReader {
  if (status < 200 || status >= 300) return NOTHING_TAKEN;
  return new FormReader(form, contentType?.toLowerCase().includes("event-stream") ?? false);
}

/** A provider that answers with an error takes nothing. */
const NOTHING_TAKEN: AnswerReader = {
  push() {},
  end: () => ({ usage: undefined, model: undefined, estimate: undefined }),
};

/** The usage of a request whose client disconnected before the answer: at least its input. */
export function unanswered(askedBytes: number): AnswerReport {
  return { usage: undefined, model: undefined, estimate: { input: tokensIn(askedBytes), output: 0 } };
}

class FormReader implements AnswerReader {
  readonly #form: AnswerForm;
  readonly #isStream: boolean;
  #parts: AnswerParts | undefined;
  #model: string | undefined;
  #usage: Partial<Usage> = {};
  #isTotal = false;
  #textBytes = 0;
  #bytesWithText = 0;

  constructor(form: AnswerForm, isStream: boolean) {
    this.#form = form;
    this.#isStream = isStream;
  }

  push(chunk: Uint8Array): void {
    const [first] = chunk;
    if (first === undefined) return;
    this.#parts ??= this.#begin(first);
    this.#parts.push(chunk);
  }

  end(askedBytes: number): AnswerReport {
    this.#parts?.end();
    if (!this.#total) this.#parts?.readRest();
    const usage = this.#total;
    return { usage, model: this.#model, estimate: usage ? undefined : this.#estimate(askedBytes) };
  }

  /** The usage of the whole answer, if it was reported. */
  get #total(): Usage | undefined {
    return this.#isTotal && isUsage(this.#usage) ? this.#usage : undefined;
  }

  /** Not every provider sets the content type of a stream. */
  #begin(first: number): AnswerParts {
    const take: TakePart = (part, bytes) => this.#take(part, bytes);
    if (this.#isStream || !"{[ \t\r\n".includes(String.fromCharCode(first)))
      return new EventAnswer(this.#form.usageKey, take);
    return new JsonAnswer(take);
  }

  /** Is the model not known yet? The first event of a stream names it, together with the first usage. */
  #take(part: unknown, bytes: number): boolean {
    if (isPlainObject(part)) this.#note(part, bytes);
    return this.#model === undefined;
  }

  #note(part: Json, bytes: number): void {
    const { model, usage, isTotal = false, textBytes = 0 } = this.#form.says(part);
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
