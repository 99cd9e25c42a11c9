import type { Ask, Reply } from "../core/governor/decision.ts";
import { oneLine } from "../core/text/text-width.ts";
import { phrase, questionText } from "../core/words.ts";
import { pause } from "../run/pause.ts";
import { untilAborted } from "../run/until-aborted.ts";
import type { Background, Channel, Notification, NotifiedQuestion, Timing } from "./channel.ts";
import { choicesOf } from "./choices.ts";
import { troubleOf } from "./trouble.ts";

/** The run that notifications are about. */
export interface NotifyingRun {
  /** What it is called: `Claude Code in ~/site`. */
  readonly title: string;
  /** The same for programs: the agent, its folder. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What asks in one place besides others. */
export interface NotifyingPlace {
  readonly where: string;
  ask(question: Ask, withdrawn: AbortSignal): Promise<Reply | undefined>;
}

const NOT_SENT = "a notification was not sent";

/** How many characters a text may have: servers refuse longer ones. */
const LONGEST = { title: 200, text: 1_000 };

/** Sends notifications of one run, in the background: what fails is told once, and holds nothing. */
export class Notifier {
  readonly #channels: readonly Channel[];
  readonly #run: NotifyingRun;
  readonly #warn: (message: string) => void;
  readonly #lastWords: number;
  readonly #warned = new Set<string>();
  readonly #sending = new Map<Promise<unknown>, Channel>();
  #isClosed = false;

  constructor(
    channels: readonly Channel[],
    run: NotifyingRun,
    warn: (message: string) => void,
    { lastWords }: Pick<Timing, "lastWords">,
  ) {
    this.#channels = channels;
    this.#run = run;
    this.#warn = warn;
    this.#lastWords = lastWords;
  }

  /** Can a reply come back from anywhere? */
  get canReply(): boolean {
    return this.#channels.some(({ canReply }) => canReply);
  }

  /** Where questions are asked. */
  get places(): NotifyingPlace[] {
    return this.#channels.map((channel) => ({
      where: channel.where,
      ask: (question, withdrawn) => this.#ask(channel, question, withdrawn),
    }));
  }

  /** Tells something, without waiting for it. */
  tell(about: Notification["about"], text: string, facts: Readonly<Record<string, unknown>> = {}): void {
    for (const channel of this.#channels)
      this.#add(
        channel,
        channel.tell({
          about,
          title: this.#title,
          text: shortened(text, LONGEST.text),
          facts: { ...this.#run.facts, ...facts },
        }),
      );
  }

  /** Resolves when all that was told is sent, or given up. It does not take long. */
  async done(): Promise<void> {
    const over = new AbortController();
    const all = Promise.all(this.#sending.keys()).then(() => over.abort());
    await Promise.race([all, pause(this.#lastWords, over.signal)]);
    over.abort();
    const tooSlow = new Error(`it was not done ${this.#lastWords / 1_000} s after the end of the run`);
    for (const channel of new Set(this.#sending.values())) this.#problem(channel, NOT_SENT, tooSlow);
  }

  /** What is still under way is given up. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels) channel.close();
  }

  async #ask(channel: Channel, ask: Ask, withdrawn: AbortSignal): Promise<Reply | undefined> {
    if (withdrawn.aborted) return undefined;
    const { facts } = this.#run;
    const { limit, identity, used, max, why } = ask;
    const choices = choicesOf(ask);
    const question: NotifiedQuestion = {
      ...{ about: "question", title: this.#title, ask, choices },
      text: shortened(questionText(ask), LONGEST.text),
      facts: { ...facts, limit, identity, used, max, why: why ?? null },
    };
    const background: Background = {
      add: (sending) => this.#add(channel, sending),
      problem: (what, error) => this.#problem(channel, what, error),
    };
    const asked = channel.ask(question, withdrawn, background);
    // What is still under way when the question is closed holds nothing, not even the end.
    const settled = asked.catch((error) => void this.#problem(channel, NOT_SENT, error));
    return untilAborted(withdrawn, settled, () => undefined);
  }

  get #title(): string {
    return shortened(this.#run.title, LONGEST.title);
  }

  #add(channel: Channel, sending: Promise<unknown>): void {
    const settled: Promise<unknown> = sending
      .catch((error) => this.#problem(channel, NOT_SENT, error))
      .finally(() => this.#sending.delete(settled));
    this.#sending.set(settled, channel);
  }

  // Once for each kind of problem, however often it happens.
  #problem(channel: Channel, what: string, error?: unknown): void {
    const key = `${channel.name} ${what}`;
    if (this.#isClosed || this.#warned.has(key)) return;
    this.#warned.add(key);
    const why = error === undefined ? "" : `: ${phrase(troubleOf(error))}. ${channel.whatToDo(error)}`;
    this.#warn(`${channel.name}: ${what}${why}.`);
  }
}

/** On one line, without its middle if it is too long. */
function shortened(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most / 2)}…${line.slice(-most / 2)}`;
}
