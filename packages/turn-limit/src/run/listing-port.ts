import type { Ask, Reply } from "../core/governor/decision.ts";
import { gate } from "../core/governor/shared-budget.ts";
import type { GovernorView } from "../core/governor/view.ts";
import { type Boundary, type Extended, isOwn, type Max } from "../core/limits/boundary.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import type { Model } from "../core/meter/model.ts";
import type { Deadline } from "./deadline.ts";
import type { AskPerson, ListableRun, ListedPart, Listing } from "./listing.ts";
import type { Pricing } from "./pricing.ts";
import type { Question } from "./question.ts";
import type { RunInfo } from "./run-info.ts";
import type { Member } from "./shared-budgets.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/** What others do to the run is told to these. */
interface Told {
  readonly engine: TimedEngine;
  readonly question: Question;
  readonly deadline: Deadline;
  readonly shared: SharedPort;
  readonly pricing: Pricing;
  readonly warnings: Warnings;
  readonly notice: ((message: string) => void) | undefined;
}

const STOP = gate({ kind: "stop" }, { onExhausted: "stop", headless: "stop" });
const FREEZE = gate({ kind: "freeze" }, { onExhausted: "ask", headless: "stop" });

const STAYS_ALIVE = 60_000;

/** The run as its part in a listing knows it. A class, for the same reason as what its budgets know of it. */
class RunInListing implements ListableRun {
  readonly member: Member;
  readonly #told: Told;
  readonly #port: ListingPort;

  constructor(told: Told, port: ListingPort) {
    this.member = told.shared.member;
    this.#told = told;
    this.#port = port;
  }

  get view(): GovernorView {
    const { engine } = this.#told;
    engine.tellTime();
    return engine.view;
  }

  get model(): Model | undefined {
    return this.#told.pricing.model;
  }

  async extend(limit: string, by: Max): Promise<void> {
    const { shared } = this.#told;
    if (shared.has(limit)) await shared.allowNow(limit, by === "unlimited" ? by : { more: by });
    else this.#port.change((engine) => engine.extend(limit, by));
  }

  freeze(why: string): void {
    this.#port.freeze(why);
  }

  unfreeze(): void {
    this.#port.unfreeze();
  }

  stop(why: string): void {
    this.#port.stop(why);
  }

  notice(message: string): void {
    const { notice, warnings } = this.#told;
    if (notice) notice(message);
    else warnings.warn(message);
  }

  warn(message: string): void {
    this.#told.warnings.warn(message);
  }
}

/** How a run is seen, and what is done to it, from elsewhere. Without a listing, nothing of it is loaded. */
export class ListingPort {
  readonly #told: Told;
  /** The part has no hold on it: a run that nobody knows any more must not be kept by being listed. */
  readonly #run: ListableRun | undefined;
  readonly #part: ListedPart | undefined;
  /** Ends the hold of a run that nobody can be asked about. */
  #thaw: (() => void) | undefined;
  #frozen: Promise<void> | undefined;
  /** How many turns are held by that, and whether the run waited for a person before. */
  #held = 0;
  #waited = false;

  constructor(listing: Listing | undefined, told: Told) {
    this.#told = told;
    this.#run = listing && new RunInListing(told, this);
    this.#part = this.#run && listing?.open(this.#run);
  }

  /** What closes when the run is stopped or frozen. */
  static gatesOf(listing: Listing | undefined): SingleLimit[] {
    return listing ? [STOP, FREEZE] : [];
  }

  get gates(): SingleLimit[] {
    return this.#part ? [STOP, FREEZE] : [];
  }

  /** Work begins. A stop was for the work before. */
  begin(): void {
    if (!this.#part) return;
    this.#told.engine.setGate(STOP.name, undefined);
    this.#part.begin();
  }

  /** The work is over. */
  rest(): void {
    if (!this.#part) return;
    const isFrozen = this.#frozen !== undefined;
    const isListed = this.#part.rest();
    // The turns that wait are of the work that is over.
    this.#release();
    if (!isListed) this.#told.engine.setGate(FREEZE.name, undefined);
    else if (isFrozen) this.#hold();
  }

  close(goesOn: boolean): void {
    this.#release();
    this.#part?.close(goesOn);
  }

  done(): Promise<void> | undefined {
    return this.#part?.done();
  }

  /** Is it frozen, and nobody there who could be asked whether to go on? */
  get isHeld(): boolean {
    return this.#frozen !== undefined;
  }

  /** Waits until it is unfrozen. That time does not count. */
  async untilThawed(signal: AbortSignal | undefined): Promise<void> {
    const { engine } = this.#told;
    const frozen = this.#frozen;
    if (!frozen) return;
    if (this.#held === 0) this.#waited = engine.facts.waiting;
    this.#held += 1;
    engine.run.waiting = true;
    // Nothing else may keep the process alive meanwhile.
    const alive = setInterval(() => {}, STAYS_ALIVE);
    await (signal ? untilAborted(signal, frozen, () => undefined) : frozen);
    clearInterval(alive);
    engine.tellTime();
    this.#held -= 1;
    if (this.#held === 0) engine.run.waiting = this.#waited;
  }

  /** Asks where the run works, and where it is listed. */
  async ask(question: Ask, signal: AbortSignal, run: RunInfo, put: AskPerson): Promise<Reply | undefined> {
    const part = this.#part;
    if (!part) return put(question, signal, run);
    const reply = await part.ask(question, signal, run, put);
    const isYes = reply !== undefined && reply !== false && reply !== "unanswered";
    if (isYes && isOwn(question.identity, "freeze")) {
      this.unfreeze();
      part.thaw();
    }
    return reply;
  }

  /** A limit was extended without a question. Nothing waits until that is kept. */
  extended({ limit, identity, max }: Boundary, { times, what }: Extended): void {
    this.#part?.extended({ limit, identity, by: max, times, ...(what !== undefined && { what }) });
  }

  /** The next turn is held until it is unfrozen. */
  freeze(why: string): void {
    const { engine } = this.#told;
    if (engine.facts.settings.canAsk) this.change(() => engine.setGate(FREEZE.name, why));
    else this.#hold();
  }

  unfreeze(): void {
    this.#release();
    this.change((engine) => engine.setGate(FREEZE.name, undefined));
  }

  /** It ends before its next turn. */
  stop(why: string): void {
    this.change((engine) => engine.setGate(STOP.name, why));
    this.#thaw?.();
  }

  #hold(): void {
    this.#frozen ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  #release(): void {
    this.#thaw?.();
    this.#thaw = this.#frozen = undefined;
  }

  /** Changes what decides about the run. The question and the timer may have to change, too. */
  change(change: (engine: TimedEngine) => void): void {
    const { engine, question, deadline } = this.#told;
    engine.tellTime();
    change(engine);
    question.withdrawIfClosed();
    deadline.timeMayHaveChanged();
  }
}
