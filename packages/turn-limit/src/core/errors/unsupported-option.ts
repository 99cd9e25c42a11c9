const brand = Symbol.for("turn-limit.UnsupportedOption");

/** A host cannot do what was asked of its adapter. It refuses instead of ignoring it. */
export class UnsupportedOption extends TypeError {
  override readonly name = "UnsupportedOption";
  readonly [brand] = true;
  /** The adapter, for example `turn-limit/ai-sdk`. */
  readonly adapter: string;
  /** The option, for example `ask`. */
  readonly option: string;

  constructor(adapter: string, option: string, why: string) {
    super(`${adapter} cannot do "${option}": ${why}`);
    this.adapter = adapter;
    this.option = option;
  }
}

/** Is this an {@link UnsupportedOption}, from whichever copy of the package? */
export function isUnsupportedOption(error: unknown): error is UnsupportedOption {
  return error instanceof Error && brand in error;
}
