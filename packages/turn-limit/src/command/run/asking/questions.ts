import { messageOf } from "../../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import type { RunInfo } from "../../../run/run-info.ts";
import { untilAborted } from "../../../run/until-aborted.ts";
import type { Notices } from "../notices.ts";

/** Asks a person. `undefined`: there was no reply. The signal is aborted when the question is withdrawn. */
export type Asker = (question: Ask, signal: AbortSignal, run: RunInfo) => Promise<Reply | undefined>;

/** Asks in several places at once. The first reply counts. */
export class Questions {
  readonly #askers: readonly Asker[];
  readonly #notices: Notices;
  readonly #open = new Set<Promise<unknown>>();

  constructor(askers: readonly Asker[], notices: Notices) {
    this.#askers = askers;
    this.#notices = notices;
  }

  readonly ask = async (question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply> => {
    this.#notices.ring();
    const over = new AbortController();
    const withdrawn = AbortSignal.any([signal, over.signal]);
    const replies = this.#askers.map((asker) => this.#reply(asker, question, withdrawn, run));
    try {
      return (await untilAborted(signal, firstOf(replies), () => undefined)) ?? "unanswered";
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
      this.#notices.tell(`Nobody could be asked: ${messageOf(error)}`);
      return undefined;
    });
    this.#open.add(reply);
    return reply.finally(() => this.#open.delete(reply));
  }
}

/** The first reply. `undefined`: there is none. */
function firstOf(replies: readonly Promise<Reply | undefined>[]): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    for (const reply of replies) void reply.then((given) => given !== undefined && resolve(given));
    void Promise.all(replies).then(() => resolve(undefined));
  });
}
