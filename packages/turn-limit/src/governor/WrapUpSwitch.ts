import { hasRoom, softLimit, type WrapUpOptions, wrapUpMessage } from "../limits/GracefulTurnLimit.ts";
import { requireCount } from "../limits/Max.ts";
import type { TurnLimit } from "../limits/TurnLimit.ts";

/** Everything a {@link WrapUpSwitch} knows, as plain data. */
export interface WrapUpState {
  grace: number;
  requested: boolean;
  /** Was the model told in this round? */
  sent: boolean;
  /** Was it told in this run, too, and not in one before it? */
  told: boolean;
}

/** Whether the model has to be told to wrap up: `grace` turns before the limit or when asked for, once a round. */
export class WrapUpSwitch {
  /** How the message is made, and a grace that changes. */
  options: WrapUpOptions;
  #grace: number;
  #requested = false;
  #sent = false;
  #told = false;

  constructor(grace: number, options: WrapUpOptions) {
    this.#grace = requireCount("turns.grace", grace);
    this.options = options;
  }

  static from({ grace, requested, sent, told }: WrapUpState, options: WrapUpOptions): WrapUpSwitch {
    const wrapUp = new WrapUpSwitch(grace, options);
    wrapUp.#requested = requested;
    wrapUp.#sent = sent;
    wrapUp.#told = told;
    return wrapUp;
  }

  get grace(): number {
    return this.#grace;
  }

  set grace(grace: number) {
    this.#grace = requireCount("turns.grace", grace);
  }

  /** Was the model told in this round? */
  get sent(): boolean {
    return this.#sent;
  }

  /** A person wants it now. A model that was told in this round is not told again. */
  request(): void {
    this.#requested = !this.#sent;
  }

  /** The message, if it is due after the turns that are completed, or because another budget is short. It counts as sent. */
  take({ maxInForce, completed }: TurnLimit, isShort: boolean): string | undefined {
    if (this.#sent || !(this.#requested || isShort || this.#isDue(maxInForce, completed))) return undefined;
    this.#requested = false;
    this.#sent = true;
    this.#told = true;
    return wrapUpMessage(this.options);
  }

  /** A person wants it in the turn that begins now, whether or not the model was told before. */
  insist(): void {
    this.#sent = false;
    this.#requested = true;
  }

  /** A new round: armed again. What a person asked for and did not get yet is still wanted. */
  restart(): void {
    this.#sent = false;
    this.#told = false;
  }

  /** A new run, perhaps in the same round: nobody has asked for anything in it, and the model was not told. */
  newRun(): void {
    this.#requested = false;
    this.#told = false;
  }

  toJSON(): WrapUpState {
    return { grace: this.#grace, requested: this.#requested, sent: this.#sent, told: this.#told };
  }

  #isDue(max: TurnLimit["max"], completed: number): boolean {
    return hasRoom(max, this.#grace) && completed >= softLimit(max, this.#grace, this.options.grace?.());
  }
}
