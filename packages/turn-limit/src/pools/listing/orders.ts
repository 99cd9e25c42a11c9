import { messageOf } from "../../core/errors/message-of.ts";
import type { Max } from "../../core/limits/boundary.ts";
import type { ListableRun } from "../../run/listing.ts";
import { of } from "../ledger/amounts.ts";
import type { Grant } from "../ledger/grants.ts";
import type { Order, PoolState } from "../ledger/pool-state.ts";
import type { Maxima } from "../ledger/store.ts";
import { maxFromUnits } from "../units.ts";
import type { Heard, Publisher } from "./publisher.ts";
import { extendedText, frozenText, stoppedText, unfrozenText } from "./words.ts";

/** The record of the run, as far as it is needed. */
type OwnRecord = Pick<Publisher, "change" | "grants">;

/** What others want of a run, and what of it is done: each of it is done once. */
export class Orders {
  readonly #record: OwnRecord;
  /** The freeze that is known, and the one in spite of which a person goes on. */
  #frozen: Order | undefined;
  #thawed: number | undefined;
  /** When a freeze was last lifted. */
  #unfrozenAt: number | undefined;
  #stoppedAt: number | undefined;
  /** All that is allowed in addition by the record. What the run was given by one that was lost, it keeps. */
  #extra: Maxima = {};
  #extensionsHeard = 0;
  #heard = 0;
  /** Does the run go on from another one, which has done what was wanted by then? */
  #goesOn: boolean;

  constructor(record: OwnRecord, goesOn: boolean) {
    this.#record = record;
    this.#goesOn = goesOn;
  }

  /** A person lets the run go on in spite of the freeze. */
  thawed(): void {
    this.#thawed = this.#frozen?.at;
    this.#frozen = undefined;
  }

  /** Does what is new. `isWorking`: a stop is for the work under way. */
  async carryOut(run: ListableRun, { state, asked }: Heard, isWorking: boolean): Promise<void> {
    // Several may have looked at once.
    if (asked < this.#heard) return;
    this.#heard = asked;
    if (this.#goesOn) {
      this.#goesOn = false;
      this.#extra = { ...state.extra };
      this.#stoppedAt = state.stopped?.at;
    }
    if (this.#isFreezeLost(state)) await this.#freezeAgain();
    else this.#freeze(run, state);
    this.#stop(run, state, isWorking);
    await this.#extend(run, state.extra);
  }

  #isFreezeLost({ frozen, unfrozen }: PoolState): boolean {
    return !!this.#frozen && !frozen && (unfrozen === undefined || unfrozen === this.#unfrozenAt);
  }

  // It lasts until it is lifted.
  async #freezeAgain(): Promise<void> {
    const { why = "", where } = this.#frozen ?? {};
    const freeze = { kind: "freeze", why, ...(where !== undefined && { where }) } as const;
    const changed = await this.#record.change(freeze).catch(() => undefined);
    const again = changed?.state.frozen;
    if (this.#frozen) this.#frozen = again ?? this.#frozen;
    else this.#thawed = again?.at;
  }

  #freeze(run: ListableRun, { frozen, unfrozen }: PoolState): void {
    this.#unfrozenAt = unfrozen;
    if (frozen?.at === this.#frozen?.at || (frozen && frozen.at === this.#thawed)) return;
    this.#frozen = frozen;
    run.notice(frozen ? frozenText(frozen) : unfrozenText());
    if (frozen) run.freeze(frozenText(frozen));
    else run.unfreeze();
  }

  #stop(run: ListableRun, { stopped }: PoolState, isWorking: boolean): void {
    if (!stopped || stopped.at === this.#stoppedAt) return;
    this.#stoppedAt = stopped.at;
    if (!isWorking) return;
    run.notice(stoppedText(stopped));
    run.stop(stoppedText(stopped));
  }

  async #extend(run: ListableRun, extra: Maxima): Promise<void> {
    const before = this.#extra;
    const more = Object.entries(extra).flatMap(([measure, now]) => {
      const by = increase(of(before, measure) ?? 0, now);
      return by === 0 ? [] : [{ measure, by }];
    });
    this.#extra = extra;
    if (more.length === 0) return;
    for (const { measure, by } of more)
      await run
        .extend(measure, maxFromUnits(measure, by))
        .catch((error) => run.warn(`Nothing more could be allowed: ${messageOf(error)}`));
    const known = (await this.#record.grants().catch((): Grant[] => [])).filter(
      ({ did }) => did === "extend",
    );
    const heard = known.slice(this.#extensionsHeard);
    this.#extensionsHeard = known.length;
    for (const { measure, by } of more) {
      const where = heard.findLast((grant) => grant.measure === measure)?.where;
      run.notice(extendedText(where, measure, maxFromUnits(measure, by)));
    }
  }
}

function increase(before: Max, now: Max): Max {
  if (before === "unlimited") return 0;
  return now === "unlimited" ? now : Math.max(0, now - before);
}
