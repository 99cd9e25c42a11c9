/** For how long a message may be the consequence of what a person did: a command may have to look something up first. */
const JUST_NOW_MS = 10_000;

/**
 * What a person last did that another extension answers with a message: they gave it a command, or replied in its dialog.
 * The message is then the person's prompt. One act makes one prompt, and only just after it.
 */
export class PersonsAct {
  readonly #now: () => number;
  #actedAt: number | undefined;
  #actedBefore: number | undefined;
  #hand: "replies" | "dismisses" | undefined;
  #dialogIsOurs = false;
  #messageCame = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The person gave a command to another extension. */
  commanded(): void {
    this.#actedAt = this.#now();
  }

  /** The person prompted. Another extension may take that, and send what it makes of it; not while the agent works. */
  prompted(agentWorks: boolean): void {
    this.#actedAt = agentWorks ? undefined : this.#now();
  }

  /** The person replied in another extension's dialog. */
  repliedElsewhere(): void {
    this.#actedAt = this.#now();
  }

  /** What the person just did was a reply to a question of ours, and nothing else. */
  repliedToUs(): void {
    if (this.#hand !== undefined) this.#actedAt = this.#actedBefore;
    this.ourQuestionCloses();
  }

  /** What closes now is a question of ours, whatever the person just did. */
  ourQuestionCloses(): void {
    this.#hand = undefined;
  }

  /** The person pressed a key, or a client replied. What follows from that at once follows in the same tick. */
  moved(hand: "replies" | "dismisses"): void {
    this.#hand = hand;
    this.#actedBefore = this.#actedAt;
    setImmediate(() => {
      this.#hand = undefined;
    });
  }

  dialogOpened(isOurs: boolean): void {
    this.#dialogIsOurs = isOurs;
  }

  /** A dialog may also close by itself, or because it was dismissed: then nobody has chosen anything. */
  dialogClosed(): void {
    if (this.#hand === "replies" && !this.#dialogIsOurs) this.#actedAt = this.#now();
  }

  /** The agent has moved on, or the person has: what comes now is not the consequence of the act. */
  passed(): void {
    this.#actedAt = undefined;
  }

  /** Another extension's own kind of message has come. Pi does not say who sent it, or when. */
  messageCame(): void {
    this.#messageCame = true;
  }

  /** A turn is about to begin. Is it because of such a message, which is the consequence of the person's act? */
  beginsTurn(): boolean {
    const came = this.#messageCame;
    this.#messageCame = false;
    return came && this.take();
  }

  /** Is what another extension does now the consequence of the person's act? If so, the act is used up. */
  take(): boolean {
    const acted = this.#actedAt;
    this.#actedAt = undefined;
    return acted !== undefined && this.#now() - acted <= JUST_NOW_MS;
  }
}
