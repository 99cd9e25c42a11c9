/** One limit as a person configures it: the same value from a command, a flag, the environment or a file. */
export interface LimitSetting<T> {
  /** Key in `turn-limit.json`. */
  readonly key: string;
  /** What the limit is called in messages, for example `turn limit`. */
  readonly name: string;
  /** Slash command, without the slash. */
  readonly command: string;
  /** Command-line flag, without the dashes. */
  readonly flag: string;
  /** Environment variable. */
  readonly env: string;
  /** The value when nobody says otherwise. */
  readonly default: T;
  /** What is accepted as text, in words. */
  readonly allowedText: string;
  /** What is accepted in a settings file, in words. */
  readonly allowedJson: string;
  /** Values offered when the command is being typed. */
  readonly suggestions: readonly string[];
  /** The value that a text says, or `undefined` if it says none. */
  parseText(text: string): T | undefined;
  /** The value that a settings file says, or `undefined` if it says none. */
  parseJson(value: unknown): T | undefined;
  /** The value as the text that would give it. */
  format(value: T): string;
  /** Does `value` allow more than `other`? */
  isLooser(value: T, other: T): boolean;
}
