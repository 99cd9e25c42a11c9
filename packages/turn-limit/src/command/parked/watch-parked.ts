import { messageOf } from "../../core/errors/message-of.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { type Parked, parkedRuns } from "../../pools/listing/parked-runs.ts";
import { answeredText } from "../../pools/listing/words.ts";
import { pause } from "../../run/pause.ts";
import { BY_RESUMING, holdsItself, isResumed, notHere } from "./find-parked.ts";

/** How often it is looked for answers, in milliseconds. */
const LOOK_EVERY = 500;

/** Does it go on without a person at a terminal? */
function worksAlone(one: Parked): boolean {
  // Pi resumes in print mode.
  return one.parked.isHeadless || holdsItself(one);
}

/** How many milliseconds a command that parked it, and waits as well, has to go on with it itself. */
const OTHERS_FIRST = 5_000;

/**
 * Asks the question of a parked run elsewhere, until it is withdrawn: the reason says how it was answered. When the watch
 * closes nothing is left of it.
 */
export type AskParked = (parked: Parked, withdrawn: AbortSignal, closing: AbortSignal) => Promise<void>;

interface Watching {
  readonly store: Store;
  /** Goes on with one, if this is still its question. Resolves when its agent has ended. */
  readonly resume: (id: string, question: string) => Promise<void>;
  readonly tell: (message: string) => void;
  readonly ask?: AskParked | undefined;
}

/**
 * Goes on with each parked run of this machine as soon as somebody answers it with a yes, wherever that is, or its limit has
 * started over.
 */
export class ParkedWatch {
  readonly #watching: Watching;
  readonly #over = new AbortController();
  readonly #looking: Promise<void>;
  /** Resolves when it has looked for the first time. */
  readonly ready: Promise<void>;
  #mine: ReadonlySet<string> = new Set();
  readonly #working = new Map<string, Promise<void>>();
  /** The questions whose answers were acted on. A run that could not go on is not tried again and again. */
  readonly #tried = new Set<string>();
  /** The same for limits that have started over, by their runs: when that was. */
  readonly #startedOver = new Map<string, number>();
  /** The questions that are asked elsewhere, by their ids, and what is still said there. */
  readonly #asked = new Map<string, AbortController>();
  readonly #asking = new Set<Promise<void>>();
  #problem: string | undefined;

  constructor(watching: Watching) {
    this.#watching = watching;
    this.ready = this.#look();
    this.#looking = this.ready.then(() => this.#lookOnAndOn());
  }

  /** Does a yes let this run go on? */
  has(id: string): boolean {
    return this.#mine.has(id);
  }

  /** How many runs go on. */
  get working(): number {
    return this.#working.size;
  }

  /** Looks no longer. Resolves when the agents that go on have ended. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#looking;
    await Promise.all([...this.#asking, ...this.#working.values()]);
  }

  async #lookOnAndOn(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await pause(LOOK_EVERY, signal);
      if (signal.aborted) return;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    try {
      const all = await parkedRuns(this.#watching.store);
      this.#problem = undefined;
      const here = all.filter((each) => worksAlone(each) && notHere(each) === undefined);
      this.#mine = new Set(here.map(({ id }) => id));
      for (const id of this.#tried)
        if (!here.some(({ question }) => question?.id === id)) this.#tried.delete(id);
      const waiting = here.filter((each) => !isResumed(each));
      for (const each of waiting) this.#goOn(each);
      await this.#askAbout(waiting);
    } catch (error) {
      const message = messageOf(error);
      if (message !== this.#problem) this.#watching.tell(message);
      this.#problem = message;
    }
  }

  #goOn(parked: Parked): void {
    const { id, name, question } = parked;
    const why = whyItGoesOn(parked);
    if (!question || why === undefined || this.#working.has(id) || this.#tried.has(question.id)) return;
    const { until } = (question.reply === undefined && question.waits) || {};
    // Put back, it asks anew.
    if (until !== undefined && this.#startedOver.get(id) === until) return;
    if (until !== undefined) this.#startedOver.set(id, until);
    this.#watching.tell(`${name} goes on. ${why}`);
    this.#tried.add(question.id);
    const over = this.#watching
      .resume(id, question.id)
      .catch((error) => this.#watching.tell(messageOf(error)))
      .finally(() => this.#working.delete(id));
    this.#working.set(id, over);
  }

  async #askAbout(here: readonly Parked[]): Promise<void> {
    const { ask, tell } = this.#watching;
    if (!ask) return;
    const open = new Map(here.flatMap((each) => (isOpen(each) ? [[each.question.id, each]] : [])));
    for (const [id, withdrawn] of this.#asked) {
      if (open.has(id)) continue;
      this.#asked.delete(id);
      withdrawn.abort(await this.#answerTo(id));
    }
    for (const [id, parked] of open) {
      if (this.#asked.has(id)) continue;
      const withdrawn = new AbortController();
      this.#asked.set(id, withdrawn);
      const over: Promise<void> = ask(parked, withdrawn.signal, this.#over.signal)
        .catch((error) => tell(messageOf(error)))
        .finally(() => this.#asking.delete(over));
      this.#asking.add(over);
    }
  }

  /** How a question was answered, also if its run is gone since. */
  async #answerTo(id: string): Promise<string | undefined> {
    const grants = await this.#watching.store.grants();
    const { where, reply, question } = grants.find((grant) => grant.question?.id === id) ?? {};
    return reply !== undefined && question ? answeredText(where, reply, question) : undefined;
  }
}

/** Why it goes on: somebody allowed more, or its limit has started over. */
function whyItGoesOn(parked: Parked): string | undefined {
  const { reply, replied: { where } = {}, waits } = parked.question ?? {};
  if (reply === undefined) {
    const after = holdsItself(parked) ? 0 : OTHERS_FIRST;
    const isOver = waits?.until !== undefined && waits.until + after <= parked.now;
    return isOver ? "The limit has started over." : undefined;
  }
  // Who resumes it at a terminal does so there.
  if (reply === false || !parked.question || where === BY_RESUMING || where === undefined) return undefined;
  return answeredText(where, reply, parked.question);
}

function isOpen(parked: Parked): parked is Parked & { question: NonNullable<Parked["question"]> } {
  return parked.question !== undefined && parked.question.reply === undefined;
}
