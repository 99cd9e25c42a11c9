const brand = Symbol.for("turn-limit.StepLimitExceeded");

/** A run wanted more tool calls than its step limit admits. */
export class StepLimitExceeded extends Error {
  override readonly name = "StepLimitExceeded";
  readonly [brand] = true;
  /** How many steps were admitted. */
  readonly max: number;

  constructor(max: number) {
    super(`Step limit exceeded (${max})`);
    this.max = max;
  }
}

/** Is this a {@link StepLimitExceeded}, from whichever copy of the package? */
export function isStepLimitExceeded(error: unknown): error is StepLimitExceeded {
  return error instanceof Error && brand in error;
}
