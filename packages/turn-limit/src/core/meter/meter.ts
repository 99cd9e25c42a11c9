import { type Activity, countedFor } from "../measures/measures.ts";
import { exact, type Usage } from "./usage.ts";

/** What was used since some moment, as a custom limit sees it. */
export interface Totals {
  readonly turns: number;
  /** Turns, requests that were made again, and those besides the turns. */
  readonly requests: number;
  readonly steps: number;
  /** Milliseconds, without those in which the run waited for a person. */
  readonly time: number;
  /** Input tokens that were neither read from nor written to a cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars, as far as prices are known. */
  readonly cost: number;
  /** Tool calls, by the name of the tool. A tool that was not called is not in it. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Everything that is measured: the totals at a moment, and what goes with them. */
export interface Reading extends Totals {
  /** Turns whose answer arrived, and answers that were thrown away after that. */
  readonly completed: number;
  readonly discarded: number;
  /** What binary fractions have rounded away from the sum of the costs. */
  readonly costRest: number;
  /** How many answers reported usage, how many had a price, and how many had none. */
  readonly reports: number;
  /** How many of them also reported what was read from, and written to, a cache. */
  readonly cacheReadReports: number;
  readonly cacheWriteReports: number;
  readonly priced: number;
  readonly unpriced: number;
}

type Counters = { -readonly [Name in keyof Reading]: Reading[Name] };

const ZERO: Reading = {
  turns: 0,
  requests: 0,
  completed: 0,
  discarded: 0,
  steps: 0,
  time: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0,
  costRest: 0,
  reports: 0,
  cacheReadReports: 0,
  cacheWriteReports: 0,
  priced: 0,
  unpriced: 0,
  calls: Object.create(null),
};

/** Everything a {@link Meter} knows, as plain data. */
export interface MeterState {
  reading: Reading;
  /** The time that was told last. */
  now: number | null;
}

/**
 * Running totals of everything that is measured. They only grow: what was used since a moment is the difference to the
 * reading at that moment. Only a call that was denied and a request that was not sent are taken back, and never one from
 * before a reading in use. Knows nothing of limits.
 */
export class Meter {
  readonly #counters: Counters;
  // The object with the calls is shared with an earlier reading, and is copied before it changes.
  #callsAreShared = true;
  #now: number | null;

  constructor({ reading, now }: MeterState = { reading: ZERO, now: null }) {
    this.#counters = savedReading(reading);
    this.#now = now;
  }

  /** The totals, which go on changing. */
  get current(): Reading {
    return this.#counters;
  }

  /** The totals as they are now. */
  read(): Reading {
    this.#callsAreShared = true;
    return { ...this.#counters };
  }

  /** Was the time ever told? */
  get knowsTime(): boolean {
    return this.#now !== null;
  }

  /** A request is sent. */
  turn(activity: Activity): void {
    this.#count(activity, 1);
  }

  /** A request that began to count was not sent: it never was one. */
  withdrawn(activity: Activity): void {
    this.#count(activity, -1);
  }

  /** A turn was answered. */
  completed(): void {
    this.#counters.completed += 1;
  }

  /** The answer was thrown away. */
  discarded(): void {
    this.#counters.discarded += 1;
  }

  /** A tool call begins, or must not. */
  call(activity: "call" | "refusal", tool: string | undefined): void {
    const { steps, calls } = countedFor(activity);
    if (steps) this.#counters.steps += 1;
    if (tool !== undefined && calls) this.#addCalls(tool, 1);
  }

  /** A tool call was denied after it began to count: it never was one. */
  denied(tool: string | undefined): void {
    this.#counters.steps -= 1;
    if (tool !== undefined) this.#addCalls(tool, -1);
  }

  /** A model answered. */
  answer(activity: Activity, usage: Usage): void {
    const { input, output, cacheRead = 0, cacheWrite = 0, cost } = usage;
    const counted = countedFor(activity);
    const counters = this.#counters;
    counters.reports += 1;
    if (usage.cacheRead !== undefined) counters.cacheReadReports += 1;
    if (usage.cacheWrite !== undefined) counters.cacheWriteReports += 1;
    if (counted.tokens) {
      counters.input += input;
      counters.output += output;
      counters.cacheRead += cacheRead;
      counters.cacheWrite += cacheWrite;
    }
    if (!counted.cost) return;
    if (cost !== undefined) this.#pay(cost);
    else if (input + output + cacheRead + cacheWrite > 0) counters.unpriced += 1;
  }

  /** Something is spent whose price is not known. */
  priceUnknown(): void {
    this.#counters.unpriced += 1;
  }

  /** It is `now`. The time since it was last told counts, if the activity counts for time. */
  timeIs(now: number, activity: Activity | undefined): void {
    // A clock that is set back must not lower the total.
    if (this.#now !== null && activity && countedFor(activity).time)
      this.#counters.time += Math.max(0, now - this.#now);
    this.#now = now;
  }

  toState(): MeterState {
    return { reading: this.#counters, now: this.#now };
  }

  #count(activity: Activity, by: 1 | -1): void {
    const { turns, requests } = countedFor(activity);
    if (turns) this.#counters.turns += by;
    if (requests) this.#counters.requests += by;
  }

  #addCalls(tool: string, calls: number): void {
    const counters = this.#counters;
    if (this.#callsAreShared) counters.calls = Object.assign(Object.create(null), counters.calls);
    this.#callsAreShared = false;
    (counters.calls as Record<string, number>)[tool] = (counters.calls[tool] ?? 0) + calls;
  }

  // Neumaier's sum: many small amounts beside a large one are not lost.
  #pay(cost: number): void {
    const counters = this.#counters;
    const sum = counters.cost + cost;
    counters.costRest += counters.cost >= cost ? counters.cost - sum + cost : cost - sum + counters.cost;
    counters.cost = sum;
    counters.priced += 1;
  }
}

/** A reading that was saved. Tools may be called `constructor`, so their calls must not inherit anything. */
export function savedReading(reading: Reading): Reading {
  return { ...reading, calls: Object.assign(Object.create(null), reading.calls) };
}

/** What was paid between two readings. */
export function costBetween(since: Reading, now: Reading): number {
  return exact(Math.max(0, now.cost - since.cost + (now.costRest - since.costRest)));
}

/** How often a tool was called between two readings. */
export function callsBetween(since: Reading, now: Reading, tool: string): number {
  return (now.calls[tool] ?? 0) - (since.calls[tool] ?? 0);
}

/** The usage that was reported between two readings, if any was. */
export function usageBetween(since: Reading, now: Reading): Usage | undefined {
  if (now.reports === since.reports) return undefined;
  const cacheRead = now.cacheRead - since.cacheRead;
  const cacheWrite = now.cacheWrite - since.cacheWrite;
  return {
    input: now.input - since.input,
    output: now.output - since.output,
    ...(now.cacheReadReports > since.cacheReadReports && { cacheRead }),
    ...(now.cacheWriteReports > since.cacheWriteReports && { cacheWrite }),
    ...(now.priced > since.priced && { cost: costBetween(since, now) }),
  };
}

/** What was used between two readings, of which the later one may go on changing. It cannot be changed from outside. */
export class Difference implements Totals {
  readonly #since: Reading;
  readonly #now: Reading;
  readonly #onRead: ((part: "time" | "calls") => unknown) | undefined;

  /** `onRead` is called when something is read that not every host reports. */
  constructor(since: Reading, now: Reading, onRead?: (part: "time" | "calls") => unknown) {
    this.#since = since;
    this.#now = now;
    this.#onRead = onRead;
  }

  get turns(): number {
    return this.#now.turns - this.#since.turns;
  }
  get requests(): number {
    return this.#now.requests - this.#since.requests;
  }
  get steps(): number {
    return this.#now.steps - this.#since.steps;
  }
  get input(): number {
    return this.#now.input - this.#since.input;
  }
  get output(): number {
    return this.#now.output - this.#since.output;
  }
  get cacheRead(): number {
    return this.#now.cacheRead - this.#since.cacheRead;
  }
  get cacheWrite(): number {
    return this.#now.cacheWrite - this.#since.cacheWrite;
  }
  get time(): number {
    this.#onRead?.("time");
    return this.#now.time - this.#since.time;
  }
  get cost(): number {
    return costBetween(this.#since, this.#now);
  }
  get calls(): Readonly<Record<string, number>> {
    this.#onRead?.("calls");
    return callsView(this.#since, this.#now);
  }

  /** The same as plain data. */
  toJSON(): Totals {
    const { turns, requests, steps, time, input, output, cacheRead, cacheWrite, cost, calls } = this;
    return { turns, requests, steps, time, input, output, cacheRead, cacheWrite, cost, calls: { ...calls } };
  }
}

// A view, not a copy: there may be thousands of tools.
function callsView(since: Reading, now: Reading): Readonly<Record<string, number>> {
  const calls = (tool: string | symbol) => callsBetween(since, now, String(tool)) || undefined;
  return new Proxy(Object.create(null), {
    get: (_, tool) => calls(tool),
    has: (_, tool) => calls(tool) !== undefined,
    ownKeys: () => Object.keys(now.calls).filter(calls),
    getOwnPropertyDescriptor: (_, tool) => {
      const value = calls(tool);
      return value === undefined ? undefined : { value, enumerable: true, configurable: true };
    },
    set: () => false,
    defineProperty: () => false,
  });
}
