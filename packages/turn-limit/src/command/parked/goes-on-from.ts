import { messageOf } from "../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../core/governor/decision.ts";
import { createGovernor } from "../../core/governor/governor.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import { phrase } from "../../core/words.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { HELD_FOR, type HeldRun, type Parked, takeParked } from "../../pools/listing/parked-runs.ts";
import { ownProcess } from "../../pools/listing/process-mark.ts";
import type { AskPerson } from "../../run/listing.ts";
import { cannotBeDone } from "../command-error.ts";
import { freeIfLeft, resumedElsewhere } from "./find-parked.ts";

/** A run that was parked, for the run that goes on from it. */
export class GoesOnFrom {
  readonly id: string;
  /** What the run knew. */
  readonly state: GovernorState;
  /** By this id the run is held in the store. */
  readonly holder = crypto.randomUUID();
  readonly #store: Store;
  readonly #parked: Parked;
  #reply: Reply | undefined;
  #isReplyUsed: boolean;
  #repliedLast = false;
  #saved: string;
  #held: HeldRun | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** Has the agent gone on, and ended? */
  isOver = false;

  /** `reply`: to its question. `undefined`: nobody replied, and its limit has started over by itself. */
  constructor(store: Store, parked: Parked, reply: Reply | undefined) {
    this.id = parked.id;
    // Before anything is taken: one of another version cannot go on here.
    this.state = stateOf(parked);
    this.#store = store;
    this.#parked = parked;
    this.#reply = reply;
    this.#isReplyUsed = parked.isReplyUsed;
    this.#saved = parked.parked.state;
  }

  /** The reply with which it goes on, unless that was used before. */
  get reply(): Reply | undefined {
    return this.#isReplyUsed ? undefined : this.#reply;
  }

  get isReplyUsed(): boolean {
    return this.#isReplyUsed;
  }

  /** Is there a reply to this question, which was not used yet? */
  hasReplyTo({ limit }: Ask): boolean {
    const { question: asked } = this.#parked;
    return this.reply !== undefined && (!asked || asked.limit === limit);
  }

  /** Was the last reply the one with which it goes on? Where that was given is known since it was. */
  get repliedLast(): boolean {
    return this.#repliedLast;
  }

  /** Replies to the question with which it was parked, and asks the others by `ask`. */
  replyFirst(ask: AskPerson | undefined): AskPerson {
    return async (question: Ask, signal, run) => {
      this.#repliedLast = this.hasReplyTo(question);
      if (this.#repliedLast) {
        const { reply } = this;
        this.#isReplyUsed = true;
        // What is allowed in a pool is in the store at once. A limit of the run alone starts over with the state that is saved next.
        if (isShared(question)) await this.#save();
        return reply;
      }
      return ask ? ask(question, signal, run) : "unanswered";
    };
  }

  /** From now on it is this run's. Throws if somebody else goes on with it already. */
  async take(): Promise<void> {
    await freeIfLeft(this.#store, this.#parked);
    const held = await takeParked(this.#store, this.#parked, { id: this.holder, process: ownProcess() });
    // Somebody else may have gone on with it, and ended, since it was found.
    if (held?.parked.parked.state !== this.#parked.parked.state) {
      await held?.letGo();
      throw resumedElsewhere(this.id);
    }
    this.#held = held;
    // Nobody can answer from now on.
    this.#reply ??= held.parked.question?.reply;
    if (this.#reply === false) throw cannotBeDone(`${this.id} was answered with no.`);
    this.#beat = setInterval(() => void held.hold().catch(() => undefined), HELD_FOR / 3);
    this.#beat.unref();
  }

  /**
   * Saves what the run knows before a request is sent, for whoever goes on if this process is killed: what was granted is not
   * granted again. Resolves with why the request must not be sent, if it must not.
   */
  async save(state: GovernorState, warn: (message: string) => void): Promise<string | undefined> {
    this.#saved = JSON.stringify(state);
    try {
      return (await this.#save()) ? undefined : `${this.id} goes on elsewhere.`;
    } catch (error) {
      warn(`What ${this.id} used is not saved, in case this process is killed: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #save(): Promise<boolean> {
    const saved = { state: this.#saved, isReplyUsed: this.#isReplyUsed };
    return (await this.#held?.hold({ saved })) ?? false;
  }

  /** It was parked anew, or it is over; if the agent did not go on, it is parked as before. */
  async leave(tell: (message: string) => void): Promise<void> {
    clearInterval(this.#beat);
    const held = this.#held;
    this.#held = undefined;
    if (!held) return;
    if (this.isOver) await held.remove();
    else if (await held.letGo()) tell(`${this.id} could not go on, and is parked as before.`);
  }
}

// A budget that others draw from, too.
function isShared({ identity }: Ask): boolean {
  return identity.pool !== undefined || identity.per !== undefined;
}

function stateOf({ id, run, parked }: Parked): GovernorState {
  try {
    createGovernor({ state: JSON.parse(parked.state) });
    return JSON.parse(parked.state);
  } catch (error) {
    throw cannotBeDone(
      `${id} cannot go on: another version of turn-limit parked it, or its record is damaged (${phrase(messageOf(error))}). ` +
        `Its session in ${run.agent} is ${parked.session}. npx turn-limit parked forget ${id} removes it here.`,
    );
  }
}
