import { fingerprint } from "./fingerprint.ts";

/** A tool call, as far as the host says what it is. */
export interface StepCall {
  /** Tells the calls of a turn apart. */
  id?: string | undefined;
  tool?: string | undefined;
  args?: unknown;
}

/** Fingerprints of a call and its result, or of what cannot be compared. */
interface Entry {
  call: string | null;
  result: string | null;
}

interface Pending extends Entry {
  id: string | null;
  ended: boolean;
}

/** Everything a {@link RepeatTracker} knows, as plain data. */
export interface RepeatState {
  recent: Entry[];
  streaks: number[];
  pending: Pending[];
}

const LONGEST_CYCLE = 16;

/**
 * Knows how often in a row a call was made with the same result: by itself, or in a cycle with others that repeat
 * as well, such as two calls that alternate. The calls stand in the order in which they began.
 */
export class RepeatTracker {
  #recent: Entry[] = [];
  // For each length of a cycle, how many of the latest calls are the same as those one cycle before them.
  #streaks: number[] = new Array(LONGEST_CYCLE).fill(0);
  #pending: Pending[] = [];

  static from({ recent, streaks, pending }: RepeatState): RepeatTracker {
    const tracker = new RepeatTracker();
    tracker.#recent = [...recent];
    tracker.#streaks = [...streaks];
    tracker.#pending = pending.map((call) => ({ ...call }));
    return tracker;
  }

  /** How often in a row the call has been made, as far as results are known. */
  times(call: StepCall): number {
    const print = callPrint(call);
    // Whatever else is under way comes between.
    return this.#pending.some((pending) => pending.call !== print) ? 0 : this.#longest(print).times;
  }

  began(call: StepCall): void {
    this.#pending.push({ id: call.id ?? null, call: callPrint(call), result: null, ended: false });
  }

  ended(id: string | undefined, result: unknown): void {
    const pending = this.#pending.find((call) => !call.ended && (id === undefined || call.id === id));
    if (!pending) return;
    pending.ended = true;
    pending.result = fingerprint(result) ?? null;
    while (this.#pending[0]?.ended) this.#remember(this.#pending.shift() as Pending);
  }

  /** The call must not be made again: it keeps its place in the row without counting. */
  skipped(call: StepCall): void {
    const print = callPrint(call);
    const { cycle } = this.#longest(print);
    const result = this.#recent.at(-cycle)?.result ?? null;
    this.#push({ call: print, result });
  }

  /** The turn is over: a call without a result is like no other. */
  turnOver(): void {
    for (const call of this.#pending) this.#remember(call.ended ? call : { call: null, result: null });
    this.#pending = [];
  }

  restart(): void {
    this.#recent = [];
    this.#streaks.fill(0);
    this.#pending = [];
  }

  toJSON(): RepeatState {
    return {
      recent: [...this.#recent],
      streaks: [...this.#streaks],
      pending: this.#pending.map((call) => ({ ...call })),
    };
  }

  #longest(print: string | null): { times: number; cycle: number } {
    let longest = { times: 0, cycle: 0 };
    if (print === null) return longest;
    this.#streaks.forEach((streak, index) => {
      const cycle = index + 1;
      if (this.#recent.at(-cycle)?.call !== print) return;
      const times = Math.floor(streak / cycle) + 1;
      if (times > longest.times) longest = { times, cycle };
    });
    return longest;
  }

  #remember({ call, result }: Entry): void {
    this.#streaks = this.#streaks.map((streak, index) => {
      const before = this.#recent.at(-index - 1);
      const same = call !== null && result !== null && before?.call === call && before.result === result;
      return same ? streak + 1 : 0;
    });
    this.#push({ call, result });
  }

  #push(entry: Entry): void {
    this.#recent.push(entry);
    if (this.#recent.length > LONGEST_CYCLE) this.#recent.shift();
  }
}

function callPrint({ tool, args }: StepCall): string | null {
  return tool === undefined ? null : (fingerprint([tool, args]) ?? null);
}
