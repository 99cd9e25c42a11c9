import type { Ask, CheckProgress, RefuseAndSynthesize, Stop, Synthesize } from "../core/governor/decision.ts";
import { cutOff } from "../core/words.ts";
import { type Question, ROOM } from "./question.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";
import type { CurrentWork } from "./work.ts";

/**
 * What the timer is set for.
 *
 * - `turns`: the time of the turn under way
 * - `nothing`: the agent takes no further turn by itself, and what the host does after that is not cut off
 * - `last turn`: the host has to get to the tools-free turn
 */
type Watched = "turns" | "nothing" | "last turn";

/** The time limit of a run in the middle of a turn: watches it, asks, and cuts off what is running. */
export class Deadline {
  readonly #engine: TimedEngine;
  readonly #question: Question;
  readonly #shared: SharedPort;
  readonly #current: CurrentWork;
  #watched: Watched = "turns";
  #cancel: (() => void) | undefined;
  /** What was due while nobody knew whether the run worked. */
  #late: (() => void) | undefined;

  constructor(engine: TimedEngine, question: Question, shared: SharedPort, current: CurrentWork) {
    this.#engine = engine;
    this.#question = question;
    this.#shared = shared;
    this.#current = current;
  }

  /** A turn wants to begin. */
  turnComes(): void {
    this.#watched = "turns";
  }

  /** The agent takes no further turn by itself, except for the tools-free one that it was cut off for. */
  rest(): void {
    if (this.#watched !== "last turn") this.#watched = "nothing";
    this.watch();
  }

  /** Sets the timer to what is left of the time. */
  watch(): void {
    if (this.#watched === "last turn") return;
    const { timeLeft } = this.#engine.facts;
    if (this.#watched === "nothing" || timeLeft === undefined) this.cancel();
    else this.#set(timeLeft, () => void this.#timeIsUp().catch((error) => this.#failed(error)));
  }

  /** How much time is left may have changed. Before the first request there is nothing to cut off. */
  timeMayHaveChanged(): void {
    const { status, request } = this.#engine.facts;
    if (status !== "running") return;
    if (request === "none") this.cancel();
    else this.watch();
  }

  /** Settles what was used of shared budgets, which may change it. `atWork`: unless the run has left meanwhile. */
  async settle(atWork = false): Promise<void> {
    await this.#shared.settle(atWork);
    this.timeMayHaveChanged();
  }

  /** The run works again, or has worked all the time: what was due meanwhile happens now. */
  resume(): void {
    const late = this.#late;
    this.#late = undefined;
    if (late) late();
    else this.watch();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = this.#late = undefined;
  }

  #set(ms: number, callback: () => void): void {
    this.cancel();
    this.#cancel = this.#engine.clock.after(ms, () => {
      if (this.#engine.isUndecided) this.#late = callback;
      else callback();
    });
  }

  async #timeIsUp(): Promise<void> {
    this.#engine.tellTime();
    const decision = this.#engine.turns.overdue(this.#current.work.canGoOn);
    if (!decision) return this.watch();
    if (decision.kind === "synthesize") this.#watchForLastTurn(Number(decision.max));
    if (decision.kind === "check-progress") return this.#check(decision);
    if (decision.kind === "ask") return this.#ask(decision);
    this.#current.work.cutOff(decision);
  }

  // Without progress the policy of the limit decides.
  async #check(check: CheckProgress): Promise<void> {
    const { work } = this.#current;
    await this.#question.check(check, work.info, undefined);
    if (!work.isOver) await this.#timeIsUp();
  }

  async #ask(ask: Ask): Promise<void> {
    const isShared = this.#shared.has(ask.limit);
    // It has to be settled that the time is up: else there would seem to be room.
    if (isShared) await this.settle();
    const reply = await this.#question.replyTo(ask, this.#current.work.info, undefined);
    if (!this.#isOpenInTurn(ask)) return;
    this.#engine.tellTime();
    if (reply === ROOM) return this.#allowedElsewhere(ask);
    if (isShared && reply !== undefined && this.#shared.isYes(ask.limit, reply)) {
      await this.#shared.allowNow(ask.limit, reply);
      if (!this.#isOpenInTurn(ask)) return;
    }
    const after = this.#question.answer(reply, ask);
    if (after.kind === "synthesize") this.#cutOffForAnswer(after);
    else if (after.kind === "stop") this.#current.work.cutOff(after);
    else this.watch();
  }

  // Somebody else allowed more. It may be used up again by now: then the question is asked again.
  async #allowedElsewhere(ask: Ask): Promise<void> {
    await this.settle();
    if (this.#isOpenInTurn(ask) && this.#engine.facts.timeLeft !== 0) this.#question.answer(true, ask);
    this.watch();
  }

  // Nobody replied in the middle of a turn, and the last answer is due.
  #cutOffForAnswer(due: Synthesize): void {
    const stop = this.#current.work.canGoOn ? undefined : this.#engine.turns.overdue(false);
    if (!stop) this.#watchForLastTurn(Number(due.max));
    const decision: Stop | RefuseAndSynthesize =
      stop?.kind === "stop" ? stop : { ...due, reason: cutOff(due) };
    this.#current.work.cutOff(decision);
  }

  // The host may have something else to do before the tools-free turn, and that may hang, too.
  #watchForLastTurn(ms: number): void {
    this.#watched = "last turn";
    this.#set(ms, () => {
      this.#engine.tellTime();
      const decision = this.#engine.turns.overdue(false);
      if (decision?.kind === "stop") this.#current.work.cutOff(decision);
    });
  }

  // Otherwise the question is no longer open, or a turn is held for it by now and will be decided by the reply.
  #isOpenInTurn(ask: Ask): boolean {
    return (
      !this.#current.work.isOver && this.#question.isOpen(ask) && this.#engine.facts.status === "running"
    );
  }

  // A limit that cannot be looked at must not be one that is off: the run ends.
  #failed(error: unknown): void {
    this.#current.work.abort(`The time limit could not be looked at: ${error}`);
    try {
      this.#current.warnings.warn(`The time limit could not be looked at, so the run was aborted: ${error}`);
    } catch {
      // There is nobody left to tell.
    }
  }
}
