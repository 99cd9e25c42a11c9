import { fingerprintOf } from "./fingerprint.ts";
import { sameResult } from "./same-call.ts";

/** A tool call, as far as the host says what it is. */
export interface StepCall {
  /** Tells the calls of a turn apart. */
  id?: string | undefined;
  tool?: string | undefined;
  args?: unknown;
}

/** Fingerprints of a call and its result; `null` for what cannot be compared. */
interface Entry {
  call: string | null;
  result: string | null;
}

/** A call that has no place in the row yet. */
interface Pending extends Entry {
  id: string | null;
  ended: boolean;
  /** It was refused, and only keeps its place. */
  skipped: boolean;
}

/** How often in a row a call was made, and in a cycle of how many calls. */
export interface Repeated {
  readonly times: number;
  readonly cycle: number;
}

const NEVER: Repeated = { times: 0, cycle: 0 };
const LONGEST_CYCLE = 16;

/** Everything a {@link CallRow} knows, as plain data. */
export interface CallRowState extends RowState {
  pending: Pending[];
  /** The row as it was when the turn began. */
  atTurn: RowState;
}

interface RowState {
  recent: Entry[];
  streaks: number[];
}

/** The latest calls, and for each length of a cycle how many of them are the same as those one cycle before them. */
class Row {
  #recent: readonly Entry[];
  #streaks: readonly number[];

  constructor({ recent, streaks }: RowState = { recent: [], streaks: new Array(LONGEST_CYCLE).fill(0) }) {
    this.#recent = recent;
    this.#streaks = streaks;
  }

  copy(): Row {
    return new Row(this.toState());
  }

  /** How often in a row the call was made, and in what cycle. */
  longest(call: string | null): Repeated {
    let longest = NEVER;
    if (call === null) return longest;
    this.#streaks.forEach((streak, index) => {
      const cycle = index + 1;
      if (this.#recent.at(-cycle)?.call !== call) return;
      const times = Math.floor(streak / cycle) + 1;
      if (times > longest.times) longest = { times, cycle };
    });
    return longest;
  }

  add({ call, result }: Entry): void {
    this.#streaks = this.#streaks.map((streak, index) => {
      const before = this.#recent.at(-index - 1);
      const same = call !== null && result !== null && before?.call === call && before.result === result;
      return same ? streak + 1 : 0;
    });
    this.#push({ call, result });
  }

  /** The call is not made again: it keeps its place in the row without counting. */
  skip(call: string | null): void {
    const { cycle } = this.longest(call);
    this.#push({ call, result: this.#recent.at(-cycle)?.result ?? null });
  }

  toState(): RowState {
    return { recent: [...this.#recent], streaks: [...this.#streaks] };
  }

  #push(entry: Entry): void {
    this.#recent = [...this.#recent, entry].slice(-LONGEST_CYCLE);
  }
}

/**
 * Knows how often in a row a call was made with the same result: by itself, or in a cycle with others that repeat
 * as well, such as two calls that alternate. The calls stand in the order in which they began: one before those that are
 * nested in it.
 */
export class CallRow {
  #row: Row;
  #pending: Pending[];
  #atTurn: Row;
  readonly #print: (call: StepCall) => string | null;

  /** `print`: what tells calls apart. */
  constructor(print: (call: StepCall) => string | null, state?: CallRowState) {
    this.#print = print;
    this.#row = new Row(state);
    this.#atTurn = state ? new Row(state.atTurn) : this.#row.copy();
    this.#pending = state?.pending ?? [];
  }

  /** How often in a row the call has been made, as far as results are known, and in a cycle of how many calls. */
  times(call: StepCall): Repeated {
    const print = this.#print(call);
    const ended = this.#lastEnded + 1;
    // Another call that is under way interrupts the row, unless it is one with nested calls that have ended.
    if (this.#pending.slice(ended).some((pending) => pending.call !== print)) return NEVER;
    if (ended === 0) return this.#row.longest(print);
    const row = this.#row.copy();
    for (const pending of this.#pending.slice(0, ended)) place(row, pending);
    return row.longest(print);
  }

  began(call: StepCall): void {
    const id = call.id ?? null;
    this.#pending.push({ id, call: this.#print(call), result: null, ended: false, skipped: false });
  }

  ended(id: string | undefined, result: unknown): void {
    const pending = this.#pending.find((call) => !call.ended && (id === undefined || call.id === id));
    if (!pending) return;
    pending.ended = true;
    pending.result = fingerprintOf(() => sameResult(result)) ?? null;
    this.#settle();
  }

  /** The call must not be made again. */
  skipped(call: StepCall): void {
    this.#pending.push({ id: null, call: this.#print(call), result: null, ended: true, skipped: true });
    this.#settle();
  }

  /** A turn begins. A call of the last turn that has no result matches no other call. */
  turnBegins(): void {
    for (const call of this.#pending) place(this.#row, call);
    this.#pending = [];
    this.#atTurn = this.#row.copy();
  }

  /** The answer was thrown away, and the model does not know of its calls. */
  turnDiscarded(): void {
    this.#row = this.#atTurn.copy();
    this.#pending = [];
  }

  toState(): CallRowState {
    const pending = this.#pending.map((call) => ({ ...call }));
    return { ...this.#row.toState(), pending, atTurn: this.#atTurn.toState() };
  }

  get #lastEnded(): number {
    return this.#pending.findLastIndex(({ ended }) => ended);
  }

  // Calls find their place in the row once those before them have ended. Do not wait for a call with more nested calls
  // than the longest cycle: no cycle that can be detected contains it.
  #settle(): void {
    let [first] = this.#pending;
    while (first && (first.ended || (this.#pending.length > LONGEST_CYCLE && this.#lastEnded > 0))) {
      place(this.#row, first);
      this.#pending.shift();
      [first] = this.#pending;
    }
  }
}

function place(row: Row, { call, result, ended, skipped }: Pending): void {
  if (skipped) row.skip(call);
  else row.add(ended ? { call, result } : { call: null, result: null });
}
