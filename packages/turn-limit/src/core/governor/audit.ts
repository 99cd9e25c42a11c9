import { isReached, type Max } from "../limits/boundary.ts";

/** What is known of one kind of work, as plain data. */
interface Count {
  /** How often it was admitted in this run, and how often it was done. */
  admitted: number;
  done: number;
  /** How often it was done since the limit started over, without what was exempt. */
  counted: number;
  /** Admitted, not yet done, and exempt from the limit. */
  exempt: number;
  /** Was one admitted that the limit does not cover? */
  breached: boolean;
}

/** Everything an {@link Audit} knows, as plain data. */
export interface AuditState {
  requests: Count;
  calls: Count;
}

/**
 * A second count, of what is really sent and executed, as far as the host says. It notices when that is more than was
 * admitted, or when more was admitted than the limit allows, and trusts no other counter.
 */
export class Audit {
  readonly #counts: AuditState;

  constructor({ requests, calls }: AuditState = { requests: noCount(), calls: noCount() }) {
    this.#counts = { requests: { ...requests }, calls: { ...calls } };
  }

  /** One more was admitted, under this limit. */
  admitted(what: keyof AuditState, max: Max): void {
    const count = this.#counts[what];
    count.admitted += 1;
    if (isReached(count.counted, max)) count.breached = true;
  }

  /** One more was admitted that the limit does not apply to. */
  exempted(what: keyof AuditState): void {
    this.#counts[what].admitted += 1;
    this.#counts[what].exempt += 1;
  }

  /** One more is being done. Is it one too many? */
  isOneTooMany(what: keyof AuditState): boolean {
    const count = this.#counts[what];
    count.done += 1;
    if (count.exempt > 0) count.exempt -= 1;
    else count.counted += 1;
    return count.breached || count.done > count.admitted;
  }

  /** Would one more, if it is done now, be one too many? */
  wouldBeOneTooMany(what: keyof AuditState): boolean {
    const { breached, done, admitted } = this.#counts[what];
    return breached || done >= admitted;
  }

  /** One that was admitted is not done after all, even if it was said to be. `isExempt`: the limit did not apply to it. */
  withdrawn(what: keyof AuditState, isExempt = false): void {
    const count = this.#counts[what];
    count.admitted -= 1;
    // Another one was done in its place without being counted.
    if (isExempt && count.exempt === 0) count.counted += 1;
    else if (isExempt) count.exempt -= 1;
    if (count.done <= count.admitted) return;
    count.done -= 1;
    count.counted -= 1;
  }

  /** How often it was done since the limit started over. */
  countOf(what: keyof AuditState): number {
    return this.#counts[what].counted;
  }

  /** The limit starts over. What was admitted before and is not done yet is exempt from it. */
  restart(what: keyof AuditState): void {
    const count = this.#counts[what];
    count.admitted = count.exempt = Math.max(0, count.admitted - count.done);
    count.done = count.counted = 0;
    count.breached = false;
  }

  /** A new run begins. What was admitted for the last one and not done will not be done. */
  newRun(): void {
    for (const count of Object.values(this.#counts)) {
      count.admitted = count.done = count.exempt = 0;
      count.breached = false;
    }
  }

  toState(): AuditState {
    return { requests: { ...this.#counts.requests }, calls: { ...this.#counts.calls } };
  }
}

function noCount(): Count {
  return { admitted: 0, done: 0, counted: 0, exempt: 0, breached: false };
}
