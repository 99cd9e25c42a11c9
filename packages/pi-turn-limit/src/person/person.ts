import { LastAction } from "./last-action.ts";

/**
 * The person: what they last did that another extension answers with a message, and whether the run waits for them for
 * another reason than a limit.
 *
 * They gave another extension a command, or replied in its dialog. The message that follows from that is then the person's
 * prompt, however long the extension works before it. One act makes one prompt, and none once the agent or the person has
 * moved on. The time for which the run waits for them does not count.
 */
export class Person {
  readonly #lastAction = new LastAction();
  #hasActed = false;
  #hadActed = false;
  #hand: "replies" | "dismisses" | undefined;
  #messageCame = false;
  /** Does another extension say that it waits? */
  #isAnnounced = false;
  /** The dialog that is open, or was last: one of an extension, or one of our screens. */
  #dialogIsOurs = false;
  #dialogIsOpen = false;
  #atOurScreen = 0;
  #atOurQuestion = 0;

  get isAwaited(): boolean {
    return this.#isAnnounced || this.#dialogIsOpen;
  }

  /** Do they look at a screen of ours? */
  get isAtOurScreen(): boolean {
    return this.#atOurScreen > 0;
  }

  /** Are they asked about a limit? They may do something else first. */
  get isAtOurQuestion(): boolean {
    return this.#atOurQuestion > 0;
  }

  /** Another extension says that it waits, or no longer does. */
  announced(waiting: unknown): void {
    this.#isAnnounced = waiting === true;
  }

  /** They gave a command to another extension. */
  commanded(): void {
    this.#lastAction.begins();
    this.#hasActed = true;
  }

  /** They prompted. Another extension may take that, and send what it makes of it; not while the agent works. */
  prompted(agentWorks: boolean): void {
    if (!this.#lastAction.isCause) this.#lastAction.ends();
    this.#hasActed = !agentWorks;
  }

  /** They replied in another extension's dialog. */
  repliedElsewhere(): void {
    this.#lastAction.ends();
    this.#hasActed = true;
  }

  /** What they just did was a reply to a question of ours, and nothing else. */
  repliedToUs(): void {
    if (this.#hand !== undefined) this.#hasActed = this.#hadActed;
    this.ourQuestionCloses();
  }

  /** What closes now is a question of ours, whatever they just did. */
  ourQuestionCloses(): void {
    this.#hand = undefined;
  }

  /** They pressed a key, or a client replied. What follows from that at once follows in the same tick. */
  moved(hand: "replies" | "dismisses"): void {
    this.#hand = hand;
    this.#hadActed = this.#hasActed;
    setImmediate(() => {
      this.#hand = undefined;
    });
  }

  /** An extension has opened a dialog. The agent does not wait for our own screens. */
  dialogOpened(): void {
    this.#dialogIsOurs = this.isAtOurScreen;
    this.#dialogIsOpen ||= !this.#dialogIsOurs;
  }

  /** A dialog may also close by itself, or because it was dismissed: then nobody has chosen anything. */
  dialogClosed(): void {
    this.#dialogIsOpen = false;
    if (this.#hand === "replies" && !this.#dialogIsOurs) this.repliedElsewhere();
  }

  /** They look at one of our screens while the agent works. */
  async looksAt(screen: () => Promise<void>): Promise<void> {
    this.#atOurScreen += 1;
    try {
      await screen();
    } finally {
      this.#atOurScreen -= 1;
    }
  }

  /** They are asked about a limit. */
  async isAsked<Reply>(question: () => Promise<Reply>): Promise<Reply> {
    this.#atOurQuestion += 1;
    try {
      return await question();
    } finally {
      this.#atOurQuestion -= 1;
    }
  }

  /** A new run waits for nothing yet. Not every dialog reports that it has closed. */
  newRun(): void {
    this.#isAnnounced = false;
    this.#dialogIsOpen = false;
  }

  /** The agent has moved on, or the person has: what comes now is not the consequence of the act. */
  passed(): void {
    this.#lastAction.ends();
    this.#hasActed = false;
  }

  /** Another extension's own kind of message has come. Pi does not say who sent it, or when. */
  messageCame(): void {
    this.#messageCame = this.#lastAction.isCause;
  }

  /** A turn is about to begin. Is it because of such a message, which is the consequence of the person's act? */
  beginsTurn(): boolean {
    const came = this.#messageCame;
    this.#messageCame = false;
    return came && this.takeAct();
  }

  /** Is what another extension does now the consequence of the person's act? If so, the act is used up. */
  takeAct(): boolean {
    const acted = this.#hasActed && this.#lastAction.isCause;
    if (acted) this.passed();
    return acted;
  }
}
