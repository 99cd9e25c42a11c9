import { isInvalidLimit } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply, TurnDecision } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run.ts";
import { OpenQuestion } from "./open-question.ts";
import type { AdapterOptions } from "./options.ts";
import type { RunInfo } from "./run-info.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";
import type { Warnings } from "./warnings.ts";

/** No reply, but room: somebody else allowed more. */
export const ROOM: unique symbol = Symbol("room");

/** The question that a person is being asked: one at a time, however many turns wait for it. */
export class Question {
  readonly #engine: TimedEngine;
  readonly #ask: AdapterOptions["ask"];
  readonly #shared: SharedPort;
  readonly #warnings: Warnings;
  #open: OpenQuestion | undefined;

  constructor(engine: TimedEngine, ask: AdapterOptions["ask"], shared: SharedPort, warnings: Warnings) {
    this.#engine = engine;
    this.#ask = ask;
    this.#shared = shared;
    this.#warnings = warnings;
  }

  /** The reply; {@link ROOM} if somebody else allowed more before it came; `undefined` if it was withdrawn. */
  async replyTo(
    ask: Ask,
    run: RunInfo,
    signal: AbortSignal | undefined,
  ): Promise<Reply | typeof ROOM | undefined> {
    if (this.#open?.id !== ask.id || this.#open.isWithdrawn) {
      this.withdraw();
      this.#open = new OpenQuestion(ask, run, this.#ask, this.#warnings);
    }
    const question = this.#open;
    // The person may already have raised the limit.
    this.withdrawIfClosed();
    if (!this.#shared.has(ask.limit)) return question.reply(signal);
    const settled = new AbortController();
    const room = this.#shared.untilRoom(ask, settled.signal);
    const reply = question.reply(signal);
    const first = await Promise.race([
      reply,
      room.then(async (isRoom): Promise<Reply | typeof ROOM | undefined> => (isRoom ? ROOM : await reply)),
    ]);
    settled.abort();
    if (first === ROOM) question.withdraw();
    return first;
  }

  /** Gives the governor the reply, and says what is decided. A bad reply is a no. */
  answer(reply: Reply | undefined, ask: Ask, as?: RequestKind): TurnDecision {
    try {
      return this.#engine.turns.answer(reply ?? false, ask, as);
    } catch (error) {
      if (!isInvalidLimit(error) || !error.setting.startsWith("reply")) throw error;
      this.#warnings.warn(`${error.message}. It is taken for a no.`);
      return this.#engine.turns.answer(false, ask, as);
    } finally {
      this.withdrawIfClosed();
    }
  }

  /** Is it the question that is open? */
  isOpen({ id }: Ask): boolean {
    return this.#engine.view.question?.id === id;
  }

  /** Withdraws it if the governor no longer waits for its reply. */
  withdrawIfClosed(): void {
    if (!this.#open || this.#engine.view.question?.id === this.#open.id) return;
    this.withdraw();
  }

  withdraw(): void {
    this.#open?.withdraw();
    this.#open = undefined;
  }
}
