import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import type { Observed } from "../core/governor/shared-budget.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import type { Reading } from "../core/meter/meter.ts";
import type { OwnMember } from "./run-info.ts";
import type {
  BudgetSource,
  DrawingRun,
  Member,
  Reservation,
  SharedBudgets,
  WindowUse,
} from "./shared-budgets.ts";
import type { TimedEngine } from "./timed-engine.ts";
import type { Warnings } from "./warnings.ts";

/** The budgets of the options, which may be one, several or none. Throws `InvalidLimit`. */
export function requireSources(given: unknown, name: string): BudgetSource[] {
  const sources: BudgetSource[] = given === undefined ? [] : Array.isArray(given) ? [...given] : [given];
  for (const source of sources)
    if (typeof source?.join !== "function")
      throw new InvalidLimit(name, source, "a pool made by createPool, or a list of them");
  const ids = sources.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new InvalidLimit(name, twice, "pools with ids of their own");
  return sources;
}

/**
 * What its budgets know of a run. A class: an object with an accessor of its own has a shape of its own, which keeps what the
 * accessor refers to from being collected with the rest of a short run.
 */
class RunInBudgets implements DrawingRun {
  readonly #member: OwnMember;
  readonly #engine: TimedEngine;
  readonly #warnings: Warnings;

  constructor(member: OwnMember, engine: TimedEngine, warnings: Warnings) {
    this.#member = member;
    this.#engine = engine;
    this.#warnings = warnings;
  }

  get member(): Member {
    return this.#member.known;
  }

  get reading(): Reading {
    return this.#engine.reading;
  }

  observe(limit: string, observed: Observed, since: Reading): void {
    this.#engine.observe(limit, observed, since);
  }

  warn(message: string): void {
    this.#warnings.warn(message);
  }
}

/** Where a run is connected to budgets that others draw from too. Without one, nothing of them is loaded. */
export class SharedPort {
  readonly #run: DrawingRun;
  readonly #engine: TimedEngine;
  #sources: readonly BudgetSource[];
  #budgets: SharedBudgets | undefined;

  constructor(sources: readonly BudgetSource[], engine: TimedEngine, member: OwnMember, warnings: Warnings) {
    this.#engine = engine;
    this.#run = new RunInBudgets(member, engine, warnings);
    this.#sources = sources;
    this.#connect();
  }

  /** Who the run is in them. */
  get member(): Member {
    return this.#run.member;
  }

  /** Does the run draw from any? */
  get isUsed(): boolean {
    return this.#sources.length > 0;
  }

  get sources(): readonly BudgetSource[] {
    return this.#sources;
  }

  /** The run's part in them, if it ever drew from any. */
  get budgets(): SharedBudgets | undefined {
    return this.#budgets;
  }

  /** Is it one of their limits? */
  has(limit: string): boolean {
    return this.#budgets?.has(limit) ?? false;
  }

  /** Draws from these from now on. */
  change(sources: readonly BudgetSource[]): void {
    this.#sources = sources;
    if (this.#budgets) this.#budgets.change(sources);
    else this.#connect();
  }

  /** Runs one piece of work after the other, if the run draws from any. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#budgets ? this.#budgets.inTurn(work) : work();
  }

  /**
   * Reserves what a request needs, unless another limit holds it anyway. `isConfirmed`: a person said yes to it, so only
   * the end of the run does. `undefined`: nothing was reserved.
   */
  async reserveTurn(kind: RequestKind, isConfirmed: boolean): Promise<Reservation | undefined> {
    const isHeld = isConfirmed ? this.#engine.run.isEnding : this.#engine.isHeld(kind);
    if (!isHeld) return this.#budgets?.reserveTurn(kind);
    // Who waits for a person holds nothing.
    if (this.#budgets?.takesPart) await this.#budgets.settle();
    return undefined;
  }

  /** The reservation of a turn that begins; without one it counts all the same. */
  async begun(reserved: Reservation | undefined): Promise<Reservation | undefined> {
    const used = reserved ?? (await this.#budgets?.forceTurn(this.#engine.run.state.activity));
    used?.begin();
    return used;
  }

  /** Gives back what was granted for something that does not begin after all. */
  release(reserved: Reservation | undefined): void {
    if (reserved) void this.inTurn(() => reserved.release());
  }

  /** An answer told of the windows of subscriptions: the next turn is decided by that. */
  read(windows: readonly WindowUse[]): void {
    const budgets = this.#budgets;
    if (budgets) void budgets.inTurn(() => budgets.read(windows));
  }

  /** Does the reply allow something? A bad one does not. */
  isYes(limit: string, reply: Reply | undefined): boolean {
    try {
      const said = this.#budgets?.checkedReply(limit, reply);
      return said !== undefined && said !== false && said !== "unanswered";
    } catch {
      return false;
    }
  }

  /** A person allows more of one of their limits. */
  async allow(limit: string, reply: Reply): Promise<void> {
    await this.#budgets?.allow(limit, reply);
  }

  /** The same in its turn, and settles. */
  async allowNow(limit: string, reply: Reply): Promise<void> {
    await this.inTurn(async () => {
      await this.allow(limit, reply);
      await this.#budgets?.settle();
    });
  }

  /**
   * Settles what was used. Without it, that is done together with the next reservation. `atWork`: unless the run has left
   * meanwhile.
   */
  async settle(atWork = false): Promise<void> {
    const budgets = this.#budgets;
    await budgets?.inTurn(async () => {
      if (atWork && !budgets.takesPart) return;
      this.#engine.tellTime();
      await budgets.settle();
    });
  }

  /** Resolves to `true` once there is room again of the limit that is asked about. */
  async untilRoom({ limit, midTurn }: Ask, signal: AbortSignal): Promise<boolean> {
    // In the middle of a turn it is not settled yet what is used up, so there would seem to be room.
    if (midTurn) await this.settle();
    return this.#budgets?.untilRoom(limit, signal) ?? false;
  }

  /** Another member has settled what the run counts as its own by this. */
  settledByAnother(spend: () => void): void {
    const before = this.#engine.reading;
    spend();
    this.#budgets?.settledByAnother(before, this.#engine.reading);
  }

  /** The limits that these budgets hold a run to. */
  static limitsOf(sources: readonly BudgetSource[]): SingleLimit[] {
    return sources.flatMap(({ sharedLimits }) => sharedLimits);
  }

  #connect(): void {
    this.#budgets = this.#sources[0]?.join(this.#sources, this.#run);
  }
}
