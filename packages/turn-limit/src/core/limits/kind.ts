import { amount, type Check, count, deepFreeze, isPlainObject, object, optional } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { newHiddenField } from "../hidden-field.ts";
import { MEASURES, type Measure } from "../measures/measures.ts";
import type { Reading } from "../meter/meter.ts";
import { amountMax, type LimitIdentity, labelOf, type Max, wholeMax } from "./boundary.ts";
import { checkedLimit, type SingleLimit } from "./limit.ts";
import {
  type Extension,
  extensionChecks,
  type PolicyBefore,
  policyChecks,
  requireNoExtension,
} from "./policy.ts";

type Stands = "turn" | "step";

/** What every limit can be given: its policy, how much a round admits, and what follows a round that got somewhere. */
type CommonOptions<Before extends Stands> = PolicyBefore<Before> & { max: Max } & (Before extends "turn"
    ? Extension
    : unknown);

type Checks<Options> = { readonly [Name in keyof Options]: Check<Options[Name]> };

/** What makes one kind of limit different from another. */
interface Description<Options, Before extends Stands> {
  /** What it counts, in the singular: it is the `turn limit`. */
  readonly noun: string;
  /** What it measures: with that, in which numbers, and how they are written. */
  readonly measure: Measure;
  /** Is it checked before turns, or before tool calls? */
  readonly before: Before;
  /** The lowest maximum there is. Default 0. */
  readonly least?: number;
  /** Its maximum unless another is set. Default: unlimited. */
  readonly initial?: Max;
  /** Its policy unless another is set. */
  readonly onExhausted?: PolicyBefore<Before>["onExhausted"];
  readonly headless?: PolicyBefore<Before>["headless"];
  /** What else it can be given. */
  readonly options?: Checks<Options>;
  /** How much of it was used between two readings of the meter. */
  used(since: Reading, now: Reading, options: Options, tool: string): number;
}

/** A kind of limit: from its description follow its checks, its settings and its budget. */
export interface Kind<Options = object, Before extends Stands = Stands> extends Description<Options, Before> {
  /** Everything it can be given, with the defaults filled in. */
  check: Check<CommonOptions<Before> & Options>;
  /** The same of a limit that starts over by itself, so that it can be waited for. */
  checkOfPeriod: Check<CommonOptions<Before> & Options>;
  /** The limit for checked options. */
  limit(identity: LimitIdentity, options: CommonOptions<Before> & Options): SingleLimit;
}

/** A kind of limit, from its description. */
export function kind<Options = object, Before extends Stands = "turn">(
  description: Description<Options, Before>,
): Kind<Options, Before> {
  const { before, measure, used } = description;
  return {
    ...description,
    check: onceNeeded(() => checkOf(description, false)),
    checkOfPeriod: onceNeeded(() => checkOf(description, true)),
    limit: (identity, options) =>
      checkedLimit({
        ...options,
        name: labelOf(identity),
        identity: Object.freeze(identity),
        before,
        measure,
        ...(identity.tool !== undefined && { tool: identity.tool }),
        // Called in every turn, so without a function around it where it needs no more than the readings.
        usedBetween:
          used.length === 2
            ? (used as SingleLimit["usedBetween"])
            : (since, now) => used(since, now, options, identity.tool as string),
      }),
  };
}

// Most programs use few of them, and whoever starts one waits until they are made.
function onceNeeded<T>(make: () => Check<T>): Check<T> {
  let made: Check<T> | undefined;
  return (value, name) => {
    made ??= make();
    return made(value, name);
  };
}

function checkOf<Options, Before extends Stands>(
  { before, initial = "unlimited", measure, least, options, ...defaultPolicy }: Description<Options, Before>,
  startsOver: boolean,
): Kind<Options, Before>["check"] {
  const { whole } = MEASURES[measure];
  const max = whole ? wholeMax(least) : amountMax;
  const policy = policyChecks(before, startsOver);
  const all = object({
    max: optional(max, initial),
    onExhausted: optional(policy.onExhausted, defaultPolicy.onExhausted ?? "ask"),
    headless: optional(policy.headless, defaultPolicy.headless ?? "stop"),
    ...(before === "turn" && extensionChecks(whole ? count() : amount)),
    ...options,
  });
  type Complete = CommonOptions<Before> & Options;
  // Options are checked once, however many runs there are under them.
  const isChecked = newHiddenField<true>();
  const complete = (options: object, name: string): Complete => {
    const checkedOptions = all(options, name);
    // Before it is frozen: nothing can be put on what is.
    isChecked.set(checkedOptions, true);
    return deepFreeze(checkedOptions) as unknown as Complete;
  };
  let defaults: Complete | undefined;
  return (given, name) => {
    if (given === undefined) {
      defaults ??= complete({}, name);
      return defaults;
    }
    if (typeof given === "object" && given !== null && isChecked.get(given)) return given as Complete;
    // A maximum alone is the limit with the default policy.
    if (typeof given === "number" || typeof given === "string") max(given, `${name}.max`);
    else if (!isPlainObject(given))
      throw new InvalidLimit(name, given, `a maximum, "unlimited", or an object with max, onExhausted, …`);
    if (before === "step") requireNoExtension(Object(given), name);
    return complete(isPlainObject(given) ? given : { max: given }, name);
  };
}
