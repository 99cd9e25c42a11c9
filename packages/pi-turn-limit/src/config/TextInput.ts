import type { Claims, LimitKey, LimitValues } from "./LimitValues.ts";

/** Something a person says in words: the same text as a flag, in the environment, and as a command. */
export interface TextInput {
  /** What it is called in messages, for example `turn limit`. */
  readonly name: string;
  /** Command-line flag, without the dashes. */
  readonly flag: string;
  /** Environment variable. */
  readonly env: string;
  /** What is accepted, in words. */
  readonly allowed: string;
  /** What the text says, or `undefined` if it is not accepted. */
  parse(text: string): Claims | undefined;
}

/** A text input that is a slash command too. */
export interface LimitCommand extends TextInput {
  /** Slash command, without the slash. */
  readonly command: string;
  /** What the command is about. */
  readonly key: LimitKey;
  /** What the whole text says by leaving it out. */
  readonly unsaid: Claims;
  /** Texts offered when the command is being typed. */
  readonly suggestions: readonly string[];
  /** The text that would say this, or the part of it that is there. */
  format(values: Claims): string;
  /** The limit as it stands, with where each part of it came from. */
  describe(values: LimitValues, sourceOf: (key: LimitKey) => string): string;
}
