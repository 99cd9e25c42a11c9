import { StepLimitExceeded } from "../../errors/StepLimitExceeded.ts";
import { createGovernor } from "../../governor/createGovernor.ts";
import type { Ask, Proceed, Reply, Stop, Synthesize, TurnDecision, WrapUp } from "../../governor/Decision.ts";
import type { Governor } from "../../governor/Governor.ts";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap, TurnEnd } from "../../governor/RequestStatus.ts";
import { requireReply } from "../../governor/requireReply.ts";
import type { Usage } from "../../governor/Usage.ts";
import { refusal } from "../../governor/wording.ts";
import type { StepCall } from "../../limits/RepeatTracker.ts";
import type { AdapterOptions } from "./AdapterOptions.ts";
import { systemClock } from "./Clock.ts";
import { untilAborted } from "./untilAborted.ts";
import { WorkUnderWay } from "./WorkUnderWay.ts";
import { warnOnce } from "./warnOnce.ts";

/** A decision that needs nobody any more. */
export type Admission = Proceed | WrapUp | Synthesize | Stop;

const UNPRICED =
  "The model has no price, so what the run costs is not known, and the cost limit cannot hold it. " +
  'Say what it costs with "price", or what to do about it with "cost.unpriced".';

const UNREPORTED =
  "The provider does not say what its answers take, so limits of tokens and of cost cannot hold the run.";

/** The runs of one adapter, with what the hosts have in common. */
export class GovernedRuns {
  readonly governor: Governor;
  readonly #options: AdapterOptions;
  readonly #clock;
  #work = new WorkUnderWay();
  #callOff: (() => void) | undefined;
  #outcome: Outcome | undefined;
  #asked: { limit: string; reply: Promise<Reply> } | undefined;
  #warned = false;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.governor = createGovernor({ ...options, canAsk: options.ask !== undefined });
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Aborted when the run must end in the middle of a request. To be put beside the caller's own signal. */
  get cutOff(): AbortSignal {
    return this.#work.signal;
  }

  /** A person's prompt. A run that was still open has ended somehow, unseen. */
  begin(): void {
    this.end(this.governor.state.request === "in-flight" ? "failed" : undefined);
    this.#outcome = undefined;
    this.#warned = false;
    this.#asked = undefined;
    this.#work = new WorkUnderWay();
    this.#sayTime();
    this.governor.prompt();
  }

  /** Whether the next turn may begin, after asking the person if it comes to that. */
  async admitTurn(signal?: AbortSignal): Promise<Admission> {
    this.#warnOfSilence();
    // A run that no prompt began.
    if (this.governor.status === "idle") this.#work = new WorkUnderWay();
    this.#sayTime();
    let decision: TurnDecision = this.governor.beforeTurn();
    while (decision.kind === "ask") {
      const reply = await this.#ask(decision, signal);
      // The question stays unanswered, so the run will have been aborted, not declined.
      if (signal?.aborted) return { ...decision, kind: "stop", outcome: "stopped" };
      this.#sayTime();
      decision = this.governor.answer(reply);
    }
    this.#watchTime();
    return decision;
  }

  /** Why a tool call must not run, for the model to read, or `undefined` if it may. */
  refusal(call?: StepCall): string | undefined {
    this.#sayTime();
    const decision = this.governor.beforeStep(call);
    return decision.kind === "proceed" ? undefined : decision.reason;
  }

  /** Runs a tool call that may run: its result, or why it was cut off, if the time is up before it comes. */
  async execute<Result>(call: StepCall, run: () => PromiseLike<Result> | Result): Promise<Result | string> {
    const stop = this.governor.stepExecuted();
    if (stop) return this.#overrun(stop);
    try {
      const result = await this.#work.bounded(run());
      this.stepEnded(call, result);
      return result;
    } catch (error) {
      // An error is a result too, for the model to read and for a repeat to be known by.
      this.stepEnded(call, String(error));
      throw error;
    }
  }

  /** A tool call has its result, where the host runs it by itself. */
  stepEnded({ id }: StepCall, result: unknown): void {
    this.#sayTime();
    this.governor.stepEnded({ id, result });
  }

  /** A request is really being sent. */
  requestSent(): void {
    const stop = this.governor.requestSent();
    if (stop) this.#overrun(stop);
  }

  turnEnded(end?: Mishap | TurnEnd): void {
    this.#sayTime();
    this.governor.turnEnded(typeof end === "object" ? this.#priced(end) : end);
    if (this.governor.unpriced) this.#warn(UNPRICED);
  }

  /** The run spent something beside its turns. */
  spend(activity: "compaction" | "nested", usage: Usage): void {
    this.governor.spend(activity, this.#priced({ usage }).usage ?? usage);
    if (this.governor.unpriced) this.#warn(UNPRICED);
  }

  /** Is a person being waited for, in another matter than a limit? */
  set waiting(waiting: boolean) {
    this.#sayTime();
    this.governor.waiting = waiting;
    if (!waiting) this.#watchTime();
  }

  /** The agent is idle again. Safe to call more than once. */
  end(mishap?: Mishap): Outcome | undefined {
    if (mishap) this.turnEnded(mishap);
    this.#callOff?.();
    this.#callOff = undefined;
    this.#sayTime();
    const outcome = this.governor.settled();
    if (!outcome) return this.#outcome;
    this.#outcome = outcome;
    this.#options.onOutcome?.(outcome);
    return outcome;
  }

  #sayTime(): void {
    this.governor.timeIs(this.#clock.now());
  }

  #watchTime(): void {
    const { timeLeft } = this.governor;
    if (timeLeft === undefined || this.#callOff) return;
    this.#callOff = this.#clock.after(timeLeft, () => {
      this.#callOff = undefined;
      this.#sayTime();
      void this.#timeIsUp();
    });
  }

  async #timeIsUp(): Promise<void> {
    const decision = this.governor.overdue(this.#work.canBeCut);
    if (!decision) return this.#watchTime();
    if (decision.kind === "synthesize") return this.#work.cut(decision.reason);
    if (decision.kind === "stop") return this.#work.cut(refusal(decision));
    const work = this.#work;
    const reply = await this.#ask(decision, undefined);
    // The turn has ended meanwhile, and the next one is held for this question, or the run is over.
    if (this.#work !== work || this.governor.status !== "running" || !this.governor.question) return;
    this.#sayTime();
    const { stop } = this.governor.answer(reply).kind === "stop" ? this.governor : { stop: null };
    if (stop) this.#work.cut(refusal(stop));
    else this.#watchTime();
  }

  #overrun(stop: Stop): string {
    const reason = `Not run: more was ${stop.limit === "steps" ? "executed" : "sent"} than the limits admit.`;
    this.#work.abort(reason);
    return reason;
  }

  #priced(end: TurnEnd): TurnEnd {
    const { usage } = end;
    if (!usage || usage.cost !== undefined) return end;
    const cost = this.#options.price?.(usage);
    return cost === undefined ? end : { ...end, usage: { ...usage, cost } };
  }

  // What a provider does not report cannot be limited, and must not go unnoticed.
  #warnOfSilence(): void {
    if (!this.governor.unreported) return;
    this.governor.priceUnknown();
    this.#warn(UNREPORTED);
  }

  #warn(message: string): void {
    if (this.#warned) return;
    this.#warned = true;
    (this.#options.onWarning ?? warnOnce)(message);
  }

  // A question about the same limit that is open already is not put twice.
  async #ask(ask: Ask, signal: AbortSignal | undefined): Promise<Reply> {
    if (this.#asked?.limit !== ask.limit) this.#asked = { limit: ask.limit, reply: this.#replyTo(ask) };
    const asked = this.#asked;
    const reply = signal ? await untilAborted(signal, asked.reply) : await asked.reply;
    if (this.#asked === asked) this.#asked = undefined;
    return typeof reply === "string" && signal?.aborted ? false : (reply as Reply);
  }

  async #replyTo(ask: Ask): Promise<Reply> {
    try {
      return requireReply(ask.limit, await this.#options.ask?.(ask));
    } catch {
      return false;
    }
  }
}

/** The error that a stop by a step limit which raises is due, for hosts in which a run can end with one. */
export function errorOf({ limit, max }: Stop): StepLimitExceeded | undefined {
  return limit === "steps" && typeof max === "number" ? new StepLimitExceeded(max) : undefined;
}
