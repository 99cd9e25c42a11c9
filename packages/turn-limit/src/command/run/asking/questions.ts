import type { Ask, Reply } from "../../../core/governor/decision.ts";
import type { RunInfo } from "../../../run/run-info.ts";
import type { Way } from "./way.ts";

/** Who is told about questions. */
export interface QuestionEvents {
  /** There is a question. */
  opened(): void;
  /** A way to ask cannot be used. */
  failed(error: unknown): void;
}

/** Asks in several ways at once. The first reply counts. */
export class Questions {
  readonly #ways: readonly Way[];
  readonly #events: QuestionEvents;
  readonly #open = new Set<Promise<unknown>>();

  constructor(ways: readonly Way[], events: QuestionEvents) {
    this.#ways = ways;
    this.#events = events;
  }

  readonly ask = async (question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply> => {
    this.#events.opened();
    const over = new AbortController();
    const withdrawn = AbortSignal.any([signal, over.signal]);
    const replies = this.#ways.map((way) => this.#reply(way, question, withdrawn, run));
    try {
      return (await firstOf(replies, withdrawn)) ?? "unanswered";
    } finally {
      over.abort();
    }
  };

  /** Resolves when every question is closed, wherever it was asked. */
  async closed(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #reply(way: Way, question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply | undefined> {
    const reply = way(question, signal, run).catch((error) => {
      this.#events.failed(error);
      return undefined;
    });
    this.#open.add(reply);
    return reply.finally(() => this.#open.delete(reply));
  }
}

/** The first reply; `undefined` if nobody gives one, or the signal is aborted before. */
function firstOf(
  replies: readonly Promise<Reply | undefined>[],
  signal: AbortSignal,
): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    for (const reply of replies) void reply.then((given) => given !== undefined && resolve(given));
    void Promise.all(replies).then(() => resolve(undefined));
  });
}
