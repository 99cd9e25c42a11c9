import {
  type Boundary,
  isReached,
  type LimitIdentity,
  labelOf,
  type Max,
  type Waits,
} from "../limits/boundary.ts";
import type { Kind } from "../limits/kind.ts";
import { type KindName, kindOf } from "../limits/kinds.ts";
import { checkedLimit, type SingleLimit } from "../limits/limit.ts";
import { type Bounded, boundedAt } from "../limits/limit-standing.ts";
import type { Policy } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import { concerns, isExempt } from "../limits/stands-before.ts";
import { type Activity, MEASURES } from "../measures/measures.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import { Budget, type Change, type Uncovered } from "./budget.ts";

/** What is known of a budget that others draw from, too. */
export interface Observed {
  /** What all together have used, and what they admit. */
  used: number;
  max: Max;
  /** What it is limited to without what was allowed in addition: so much more a yes allows. Left out: the limit says. */
  limitedTo?: Max;
  /**
   * Does it cover what is about to begin? `false`: it was asked, and does not. Left out: it was not asked, so the numbers
   * decide.
   */
  admits?: boolean;
  why?: string;
  /** When it starts over by itself, in milliseconds since 1970. */
  until?: number;
  /** Tells one round of it from another: it began anew when this is another one. */
  round?: string;
}

/**
 * A limit whose budget others draw from, too. What is left of it is observed from outside; in between, this run's own usage
 * is added. It does not start over with a prompt, nor with a yes: whoever keeps the budget has to allow more.
 */
export class SharedBudget extends Budget {
  declare limit: SingleLimit;
  #observed: Observed;
  // Nothing is left, and a last answer is allowed all the same, with this much.
  #allowed: Max | undefined;

  constructor(limit: SingleLimit, meter: Pick<Meter, "current">, since: Reading) {
    super(limit, meter, since);
    this.#observed = { used: 0, max: limit.max };
  }

  /** What is known by now. Has a new round begun? */
  observe(observed: Observed, since: Reading): boolean {
    const { round } = this.#observed;
    this.#observed = observed;
    this.since = since;
    this.#allowed = undefined;
    return round !== undefined && round !== observed.round;
  }

  /** What was granted is in use. The next turn or call has to ask for itself. */
  begun(): void {
    const { admits: _, ...observed } = this.#observed;
    if (!this.#isGate) this.#observed = observed;
  }

  override get max(): Max {
    return this.#allowed ?? this.#observed.max;
  }

  override get round(): Max | undefined {
    return this.#isGate ? undefined : (this.#observed.limitedTo ?? this.limit.max);
  }

  override get standings(): Boundary[] {
    return this.isOpenGate ? [] : [this.#standing];
  }

  override get isOpenGate(): boolean {
    return this.#isGate && !this.isUsedUp;
  }

  override get nearest(): Bounded | undefined {
    return this.#isGate ? undefined : boundedAt(this.#standing);
  }

  override get isUsedUp(): boolean {
    if (this.#observed.admits !== undefined || this.#isGate) return this.#observed.admits === false;
    return isReached(this.#used, this.max);
  }

  override get waits(): Waits {
    const { until } = this.#observed;
    return until === undefined ? {} : { until };
  }

  override get isShort(): boolean {
    return false;
  }

  override turnBoundary(activity: Activity): Boundary | undefined {
    if (isExempt(this.limit, activity)) return undefined;
    // That the turn itself was granted says nothing of the calls, of which one was refused.
    if (this.limit.before === "step")
      return this.exceeded && isReached(this.#used, this.max) ? this.#standing : undefined;
    return this.isUsedUp ? this.#standing : undefined;
  }

  override uncovered({ tool }: StepCall): Uncovered | undefined {
    if (!concerns(this.limit, tool) || !this.isUsedUp) return undefined;
    this.exceeded = true;
    return { boundary: this.#standing };
  }

  override restart(): void {
    this.exceeded = false;
  }

  override startOver(since: Reading): void {
    this.#observed = { used: 0, max: this.#observed.max };
    this.#allowed = this.limit.max;
    this.since = since;
  }

  override grant(): void {}

  override extend(): void {}

  override change(limit: SingleLimit): Change {
    const { max, onExhausted, headless } = this.limit;
    const isChanged = max !== limit.max || onExhausted !== limit.onExhausted || headless !== limit.headless;
    const apply = () => {
      this.limit = limit;
      // What was allowed in addition is known to whoever keeps the budget.
      if (max !== limit.max) this.#observed = { used: this.#observed.used, max: limit.max };
      if (isChanged) this.exceeded &&= this.isUsedUp;
    };
    return { kind: isChanged ? "changed" : "none", apply };
  }

  // A turn or call is in what was observed as soon as it is granted. What an answer takes is known before that.
  get #used(): number {
    const { measure, usedBetween } = this.limit;
    const isCounted = measure !== undefined && MEASURES[measure].oneByOne;
    return this.#observed.used + (isCounted ? 0 : usedBetween(this.since, this.now));
  }

  get #isGate(): boolean {
    return this.limit.shared === "gate";
  }

  get #standing(): Boundary {
    const { why } = this.#observed;
    const { name, identity } = this.limit;
    return { limit: name, identity, used: this.#used, max: this.max, ...(why !== undefined && { why }) };
  }
}

const sharedBudget: NonNullable<SingleLimit["budget"]> = (limit, meter, since) =>
  new SharedBudget(limit, meter, since);

/** A limit of a built-in kind whose budget is shared. */
export function sharedLimit(
  identity: LimitIdentity & { kind: KindName | "plan" },
  options: { max: Max },
  name = labelOf(identity),
): SingleLimit {
  const kind = kindOf(identity) as Kind;
  const limit = kind.limit(identity, options as Parameters<Kind["limit"]>[1]);
  return checkedLimit({ ...limit, name, shared: "amount", budget: sharedBudget });
}

/** A limit that is only open or closed. */
export function gate(identity: LimitIdentity, policy: Policy): SingleLimit {
  return checkedLimit({
    name: labelOf(identity),
    identity: Object.freeze(identity),
    max: 0,
    ...policy,
    before: "turn",
    usedBetween: () => 0,
    shared: "gate",
    budget: sharedBudget,
  });
}
