const brand = Symbol.for("turn-limit.LimitExceeded");
const stepBrand = Symbol.for("turn-limit.StepLimitExceeded");

/** A run reached a limit whose policy is to `raise`. */
export class LimitExceeded extends Error {
  override readonly name: string = "LimitExceeded";
  readonly [brand] = true;
  /** The limit, for example `tokens`. */
  readonly limit: string;
  readonly used: number;
  readonly max: number;

  constructor(
    limit: string,
    used: number,
    max: number,
    message = `The limit of ${limit} is used up (${used}/${max})`,
  ) {
    super(message);
    this.limit = limit;
    this.used = used;
    this.max = max;
  }
}

/** A run wanted more tool calls than its step limit admits. */
export class StepLimitExceeded extends LimitExceeded {
  override readonly name = "StepLimitExceeded";
  readonly [stepBrand] = true;

  constructor(max: number) {
    super("steps", max, max, `Step limit exceeded (${max})`);
  }
}

/** Is this a {@link LimitExceeded}, a step limit's included, from whichever copy of the package? */
export function isLimitExceeded(error: unknown): error is LimitExceeded {
  return error instanceof Error && brand in error;
}

/** Is this a {@link StepLimitExceeded}, from whichever copy of the package? */
export function isStepLimitExceeded(error: unknown): error is StepLimitExceeded {
  return error instanceof Error && stepBrand in error;
}
