import type { Ask, Reply } from "../../../core/governor/decision.ts";
import type { RunInfo } from "../../../run/run-info.ts";

/** Asks a person. `undefined`: there was no reply. The signal is aborted when the question is withdrawn. */
export type Asker = (question: Ask, signal: AbortSignal, run: RunInfo) => Promise<Reply | undefined>;

/** Who is told about questions. */
interface QuestionEvents {
  /** There is a question. */
  opened(): void;
  /** One of the askers failed. */
  failed(error: unknown): void;
}

/** Asks in several places at once. The first reply counts. */
export class Questions {
  readonly #askers: readonly Asker[];
  readonly #events: QuestionEvents;
  readonly #open = new Set<Promise<unknown>>();

  constructor(askers: readonly Asker[], events: QuestionEvents) {
    this.#askers = askers;
    this.#events = events;
  }

  readonly ask = async (question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply> => {
    this.#events.opened();
    const over = new AbortController();
    const withdrawn = AbortSignal.any([signal, over.signal]);
    const replies = this.#askers.map((asker) => this.#reply(asker, question, withdrawn, run));
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

  async #reply(asker: Asker, question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply | undefined> {
    const reply = asker(question, signal, run).catch((error) => {
      this.#events.failed(error);
      return undefined;
    });
    this.#open.add(reply);
    return reply.finally(() => this.#open.delete(reply));
  }
}

/** The first reply. `undefined`: there is none, or the signal was aborted before. */
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
