import { nearestWord } from "../core/text/nearest-word.ts";

/** Why a command ends: one line for people, and the exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** 2: what was typed is wrong. 1: it was right, and could not be done. 126, 127: another command could not be started. */
  readonly exitCode: 1 | 2 | 126 | 127;

  constructor(message: string, exitCode: 1 | 2 | 126 | 127) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What was typed asks for help, and nothing else is done. */
export class HelpRequested extends Error {}

/** What was typed is wrong. */
export function wrongInput(message: string): CommandError {
  return new CommandError(message, 2);
}

/** What was typed is right, and cannot be done. */
export function cannotBeDone(message: string): CommandError {
  return new CommandError(message, 1);
}

const MOST_WORDS = 12;

/** The error for an unknown word, with the known one that was probably meant. */
export function unknownWord(word: string, what: string, known: readonly string[]): CommandError {
  const meant = nearestWord(word, known);
  const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const more = known.length > MOST_WORDS ? `, or one of ${known.length - MOST_WORDS} more` : "";
  const words = known.slice(0, MOST_WORDS).join(", ");
  return wrongInput(`${JSON.stringify(word)} is not ${what}.${guess} Use ${words}${more}.`);
}
