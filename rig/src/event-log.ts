import { type Deferred, deferred } from "./deferred.ts";
import type { PiEvent } from "./json-lines.ts";
import { within } from "./within.ts";

/** An event and its index in the log. */
export interface Found {
  event: PiEvent;
  position: number;
}

interface Waiter {
  predicate: (event: PiEvent) => boolean;
  found: Deferred<Found>;
}

/** Everything that Pi has reported, with a way to wait for later events. */
export class EventLog {
  readonly events: PiEvent[] = [];
  readonly #waiters = new Set<Waiter>();
  #ended: Error | undefined;

  add(event: PiEvent): void {
    const position = this.events.push(event) - 1;
    for (const waiter of this.#waiters) {
      if (waiter.predicate(event)) waiter.found.resolve({ event, position });
    }
  }

  /** Rejects everything that still waits, with the reason why nothing more will come. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const { found } of this.#waiters) found.reject(reason);
  }

  /** The first matching event at or after `from`, received already or still to come. */
  async find(predicate: (event: PiEvent) => boolean, from: number, timeoutMs: number): Promise<Found> {
    const position = this.events.findIndex((event, index) => index >= from && predicate(event));
    const event = this.events[position];
    if (event !== undefined) return { event, position };
    if (this.#ended) throw this.#ended;
    const waiter: Waiter = { predicate, found: deferred<Found>() };
    this.#waiters.add(waiter);
    try {
      return await within(
        waiter.found.promise,
        timeoutMs,
        () => `No such event; received ${this.#summary()}`,
      );
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  #summary(): string {
    return this.events.map(({ type, method }) => (method ? `${type}:${method}` : type)).join(", ") || "none";
  }
}
