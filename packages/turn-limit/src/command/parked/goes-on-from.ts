import { messageOf } from "../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../core/governor/decision.ts";
import { createGovernor } from "../../core/governor/governor.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import { phrase } from "../../core/words.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { type Parked, putBack, takeParked } from "../../pools/listing/parked-runs.ts";
import type { AskPerson } from "../../run/listing.ts";
import { cannotBeDone } from "../command-error.ts";
import { resumedElsewhere } from "./find-parked.ts";

/** A run that was parked, for the run that goes on from it. */
export class GoesOnFrom {
  readonly id: string;
  readonly state: GovernorState;
  readonly #store: Store;
  readonly #parked: Parked;
  readonly #reply: Reply | undefined;
  #isReplyUsed = false;
  #isTaken = false;
  /** Has the agent gone on? */
  isOver = false;

  /** `reply`: to its question. `undefined`: nobody replied, and its limit has started over by itself. */
  constructor(store: Store, parked: Parked, reply: Reply | undefined) {
    this.id = parked.id;
    // Before anything is taken: one of another version cannot go on here.
    this.state = stateOf(parked);
    this.#store = store;
    this.#parked = parked;
    this.#reply = reply;
  }

  /** Is there a reply to this question, which was not used yet? */
  hasReplyTo({ limit }: Ask): boolean {
    const { question: asked } = this.#parked;
    return this.#reply !== undefined && !this.#isReplyUsed && (!asked || asked.limit === limit);
  }

  /** Replies to the question with which it was parked, and asks the others by `ask`. */
  replyFirst(ask: AskPerson | undefined): AskPerson {
    return async (question: Ask, signal, run) => {
      if (this.hasReplyTo(question)) {
        this.#isReplyUsed = true;
        return this.#reply;
      }
      return ask ? ask(question, signal, run) : "unanswered";
    };
  }

  /** From now on it is this run's. Throws if somebody else goes on with it already. */
  async take(): Promise<void> {
    if (!(await takeParked(this.#store, this.#parked))) throw resumedElsewhere(this.id);
    this.#isTaken = true;
  }

  /** It was parked anew, or it is over; if the agent did not go on, it is parked as before. */
  async leave(tell: (message: string) => void): Promise<void> {
    if (!this.#isTaken || this.isOver) return;
    this.#isTaken = false;
    await putBack(this.#store, this.#parked, this.#reply);
    tell(`${this.id} could not go on, and is parked as before.`);
  }
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
