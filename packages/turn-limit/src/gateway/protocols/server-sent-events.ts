import type { AnswerParts, TakePart } from "./answer-reader.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { LONGEST_ANSWER } from "./json-answer.ts";
import { parsed } from "./parts-of-json.ts";

/** An event that is longer than this is skipped. The last one of an answer may have all of it, with its images. */
export const LONGEST_EVENT = LONGEST_ANSWER;

/** At most this many events are read as they arrive. */
const READ_AT_FIRST = 20;

/** After those, only events within this many last bytes are looked at: the usage is at the end. */
export const LOOKED_AT_LAST = 16 * 1024;

// A larger chunk is taken piece by piece, which bounds what is kept.
const PIECE = 64 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const DATA = "data:";

/**
 * An answer that is a stream of server-sent events, wherever it is cut into chunks. It sees every byte that passes, so it
 * does as little as it can: it reads the first events until they have said enough, lets the others pass, and looks at the
 * last ones when the stream is over. Of these it reads the ones in which the key that it was given has an object.
 */
export class ServerSentEvents implements AnswerParts {
  readonly #key: Buffer;
  readonly #take: TakePart;
  // The event that has begun and is not over.
  readonly #open = new GrowingBytes();
  // The open event is too long: its beginning was dropped.
  #isTooLong = false;
  // The events that are the last ones so far, and perhaps some before them.
  readonly #last = new GrowingBytes();
  // Those of the last events that were looked at and not read.
  #passedOver: Buffer[] = [];
  // How many events are still to be read as they come.
  #toRead = READ_AT_FIRST;
  // How many bytes of events were not read. Those that are too long are not among them.
  #skipped = 0;

  constructor(key: string, take: TakePart) {
    this.#key = quoted(key);
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length <= PIECE) this.#pushPiece(bytes);
    else for (let at = 0; at < bytes.length; at += PIECE) this.#pushPiece(bytes.subarray(at, at + PIECE));
  }

  end(): void {
    // The last event may have no empty line after it.
    this.#closeOpen();
    this.#forget(beforeLast(this.#last.bytes));
    this.#look(this.#last.bytes);
  }

  /** Reads those of the last events that {@link end} did not read. */
  readRest(): void {
    for (const events of this.#passedOver) {
      this.#skipped -= events.length;
      for (let at = 0; at < events.length; ) at = this.#readNext(events, at);
    }
    this.#passedOver = [];
  }

  /** Skipped events are assumed to be like those that were read. */
  textInAll(text: number, bytes: number): number {
    return bytes === 0 ? 0 : text + (this.#skipped * text) / bytes;
  }

  #pushPiece(piece: Buffer): void {
    let start = 0;
    if (this.#open.length > 0) {
      start = endOfOpen(this.#open, piece);
      if (start === 0) {
        this.#goOn(piece);
        return;
      }
      this.#open.add(part(piece, 0, start));
      this.#closeOpen();
    }
    const end = Math.max(start, lastEnd(piece, start));
    if (start < end) this.#pass(part(piece, start, end));
    if (end < piece.length) this.#open.add(part(piece, end));
  }

  #closeOpen(): void {
    if (this.#open.length > 0 && !this.#isTooLong) this.#pass(this.#open.bytes);
    this.#isTooLong = false;
    // Not emptied: its memory may be kept now among the last events.
    this.#open.clear();
  }

  /** The open event goes on. If it is too long, only as much is kept as can be the beginning of its end. */
  #goOn(piece: Buffer): void {
    this.#open.add(this.#isTooLong ? piece.subarray(-2) : piece);
    this.#isTooLong ||= this.#open.length > LONGEST_EVENT;
    if (this.#isTooLong) this.#open.drop(this.#open.length - 2);
  }

  /** Takes events that are over. */
  #pass(events: Buffer): void {
    let at = 0;
    while (at < events.length && this.#toRead > 0) at = this.#readNext(events, at);
    if (at < events.length) this.#putOff(part(events, at));
  }

  #putOff(events: Buffer): void {
    const needless = beforeLast(events);
    this.#skipped += needless;
    this.#last.add(part(events, needless));
    if (this.#last.length > 2 * LOOKED_AT_LAST) this.#forget(beforeLast(this.#last.bytes));
  }

  #forget(bytes: number): void {
    this.#last.drop(bytes);
    this.#skipped += bytes;
  }

  #look(events: Buffer): void {
    for (let at = 0; at < events.length; ) {
      const found = this.#find(events, at);
      const start = found < 0 ? events.length : Math.max(at, lastEnd(events.subarray(0, found), at));
      this.#skipped += start - at;
      this.#passedOver.push(events.subarray(at, start));
      if (found < 0) return;
      at = firstEnd(events, found);
      this.#readEvent(events, start, at);
    }
  }

  /** Where the key is next, with an object. */
  #find(events: Buffer, from: number): number {
    for (let at = from; ; ) {
      const found = events.indexOf(this.#key, at);
      if (found < 0) return found;
      at = found + this.#key.length;
      while (events[at] === COLON || events[at] === SPACE) at += 1;
      if (events[at] === OPENING_BRACE) return found;
    }
  }

  /** Reads an event, and says where it ends. */
  #readNext(events: Buffer, start: number): number {
    const end = firstEnd(events, start);
    this.#readEvent(events, start, end);
    return end;
  }

  #readEvent(events: Buffer, start: number, end: number): void {
    if (end - start > LONGEST_EVENT) return;
    const data = dataIn(events.toString("utf8", start, end));
    if (data === undefined) return;
    this.#toRead = this.#take(parsed(data), end - start) ? this.#toRead - 1 : 0;
  }
}

/** The data of an event. Most have one line of it, at the end. */
function dataIn(event: string): string | undefined {
  const last = event.lastIndexOf(`\n${DATA}`);
  const start = last < 0 ? 0 : last + 1;
  if (event.indexOf(DATA) === start) return event.slice(start + DATA.length, endOfLine(event, start));
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith(DATA));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(DATA.length)).join("\n");
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** The keys of the protocols in quotation marks, as bytes. */
const QUOTED = new Map<string, Buffer>();

function quoted(key: string): Buffer {
  const bytes = QUOTED.get(key) ?? Buffer.from(`"${key}"`);
  QUOTED.set(key, bytes);
  return bytes;
}

/** What lies between the two. Making a view takes longer than most of what is done here, so it is avoided. */
function part(bytes: Buffer, start: number, end = bytes.length): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** The end of the events that are over before the last bytes begin. */
function beforeLast(events: Buffer): number {
  return events.length <= LOOKED_AT_LAST ? 0 : lastEnd(events.subarray(0, -LOOKED_AT_LAST), 0);
}

/** Where in the next piece the open event ends, after the empty line. 0: it does not end there. */
function endOfOpen(open: GrowingBytes, piece: Buffer): number {
  for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) {
    const before = at > 0 ? piece[at - 1] : open.at(-1);
    if (isEmpty(before, at > 1 ? piece[at - 2] : open.at(at - 2))) return at + 1;
  }
  return 0;
}

/** The end of the first event, after the empty line. */
function firstEnd(events: Buffer, from: number): number {
  for (let at = events.indexOf(LINE_FEED, from); at >= 0; at = events.indexOf(LINE_FEED, at + 1))
    if (isEmpty(events[at - 1], events[at - 2])) return at + 1;
  return events.length;
}

/** The end of the last event that is over, after its empty line, which ends at `from` or later. 0: there is none. */
function lastEnd(events: Buffer, from: number): number {
  for (let at = events.length - 1; at >= from; at -= 1) {
    at = events.lastIndexOf(LINE_FEED, at);
    if (at < from) return 0;
    if (isEmpty(events[at - 1], events[at - 2])) return at + 1;
  }
  return 0;
}

/** Is a line empty that ends after these two bytes? Events begin with a new line, so nothing before it is fine. */
function isEmpty(last: number | undefined, secondLast: number | undefined): boolean {
  const before = last === CARRIAGE_RETURN ? secondLast : last;
  return before === undefined || before === LINE_FEED;
}
