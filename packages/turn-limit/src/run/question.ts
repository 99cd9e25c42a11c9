import { isInvalidLimit } from "../core/errors/invalid-limit.ts";
import type { Ask, CheckProgress, Reply, TurnDecision, Verdict } from "../core/governor/decision.ts";
import type { TurnStart } from "../core/governor/run-state.ts";
import { type Boundary, boundaryAlone, type Extended } from "../core/limits/boundary.ts";
import type { Observation } from "./observer.ts";
import { type Held, OpenQuestion, type Put } from "./open-question.ts";
import type { AdapterOptions } from "./options.ts";
import type { Progress } from "./progress.ts";
import type { RunInfo } from "./run-info.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";
import type { Warnings } from "./warnings.ts";

/** No reply, but room: somebody else allowed more. */
export const ROOM: unique symbol = Symbol("room");

/** The question that a person is being asked, or the host: one at a time, however many turns wait for it. */
export class Question {
  readonly #engine: TimedEngine;
  readonly #ask: AdapterOptions["ask"];
  readonly #progress: Progress;
  readonly #shared: SharedPort;
  readonly #warnings: Warnings;
  readonly #observation: Observation | undefined;
  readonly #mayWait: (ask: Ask) => boolean;
  readonly #onExtended: (round: Boundary, extended: Extended) => void;
  #open: OpenQuestion | undefined;

  /**
   * `mayWait`: can the host hold a turn until the limit of this question starts over? `onExtended`: a limit was extended, and
   * stands so.
   */
  constructor(
    engine: TimedEngine,
    ask: AdapterOptions["ask"],
    progress: Progress,
    shared: SharedPort,
    warnings: Warnings,
    observation: Observation | undefined,
    mayWait: (ask: Ask) => boolean = () => true,
    onExtended: (round: Boundary, extended: Extended) => void = () => {},
  ) {
    this.#engine = engine;
    this.#ask = ask;
    this.#progress = progress;
    this.#shared = shared;
    this.#warnings = warnings;
    this.#observation = observation;
    this.#mayWait = mayWait;
    this.#onExtended = onExtended;
  }

  /** The reply; {@link ROOM} if somebody else allowed more before it came; `undefined` if it was withdrawn. */
  async replyTo(
    ask: Ask,
    run: RunInfo,
    signal: AbortSignal | undefined,
  ): Promise<Reply | typeof ROOM | undefined> {
    if (ask.waits && !this.#mayWait(ask)) return "unanswered";
    const question = this.#opened(ask, run);
    const reply = question.reply(signal) as Promise<Reply | undefined>;
    if (!this.#shared.has(ask.limit)) return reply;
    const settled = new AbortController();
    const room = this.#shared.untilRoom(ask, settled.signal);
    const first = await Promise.race([
      reply,
      room.then(async (isRoom): Promise<Reply | typeof ROOM | undefined> => (isRoom ? ROOM : await reply)),
    ]);
    settled.abort();
    if (first === ROOM) question.withdraw();
    return first;
  }

  /** Finds out whether the run got somewhere, and tells the governor: the turns that wait for it are decided anew. */
  async check(check: CheckProgress, run: RunInfo, signal: AbortSignal | undefined): Promise<void> {
    const verdict = (await this.#opened(check, run).reply(signal)) as Verdict | undefined;
    if (verdict === undefined || signal?.aborted) return;
    this.#engine.tellTime();
    if (this.#engine.turns.judge(verdict, check)) {
      const what = typeof verdict === "object" ? verdict.progress : undefined;
      this.#observation?.tell("extended", boundaryAlone(check), what, run);
      const round = this.#engine.facts.standings.find(({ limit }) => limit === check.limit);
      if (round?.extended) this.#onExtended(round, round.extended);
    }
    this.withdrawIfClosed();
  }

  #opened(held: Held, run: RunInfo): OpenQuestion {
    if (this.#open?.id !== held.id || this.#open.isWithdrawn) {
      this.withdraw();
      if (held.kind === "ask") this.#observation?.tell("asked", { ...held }, run);
      const put: Put = (held, signal, run): ReturnType<Put> =>
        held.kind === "ask" ? this.#ask?.(held, signal, run) : this.#progress.verdict(held, signal, run);
      this.#open = new OpenQuestion(held, run, put, this.#warnings);
    }
    const question = this.#open;
    // The person may already have raised the limit.
    this.withdrawIfClosed();
    return question;
  }

  /** Gives the governor the reply, and says what is decided. A bad reply is a no. */
  answer(reply: Reply | undefined, ask: Ask, turn?: Pick<TurnStart, "as" | "hears">): TurnDecision {
    try {
      return this.#engine.turns.answer(reply ?? false, ask, turn);
    } catch (error) {
      if (!isInvalidLimit(error) || !error.setting.startsWith("reply")) throw error;
      this.#warnings.warn(`${error.message}. It is taken for a no.`);
      return this.#engine.turns.answer(false, ask, turn);
    } finally {
      this.withdrawIfClosed();
    }
  }

  /** Is it the question that is open? */
  isOpen({ id }: Ask): boolean {
    return this.#engine.run.state.question?.id === id;
  }

  /** Withdraws it if the governor no longer waits for its reply. */
  withdrawIfClosed(): void {
    if (!this.#open || this.#engine.run.state.question?.id === this.#open.id) return;
    this.withdraw();
  }

  withdraw(): void {
    this.#open?.withdraw();
    this.#open = undefined;
  }
}
