import { messageOf } from "../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../core/governor/decision.ts";
import type { ExtensionRound } from "../../core/governor/run-state.ts";
import type { AskPerson, ListableRun, ListedPart } from "../../run/listing.ts";
import type { RunInfo } from "../../run/run-info.ts";
import { runRecord } from "../ledger/listed-run.ts";
import type { Store } from "../ledger/store.ts";
import type { CheckedListing } from "./list-in.ts";
import { Orders } from "./orders.ts";
import { type Heard, Publisher } from "./publisher.ts";
import { StoreQuestion } from "./store-question.ts";

/** How many beats pass between two looks at what others did, while nothing is under way. */
const IDLE_BEATS = 5;
/** How long to leave a store alone that failed, in milliseconds. */
const AFTER_FAILURE = 20_000;
/** How long to wait at most until a run is taken off the list, in milliseconds. */
const UNLISTED_WITHIN = 2_000;

/**
 * One run in a store: says where it stands, and hears what others want of it, about once a second and by no turn. A store that
 * fails holds nothing: the run is not listed then.
 */
export class RunInStore implements ListedPart {
  readonly #run: WeakRef<ListableRun>;
  readonly #options: CheckedListing;
  readonly #publisher: Publisher;
  /** Those in the record of the run. Another record, of the same run at its next prompt, has none. */
  #orders: Orders;
  #phase: "new" | "working" | "idle" | "closed" = "new";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #beats = 0;
  #leaving: Promise<void> | undefined;

  constructor(open: () => Promise<Store>, run: ListableRun, options: CheckedListing) {
    this.#run = new WeakRef(run);
    this.#options = options;
    this.#publisher = new Publisher(open, runRecord(options.id ?? run.member.id), options);
    this.#orders = new Orders(this.#publisher, options.id !== undefined);
  }

  begin(): void {
    if (this.#phase === "closed") return;
    this.#phase = "working";
    this.#publisher.workBegins();
    this.#schedule();
  }

  rest(): boolean {
    const { betweenRuns } = this.#options;
    if (this.#phase !== "working") return betweenRuns;
    this.#phase = "idle";
    if (!betweenRuns) this.#leave();
    return betweenRuns;
  }

  close(goesOn: boolean): void {
    this.#phase = "closed";
    if (goesOn) clearTimeout(this.#timer);
    else this.#leave();
  }

  done(): Promise<void> | undefined {
    return this.#leaving;
  }

  thaw(): void {
    const run = this.#run.deref();
    this.#orders.thawed();
    const where = this.#where;
    const person = where !== undefined && { person: { where, to: run ? this.#publisher.nameOf(run) : "" } };
    void this.#publisher.change({ kind: "unfreeze", ...person }).catch(() => undefined);
  }

  extended(round: ExtensionRound): void {
    const run = this.#run.deref();
    // A store that fails holds nothing.
    if (run) void this.#publisher.extended(run, round).catch(() => undefined);
  }

  async ask(question: Ask, signal: AbortSignal, info: RunInfo, put: AskPerson): Promise<Reply | undefined> {
    const run = this.#run.deref();
    if (!run) return put(question, signal, info);
    const orders = this.#orders;
    const asked = new StoreQuestion(this.#publisher, run, () => this.#where, question);
    return asked.reply(
      signal,
      (withdrawn) => put(question, withdrawn, info),
      (heard) => this.#hear(run, heard, orders),
    );
  }

  get #where(): string | undefined {
    const { where } = this.#options;
    return typeof where === "function" ? where() : where;
  }

  // It must not keep the process alive.
  #schedule(after = this.#options.every): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#beat(), after);
    this.#timer.unref?.();
  }

  async #beat(): Promise<void> {
    const run = this.#run.deref();
    const orders = this.#orders;
    let next: number | undefined;
    if (run && this.#isListed) {
      this.#beats += 1;
      try {
        const isDue = this.#phase === "working" || this.#beats % IDLE_BEATS === 0;
        await this.#hear(run, await this.#publisher.publish(run, isDue), orders);
      } catch (error) {
        if (this.#isListed) run.warn(`This run cannot be seen from elsewhere: ${messageOf(error)}`);
        next = AFTER_FAILURE;
      }
    }
    this.#timer = undefined;
    if (run && this.#isListed) this.#schedule(next);
  }

  get #isListed(): boolean {
    return this.#phase === "working" || (this.#phase === "idle" && this.#options.betweenRuns);
  }

  async #hear(run: ListableRun, heard: Heard | undefined, orders: Orders): Promise<void> {
    // What was heard of a record that is gone is for work that is over.
    if (!heard || orders !== this.#orders) return;
    const isWorking = this.#phase === "working";
    await orders.carryOut(run, heard, isWorking);
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#orders = new Orders(this.#publisher, false);
    const isGone = this.#publisher.remove()?.catch(() => undefined);
    if (isGone) this.#leaving = Promise.race([isGone, soon()]);
  }
}

function soon(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, UNLISTED_WITHIN).unref?.();
  });
}
