import type { Reply } from "../../core/governor/decision.ts";
import { replyText } from "../../pools/listing/words.ts";
import { pause } from "../../run/pause.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import type { Background, NotifiedQuestion } from "../channel.ts";
import type { Choice } from "../choices.ts";
import type { Answers } from "./answers.ts";
import { SignedReplies } from "./signed-replies.ts";

/** Questions are urgent, and what is said of them afterwards is not. */
const PRIORITY = { open: 4, closed: 2 };
const UNHEARD = "It cannot be answered here.";
const WITHDRAWN = "The question is closed.";
const FORGED = "an answer was refused, because it is not signed for the question";
const DEAF = "answers cannot be heard for now";
/** How long to wait for the decision about a reply before it is said to count, in milliseconds. */
const DECIDED_WITHIN = 5_000;

type Publish = (message: object) => Promise<void>;

/** One question on the phones that follow a topic. */
export class PhoneQuestion {
  readonly #question: NotifiedQuestion;
  readonly #answers: Answers;
  readonly #publish: Publish;
  readonly #background: Background;
  readonly #signed: SignedReplies;
  readonly #stop = new AbortController();
  readonly #first: Promise<Choice>;
  /** Aborted when somebody answers too late. */
  readonly #late = new AbortController();
  #decide: (choice: Choice) => void = () => {};
  #sent: Promise<void> | undefined;
  #isOpen = true;
  /** The button that was pressed first. */
  #pressed: Choice | undefined;

  constructor(question: NotifiedQuestion, answers: Answers, publish: Publish, background: Background) {
    this.#question = question;
    this.#answers = answers;
    this.#publish = publish;
    this.#background = background;
    this.#signed = new SignedReplies(question.choices);
    this.#first = new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  /**
   * The reply. `undefined`: it was withdrawn, or no answer can be heard. Rejects if it could not be sent. For a
   * while, and no longer than until `over` is aborted, whoever answers when it is closed is told that it was too late.
   */
  async reply(withdrawn: AbortSignal, over: AbortSignal, tooLateFor: number): Promise<Reply | undefined> {
    const unheard = this.#listen(AbortSignal.any([this.#stop.signal, over]));
    const sent = this.#send();
    this.#sent = sent;
    const first = Promise.race([this.#first, unheard, failureOf(sent)]);
    const choice = await untilAborted(withdrawn, first, () => undefined).catch((error) => {
      this.#stop.abort();
      throw error;
    });
    this.#isOpen = false;
    if (choice === undefined && !withdrawn.aborted) {
      this.#stop.abort();
      this.#say(sent, UNHEARD);
      return undefined;
    }
    const counts = withdrawn.aborted ? undefined : choice;
    if (this.#pressed !== counts) this.#late.abort();
    void this.#close(sent, counts, withdrawn, AbortSignal.any([over, AbortSignal.timeout(tooLateFor)]));
    return counts?.reply;
  }

  #send(): Promise<void> {
    const { title, text, choices } = this.#question;
    return this.#publish({
      ...{ title, message: text, priority: PRIORITY.open, tags: ["question"], sequence_id: this.#signed.id },
      actions: choices.map((choice) => ({
        ...{ action: "http", label: choice.label, method: "POST", url: this.#answers.address, clear: true },
        body: this.#signed.bodyOf(choice),
      })),
    });
  }

  async #listen(signal: AbortSignal): Promise<undefined> {
    const { problem } = this.#background;
    const heard = (message: string) => {
      const choice = this.#signed.choiceIn(message);
      if (!choice) problem(FORGED);
      else this.#press(choice);
    };
    // Where the question cannot be sent either, that is what is told.
    const deaf = (error: unknown) => void this.#sent?.then(() => problem(DEAF, error)).catch(() => {});
    await this.#answers.listen(signal, heard, deaf);
  }

  // The same button once more says nothing new: it was pressed twice, or the server sends it again.
  #press(choice: Choice): void {
    if (choice === this.#pressed) return;
    if (this.#isOpen && !this.#pressed) {
      this.#pressed = choice;
      this.#decide(choice);
    } else this.#late.abort();
  }

  /** It is closed, and says how, in the place of the question where the app can do that. */
  async #close(
    sent: Promise<void>,
    counts: Choice | undefined,
    withdrawn: AbortSignal,
    over: AbortSignal,
  ): Promise<void> {
    // Somebody else may have been first, elsewhere.
    await pause(DECIDED_WITHIN, AbortSignal.any([withdrawn, over]));
    const own = counts ? `Answered: ${replyText(counts.reply, this.#question.ask)}.` : WITHDRAWN;
    const how = typeof withdrawn.reason === "string" ? withdrawn.reason : own;
    this.#say(sent, how);
    await aborted(AbortSignal.any([over, this.#late.signal]));
    this.#stop.abort();
    if (this.#late.signal.aborted) this.#say(sent, how.startsWith(TOO_LATE) ? how : `${TOO_LATE}. ${how}`);
  }

  #say(sent: Promise<void>, message: string): void {
    const { title } = this.#question;
    const closing = { title, message, priority: PRIORITY.closed, sequence_id: this.#signed.id };
    this.#background.add(sent.then(() => this.#publish(closing)));
  }
}

const TOO_LATE = "Too late";

function aborted(signal: AbortSignal): Promise<void> {
  return untilAborted(signal, new Promise<void>(() => {}), () => undefined);
}

/** Never resolves. */
function failureOf(sent: Promise<void>): Promise<never> {
  return new Promise((_, reject) => sent.catch(reject));
}
