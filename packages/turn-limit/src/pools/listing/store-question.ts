import { messageOf } from "../../core/errors/message-of.ts";
import { type Ask, type Reply, requireReply } from "../../core/governor/decision.ts";
import { questionOf } from "../../core/limits/boundary.ts";
import { isWholeKind } from "../../core/limits/kinds.ts";
import type { ListableRun } from "../../run/listing.ts";
import { pause } from "../../run/pause.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { of } from "../ledger/amounts.ts";
import type { PoolState } from "../ledger/pool-state.ts";
import type { Heard, Publisher } from "./publisher.ts";
import { answeredText, tooLateText } from "./words.ts";

/** How often to check for an answer, in milliseconds. */
const LOOK_EVERY = 100;
/** The same after a look that failed. */
const LOOK_AFTER_FAILURE = 1_000;

/** A reply, and where it was given. */
interface Given {
  readonly reply: Reply;
  readonly where?: string | undefined;
}

/** One question of a run, asked where it works and in the store at the same time. The store says which reply was the first. */
export class StoreQuestion {
  readonly #id = crypto.randomUUID();
  readonly #publisher: Publisher;
  readonly #run: ListableRun;
  readonly #where: () => string | undefined;
  readonly #asked: Ask;
  readonly #closing = new AbortController();
  /** May it be in the store? What failed may have been done. */
  #mayBeThere = false;

  constructor(publisher: Publisher, run: ListableRun, where: () => string | undefined, asked: Ask) {
    this.#publisher = publisher;
    this.#run = run;
    this.#where = where;
    this.#asked = asked;
  }

  /** The first reply. `put`: asks where the run works; `hear`: what others want besides. */
  async reply(
    signal: AbortSignal,
    put: (withdrawn: AbortSignal) => Reply | undefined | Promise<Reply | undefined>,
    hear: (heard: Heard) => Promise<void>,
  ): Promise<Reply | undefined> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const opened = this.#open();
    const own = (async () => put(either))().then((reply) => ({ reply, isOwn: true as const }));
    const elsewhere = this.#untilAnswered(opened, either, hear);
    try {
      const first = await untilAborted(signal, Promise.race([own, elsewhere]), () => undefined);
      // It decides nothing any more.
      if (!first || signal.aborted) return undefined;
      if ("isOwn" in first) {
        await opened;
        return await this.#settle(first.reply);
      }
      const answered = answeredText(first.where, first.reply, this.#asked);
      this.#run.notice(answered);
      // Whoever is asked reads who was first.
      this.#closing.abort(answered);
      return first.reply;
    } finally {
      this.#closing.abort();
      own.catch(() => undefined);
      void opened.then(() => this.#withdraw());
    }
  }

  // A store that cannot be used holds no question.
  async #open(): Promise<void> {
    try {
      await this.#publisher.publish(this.#run, true);
      this.#mayBeThere = true;
      this.#mayBeThere = await this.#put();
    } catch {
      // It is put again when the store can be used.
    }
  }

  async #put(): Promise<boolean> {
    const name = this.#publisher.nameOf(this.#run);
    const question = { ...questionOf(this.#asked), id: this.#id, member: this.#run.member.id, name };
    return (await this.#publisher.change({ kind: "ask", question })).made;
  }

  // Resolves only with a reply from elsewhere.
  #untilAnswered(
    opened: Promise<void>,
    signal: AbortSignal,
    hear: (heard: Heard) => Promise<void>,
  ): Promise<Given> {
    return new Promise((resolve) => {
      const look = async () => {
        await opened;
        while (!signal.aborted) {
          const looked = await this.#publisher.look().then(
            (heard) => ({ heard }),
            () => undefined,
          );
          const heard = looked?.heard;
          const given = heard && this.#given(heard.state);
          if (given) return resolve(given);
          if (heard) await hear(heard);
          // The store has lost it, or could not be used before.
          const isMissing = looked && !of(heard?.state.questions ?? {}, this.#id);
          if (isMissing && !signal.aborted) {
            await this.#open();
            // Meanwhile it was withdrawn.
            if (signal.aborted) await this.#withdraw();
          }
          await pause(looked ? LOOK_EVERY : LOOK_AFTER_FAILURE, signal);
        }
      };
      void look();
    });
  }

  // The reply that was given here counts, unless another one was there before.
  async #settle(reply: Reply | undefined): Promise<Reply | undefined> {
    if (!this.#mayBeThere) return reply;
    const isPersons = reply !== undefined && reply !== "unanswered";
    const where = this.#where();
    const person = where !== undefined && { person: { where, to: this.#publisher.nameOf(this.#run) } };
    const answer = { kind: "answer", question: this.#id, reply: reply ?? "unanswered" } as const;
    const { made, state } = await this.#publisher
      .change({ ...answer, ...(isPersons && person) })
      .catch(() => ({ made: true, state: undefined }));
    const first = made ? undefined : state && this.#given(state);
    if (!first) return reply;
    const text = (isPersons ? tooLateText : answeredText)(first.where, first.reply, this.#asked);
    this.#run.notice(text);
    this.#closing.abort(text);
    return first.reply;
  }

  #given({ questions }: PoolState): Given | undefined {
    const { reply, replied } = of(questions, this.#id) ?? {};
    return reply === undefined ? undefined : { reply: this.#known(reply), where: replied?.where };
  }

  // What a store says is no reply by that: it is said as what it is taken for.
  #known(reply: Reply): Reply {
    try {
      return requireReply(reply, isWholeKind(this.#asked.identity));
    } catch (error) {
      this.#run.warn(`${messageOf(error)}. It is taken for a no.`);
      return false;
    }
  }

  async #withdraw(): Promise<void> {
    if (!this.#mayBeThere) return;
    await this.#publisher.change({ kind: "withdraw", question: this.#id }).catch(() => undefined);
  }
}
