import type { IncomingMessage } from "node:http";

/** How many wrong codes are accepted a minute, from all browsers here, and from all others. */
const MOST = 10;
const MINUTE = 60_000;

/**
 * The wrong codes of the last minute. Those that come from other machines are counted apart: nobody there can keep the person
 * at this one from pairing a browser, and all guesses together stay few.
 */
export class WrongCodes {
  readonly #here: number[] = [];
  readonly #elsewhere: number[] = [];

  /** Were there so many that none is tried for now? */
  areTooMany(request: IncomingMessage): boolean {
    const times = this.#of(request);
    const now = performance.now();
    while ((times[0] ?? now) < now - MINUTE) times.shift();
    return times.length >= MOST;
  }

  add(request: IncomingMessage): void {
    this.#of(request).push(performance.now());
  }

  #of(request: IncomingMessage): number[] {
    return isFromHere(request) ? this.#here : this.#elsewhere;
  }
}

/** What proxies add to a request that they pass on. */
const PASSED_ON = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

function isFromHere({ headers, socket: { remoteAddress = "", localAddress } }: IncomingMessage): boolean {
  if (PASSED_ON.some((name) => headers[name] !== undefined)) return false;
  const address = remoteAddress.replace(/^::ffff:/, "");
  return address === "::1" || address.startsWith("127.") || remoteAddress === localAddress;
}
