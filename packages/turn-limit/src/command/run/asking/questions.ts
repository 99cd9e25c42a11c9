import { messageOf } from "../../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { answeredText } from "../../../pools/listing/words.ts";
import type { RunInfo } from "../../../run/run-info.ts";
import { untilAborted } from "../../../run/until-aborted.ts";
import type { Notices } from "../notices.ts";

/** Asks a person. `undefined`: there was no reply. The signal is aborted when the question is withdrawn. */
export type Asker = (question: Ask, signal: AbortSignal, run: RunInfo) => Promise<Reply | undefined>;

/** Where a person is asked, as it follows "Answered": `in the terminal`. */
export interface AskingPlace {
  readonly where: string;
  /** Is whoever is at the terminal to read what was answered there? */
  readonly isElsewhere?: boolean;
  readonly ask: Asker;
}

/** A reply, and where it was given. */
interface Given {
  readonly place: AskingPlace;
  readonly reply: Reply;
}

/** Asks in several places at once. The first reply counts. */
export class Questions {
  readonly #places: readonly AskingPlace[];
  readonly #notices: Notices;
  readonly #open = new Set<Promise<unknown>>();
  #where = "in the terminal";

  constructor(places: readonly AskingPlace[], notices: Notices) {
    this.#places = places;
    this.#notices = notices;
  }

  readonly ask = async (question: Ask, signal: AbortSignal, run: RunInfo): Promise<Reply> => {
    this.#notices.ring();
    const asked = this.#places.map((place) => {
      const over = new AbortController();
      const withdrawn = AbortSignal.any([signal, over.signal]);
      return { place, over, reply: this.#reply(place, question, withdrawn, run) };
    });
    const replies = asked.map(({ reply }) => reply);
    const first = await untilAborted(signal, firstOf(replies), () => undefined);
    if (!first) {
      for (const { over } of asked) over.abort();
      return "unanswered";
    }
    const { where, isElsewhere } = first.place;
    this.#where = where;
    const answered = answeredText(where, first.reply, question);
    // Whoever is asked elsewhere reads how it was answered. The place itself reads of the run whether that counts.
    for (const { place, over } of asked) if (place !== first.place) over.abort(answered);
    if (isElsewhere) void this.note(answered);
    return first.reply;
  };

  /** Tells the person something, and not in the middle of a question. */
  async note(message: string): Promise<void> {
    await this.closed();
    this.#notices.note(message);
  }

  /** Resolves when every question is closed, wherever it was asked. */
  async closed(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Where the last reply was given. */
  get where(): string {
    return this.#where;
  }

  async #reply(
    place: AskingPlace,
    question: Ask,
    signal: AbortSignal,
    run: RunInfo,
  ): Promise<Given | undefined> {
    const asked = place.ask(question, signal, run).catch((error) => {
      this.#notices.tell(`Nobody could be asked: ${messageOf(error)}`);
      return undefined;
    });
    this.#open.add(asked);
    const reply = await asked.finally(() => this.#open.delete(asked));
    return reply === undefined ? undefined : { place, reply };
  }
}

/** The first reply. `undefined`: there is none. */
function firstOf(replies: readonly Promise<Given | undefined>[]): Promise<Given | undefined> {
  return new Promise((resolve) => {
    for (const reply of replies) void reply.then((given) => given !== undefined && resolve(given));
    void Promise.all(replies).then(() => resolve(undefined));
  });
}
