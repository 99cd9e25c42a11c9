import { setTimeout as sleep } from "node:timers/promises";
import type { Link, Patience } from "./client.ts";
import { closed, isPassing, isWorthless, refusedBy, unreachable } from "./problems.ts";

/** A link that is open. Closing it makes requests that wait fail. */
export interface OpenLink {
  link: Link;
  close(): void;
  /** Is it good for further requests? */
  isOpen(): boolean;
}

/** How to come to a server. */
export interface Route {
  /** The address for people to read, without a password. */
  address: string;
  /** Opens a link, unless the signal is aborted before. */
  open(signal: AbortSignal): Promise<OpenLink>;
}

/**
 * A connection that is opened when it is needed, and again when it broke. A request that was cut off is made again:
 * scripts see that it is the same.
 */
export class Connection {
  readonly address: string;
  readonly #route: Route;
  readonly #timeout: number;
  #opening: { link: Promise<OpenLink>; cut: AbortController } | undefined;
  #open: OpenLink | undefined;
  #isClosed = false;

  constructor(route: Route, timeout: number) {
    this.address = route.address;
    this.#route = route;
    this.#timeout = timeout;
  }

  /**
   * Asks until there is an answer. Rejects when the server refuses, or when it takes too long: nothing is sent after that.
   * `within`: how many milliseconds it may take, if that is less than for other requests.
   */
  request<T>(ask: (link: Link, patience: Patience) => Promise<T>, within = Infinity): Promise<T> {
    const timeout = Math.min(this.#timeout, within);
    const attempt = new Attempt(timeout);
    return new Promise<T>((resolve, reject) => {
      // Sockets do not keep the process alive. This does, as long as somebody waits.
      const timer = setTimeout(() => {
        attempt.end();
        if (attempt.open) this.#drop(attempt.open);
        else this.#opening?.cut.abort();
        reject(unreachable(this.address, timeout, attempt.problem));
      }, timeout);
      this.#untilAnswered(ask, attempt).then(
        (answer) => {
          clearTimeout(timer);
          attempt.keepSignal();
          resolve(answer);
        },
        (error) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#opening?.cut.abort();
    this.#drop(this.#open);
  }

  async #untilAnswered<T>(ask: (link: Link, patience: Patience) => Promise<T>, attempt: Attempt): Promise<T> {
    for (let pause = 0; ; pause = Math.min(2 * pause + 10, LONGEST_PAUSE)) {
      if (this.#isClosed) throw closed(this.address);
      try {
        attempt.open = undefined;
        attempt.open = this.#open?.isOpen() ? this.#open : await this.#opened();
        if (attempt.isOver) throw new Error("It took too long.");
        return await ask(attempt.open.link, attempt);
      } catch (error) {
        if (this.#isClosed) throw closed(this.address);
        if (isWorthless(error)) this.#drop(attempt.open);
        if (!isPassing(error)) throw refusedBy(this.address, error);
        attempt.problem = error;
      }
      if (attempt.isOver) throw unreachable(this.address, attempt.timeout, attempt.problem);
      await sleep(pause);
    }
  }

  #opened(): Promise<OpenLink> {
    if (this.#opening) return this.#opening.link;
    this.#drop(this.#open);
    const cut = new AbortController();
    const link = this.#route
      .open(cut.signal)
      .then((open) => {
        this.#open = open;
        return open;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    this.#opening = { link, cut };
    return link;
  }

  #drop(open: OpenLink | undefined): void {
    if (this.#open === open) this.#open = undefined;
    open?.close();
  }
}

class Attempt implements Patience {
  readonly timeout: number;
  readonly until: number;
  isOver = false;
  open: OpenLink | undefined;
  problem: unknown;
  #controller: AbortController | undefined;

  constructor(timeout: number) {
    this.timeout = timeout;
    this.until = performance.now() + timeout;
  }

  get signal(): AbortSignal {
    this.#controller ??= unused.pop() ?? new AbortController();
    if (this.isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  end(): void {
    this.isOver = true;
    this.#controller?.abort();
  }

  /** Nobody listens any more, so it can be used again: to make one takes longer than all else of a request here. */
  keepSignal(): void {
    const wasAnsweredAtOnce = !this.isOver && this.problem === undefined;
    if (this.#controller && wasAnsweredAtOnce && unused.length < MOST_UNUSED) unused.push(this.#controller);
    this.#controller = undefined;
  }
}

const unused: AbortController[] = [];
const MOST_UNUSED = 100;

const LONGEST_PAUSE = 200;
