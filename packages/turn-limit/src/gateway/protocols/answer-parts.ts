/** The parts of an answer, as they arrive. */
export interface AnswerParts {
  push(chunk: Uint8Array): void;
  /** There are no more. What says how much was used has been read, if it is where it usually is. */
  end(): void;
  /** Reads whatever else is still there. */
  readRest(): void;
  /** About how many bytes of text there were in all, if the parts that were read had `text` in `bytes`. */
  textInAll(text: number, bytes: number): number;
}

/** Gets a part of an answer, and how long it was. Says whether the beginning of the answer has to be read on. */
export type TakePart = (part: unknown, bytes: number) => boolean;
