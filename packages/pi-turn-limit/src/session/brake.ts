import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, Outcome, Stop } from "turn-limit";
import type { Counters } from "../display/counters.ts";
import type { Announcer } from "./announcer.ts";
import type { PrintParking } from "./print-parking.ts";
import { type EndingRun, RunawayGuard } from "./runaway-guard.ts";

/** Stops the agent, says why, and makes sure that it really stops. */
export class Brake {
  /** Resolves when the run has been aborted, if it is being stopped. */
  stopping: Promise<void> | undefined;
  readonly #ctx: ExtensionContext;
  readonly #run: EndingRun;
  readonly #counters: Counters;
  readonly #announcer: Announcer;
  readonly #parking: PrintParking | undefined;
  readonly #runaway = new RunawayGuard();
  /** Did another extension's message begin the run, though the budget was used up? */
  #isRefused = false;

  constructor(
    ctx: ExtensionContext,
    run: EndingRun,
    counters: Counters,
    announcer: Announcer,
    parking: PrintParking | undefined,
  ) {
    this.#ctx = ctx;
    this.#run = run;
    this.#counters = counters;
    this.#announcer = announcer;
    this.#parking = parking;
  }

  /** A person prompted. */
  prompted(): void {
    this.#announcer.prompted();
    this.#runaway.prompted();
  }

  /** A turn comes; `exhausted`: though only a person's prompt can make the agent work again. */
  turnComes(exhausted: boolean): void {
    this.#isRefused ||= exhausted;
  }

  /** Ends the run. */
  stop(stop: Stop): Promise<void> {
    this.stopping = this.#stop(stop);
    return this.stopping;
  }

  async #stop(stop: Stop): Promise<void> {
    this.#counters.stop();
    if (this.#parking) {
      await this.#parking.ended(stop);
      this.#announcer.parked = this.#parking.parked;
    }
    if (stop.outcome !== "declined") this.#announcer.boundary(stop);
    this.#announcer.stopped(stop, this.#isRefused);
    await this.#runaway.slowDown();
    this.#halt(stop);
  }

  /** Cuts off what is under way, for the tools-free turn. */
  cutOff(decision: Boundary & { kind: "synthesize" }): void {
    this.#announcer.lastTurn(decision);
    this.#halt({ ...decision, kind: "stop", outcome: "stopped", raises: false });
  }

  /** The aborted work has ended. */
  cameToRest(): void {
    this.#runaway.cameToRest();
  }

  /** A run has ended, if there was one: because of this decision, if there was one. */
  ended(outcome: Outcome | undefined, stop: Stop | null): void {
    if (outcome) this.#runaway.ended(outcome, stop, this.#ctx);
    if (stop) this.#announcer.ended();
  }

  /** Tells other extensions how a run ended, and the person if a limit intervened. */
  publish(outcome: Outcome): void {
    if (outcome.turns === 0 && !outcome.intervened) return;
    // What a refused run did is nothing, and the person has been told why.
    this.#announcer.outcome(outcome, { isShown: outcome.intervened && !this.#isRefused });
  }

  /** The run is over. */
  reset(): void {
    this.#isRefused = false;
    this.stopping = undefined;
  }

  #halt(why: Stop): void {
    abort(this.#ctx);
    this.#runaway.aborted(this.#ctx, why, this.#run);
  }
}

/** Aborts what is under way. The context of a timer may belong to a session that has ended. */
export function abort(ctx: ExtensionContext): void {
  try {
    ctx.abort();
  } catch {
    // There is nothing left to abort.
  }
}
