import { randomBytes } from "node:crypto";
import { pause } from "../../run/pause.ts";
import type { Timing } from "../channel.ts";
import { BadStatus, type Headers, type Requests } from "../requests.ts";
import { objectIn } from "./signed-replies.ts";

/** A stream that stayed open for this long works, in milliseconds. */
const HELD = 5_000;

/** The secret topic on which the answers to one question come back. */
export class Answers {
  readonly #topic = `turn-limit-${randomBytes(16).toString("hex")}`;
  readonly #server: URL;
  readonly #requests: Requests;
  readonly #headers: Headers;
  readonly #timing: Timing;

  constructor(server: URL, requests: Requests, headers: Headers, timing: Timing) {
    this.#server = server;
    this.#requests = requests;
    this.#headers = headers;
    this.#timing = timing;
  }

  /** Where answers are sent to. */
  get address(): string {
    return new URL(this.#topic, this.#server).href;
  }

  /**
   * Listens until the signal is aborted, over streams that break, and without losing what was sent meanwhile. Resolves
   * before that only if nothing can be heard.
   */
  async listen(
    signal: AbortSignal,
    heard: (message: string) => void,
    problem: (error: unknown) => void,
  ): Promise<void> {
    const { within, silence, reconnectAfter, reconnectAfterMost, unheardFor } = this.#timing;
    const began = performance.now();
    let wasOpen = false;
    // The topic is new: all that was ever sent to it is for this question.
    let since = "all";
    let wait = reconnectAfter;
    while (!signal.aborted) {
      const opened = performance.now();
      let isOpen = false;
      try {
        const url = new URL(`${this.address}/json?since=${encodeURIComponent(since)}`);
        await this.#requests.lines(url, this.#headers, { signal, within, silence }, (line) => {
          const { id, event, message } = objectIn(line);
          if (event === "open") isOpen = wasOpen = true;
          if (event !== "message" || typeof message !== "string") return;
          if (typeof id === "string") since = id;
          heard(message);
        });
      } catch (error) {
        if (signal.aborted) return;
        // A stream may end at any time. It is a problem if none can be had.
        if (!isOpen) problem(error);
        if (error instanceof BadStatus && error.isFinal) return;
      }
      if (!wasOpen && performance.now() - began > unheardFor) return;
      if (performance.now() - opened > HELD) wait = reconnectAfter;
      await pause(wait, signal);
      wait = Math.min(wait * 2, reconnectAfterMost);
    }
  }
}
