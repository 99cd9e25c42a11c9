import { type WrapUpOptions, wrapUpMessage } from "../limits/wrap-up.ts";

/** Everything a {@link WrapUpSwitch} knows, as plain data. */
export interface WrapUpState {
  requested: boolean;
  /** Was the model told in this round? */
  sent: boolean;
  /** Was it told in this run, too, and not in one before it? */
  sentInRun: boolean;
}

/** Whether the model has to be told to wrap up: `grace` turns before the limit or when asked for, once a round. */
export class WrapUpSwitch {
  readonly #state: WrapUpState;

  constructor(state: WrapUpState = { requested: false, sent: false, sentInRun: false }) {
    this.#state = { ...state };
  }

  get state(): Readonly<WrapUpState> {
    return this.#state;
  }

  /** A person wants it now. A model that was told in this round is not told again. */
  request(): void {
    this.#state.requested = !this.#state.sent;
  }

  /** Was it asked for, and not sent yet? */
  get isRequested(): boolean {
    return this.#state.requested;
  }

  /** The message. It counts as sent, unless it cannot be made. */
  send(options: WrapUpOptions): string {
    const message = wrapUpMessage(options);
    this.#state.requested = false;
    this.#state.sent = this.#state.sentInRun = true;
    return message;
  }

  /** A person wants it in the turn that begins now, whether or not the model was told before. */
  insist(): void {
    this.#state.sent = false;
    this.#state.requested = true;
  }

  /** A new round: armed again. What a person asked for and did not get yet is still wanted. */
  restart(): void {
    this.#state.sent = this.#state.sentInRun = false;
  }

  /** A new run, perhaps in the same round: nothing was asked for in it, and the model was not told. */
  newRun(): void {
    this.#state.requested = this.#state.sentInRun = false;
  }
}
