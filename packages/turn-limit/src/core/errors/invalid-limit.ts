const brand = Symbol.for("turn-limit.InvalidLimit");

/**
 * Something was given a value that it cannot have: a limit or another option, what is counted, or what an adapter is to
 * run, such as the agent or its input. Nothing was changed.
 */
export class InvalidLimit extends TypeError {
  override readonly name = "InvalidLimit";
  readonly [brand] = true;

  /** The setting that was refused, for example `turns.max`. */
  readonly setting: string;
  /** The value that was refused. */
  readonly value: unknown;
  /** What would have been accepted, in words. */
  readonly allowed: string;

  constructor(
    setting: string,
    value: unknown,
    allowed: string,
    message = `${setting} must be ${allowed}, not ${show(value)}`,
  ) {
    super(message);
    this.setting = setting;
    this.value = value;
    this.allowed = allowed;
  }
}

/** The error for a setting that does not exist, with those that do. */
export function unknownSetting(setting: string, value: unknown, known: readonly string[]): InvalidLimit {
  const names = known.join(", ");
  return new InvalidLimit(
    setting,
    value,
    `one of ${names}`,
    `${setting} is not known here. Known are: ${names}`,
  );
}

/** Is this an {@link InvalidLimit}, from whichever copy of the package? */
export function isInvalidLimit(error: unknown): error is InvalidLimit {
  return error instanceof Error && brand in error;
}

const LONGEST = 60;

// Short, and without the values in an object: one of them may be a secret.
function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || !value) return String(value);
  if (Array.isArray(value)) return cut(`[${value.map(show).join(", ")}]`);
  const keys = Object.keys(value);
  return keys.length > 0 ? `an object with ${cut(keys.join(", "))}` : "an object with nothing in it";
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
