import type { Stop } from "../../core/governor/decision.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import {
  BUDGET_UNKNOWN,
  NO_MORE,
  reachedText,
  STOPPED_HERE,
  startsOverInText,
  startsOverText,
  unpricedText,
} from "../../core/words.ts";
import type { Warnings } from "../../run/warnings.ts";
import type { Cancellation } from "../forward/cancellation.ts";
import type { ParkedRun } from "./parking.ts";
import type { AnswerPrices } from "./prices.ts";
import type { CountedRequest, Refusal, Verdict } from "./verdict.ts";

/** How to go on, for the person who reads why a run ended. */
export interface HowToGoOn {
  /** How to allow more, in a sentence: one for all limits, or by limit. */
  howToRaise?: string | ((boundary: Boundary) => string | undefined) | undefined;
  /** What to do about a model whose price is not known, in a sentence: one for all, or by the name of the model. */
  howToPrice?: string | ((model: string | undefined) => string) | undefined;
}

/** Who reads why a request is refused: the person whose run it is, or clients of somebody else's gateway. */
export type Readers = "person" | "clients";

const OVER: Readonly<Record<Readers, string>> = { person: NO_MORE.requests, clients: NO_MORE.requestsOfPool };

/** How a run ends: which limit ended it, and what the agent is answered then. */
export class Ending {
  readonly #how: HowToGoOn;
  readonly #startsOver: (limit: string) => number | undefined;
  readonly #readers: Readers;
  readonly #prices: AnswerPrices;
  readonly #warnings: Warnings;
  /** The limit that ended the run, or some of its requests. */
  by: Boundary | undefined;
  /** How to go on with the run, if it is parked. */
  parked: ParkedRun | undefined;
  /** The limit of the question that nobody answered. */
  unanswered: string | undefined;
  #hasFinalAnswer = false;

  /** `startsOver`: when a limit starts over by itself, in milliseconds since 1970, if it does. */
  constructor(
    how: HowToGoOn,
    startsOver: (limit: string) => number | undefined,
    readers: Readers,
    prices: AnswerPrices,
    warnings: Warnings,
  ) {
    this.#how = how;
    this.#startsOver = startsOver;
    this.#readers = readers;
    this.#prices = prices;
    this.#warnings = warnings;
  }

  /** The warning about a model without a price whose requests are forwarded. */
  get unpricedWarning(): string {
    return sentences(unpricedText(this.#prices.unpricedModel), this.#howToPrice);
  }

  /** The run begins again. */
  startOver(): void {
    this.by = undefined;
    this.parked = undefined;
    this.unanswered = undefined;
    this.#hasFinalAnswer = false;
  }

  /** How requests are refused, once this limit has ended the run. */
  refusal(boundary: Boundary): Refusal {
    return { kind: "refuse", message: this.#words(boundary, OVER[this.#readers]), by: this.#shown(boundary) };
  }

  /** The request is refused. */
  refused(stop: Stop, gone: Cancellation): Verdict {
    // If the client disconnected meanwhile, nothing was refused.
    if (!gone.isCancelled) this.by ??= stop;
    return this.refusal(stop);
  }

  /**
   * The loop of the agent ends with one answer that says why. Everything later is refused. `isDone`: the agent has given its
   * own answer, so that the limit did not end the run.
   */
  finalAnswer(request: CountedRequest, stop: Stop, gone: Cancellation, isDone: boolean): Verdict {
    const { protocol, asked } = request;
    if (gone.isCancelled || this.#hasFinalAnswer || !protocol || !asked) return this.refused(stop, gone);
    this.#hasFinalAnswer = true;
    if (!isDone) this.by = stop;
    const where = STOPPED_HERE[this.#whatFollows(stop)];
    const answer = protocol.answer(this.#words(stop, where), asked);
    return { kind: "answer", answer, by: this.#shown(stop) };
  }

  #whatFollows({ outcome, limit }: Stop): keyof typeof STOPPED_HERE {
    if (outcome === "declined") return "declined";
    if (this.parked !== undefined) return this.parked.waits ? "waits" : "parked";
    return limit === this.unanswered ? "unanswered" : "stopped";
  }

  // Clients of somebody else's gateway get the words alone.
  #shown(boundary: Boundary): Boundary | undefined {
    return this.#readers === "person" ? boundary : undefined;
  }

  // What happened, what follows, and what a person can do about it.
  #words(boundary: Boundary, what: string): string {
    const { howToRaise } = this.#how;
    const raise = typeof howToRaise === "function" ? howToRaise(boundary) : howToRaise;
    const reached = reachedText(boundary, this.#prices.unpricedModel);
    // Clients can do nothing about a store, and are not told where it is. Who runs the gateway is.
    if (this.#readers === "clients" && boundary.identity.kind === "store") {
      this.#warnings.warn(sentences(reached, what));
      return BUDGET_UNKNOWN;
    }
    return sentences(
      reached,
      what,
      this.#when(boundary),
      this.parked?.howToGoOn ?? (boundary.unpriced ? this.#howToPrice : raise),
    );
  }

  #when({ limit, unpriced }: Boundary): string | undefined {
    const [until = 0, now] = [this.#startsOver(limit), Date.now()];
    // A price is not known tomorrow either.
    if (unpriced || until <= now) return undefined;
    return this.#readers === "person" ? startsOverText(until) : startsOverInText(until, now);
  }

  get #howToPrice(): string | undefined {
    const { howToPrice } = this.#how;
    return typeof howToPrice === "function" ? howToPrice(this.#prices.unpricedModel) : howToPrice;
  }
}

function sentences(...all: (string | undefined)[]): string {
  return all.filter(Boolean).join(" ");
}
