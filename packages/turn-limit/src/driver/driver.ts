import { isPlainObject } from "../checks.ts";
import { isInvalidLimit } from "../errors/invalid-limit.ts";
import type { LimitExceeded } from "../errors/limit-exceeded.ts";
import {
  type Ask,
  limitError,
  notBegun,
  type Proceed,
  type RefuseAndSynthesize,
  type Reply,
  type Stop,
  type Synthesize,
  type TurnDecision,
  type WrapUp,
} from "../governor/decision.ts";
import { Governor, type TurnStart } from "../governor/governor.ts";
import type { Outcome } from "../governor/outcome.ts";
import type { GovernorOptions } from "../governor/parts.ts";
import type { Failure, TurnEnd } from "../governor/run.ts";
import type { GovernorSettings } from "../governor/settings.ts";
import type { GovernorState } from "../governor/state.ts";
import { cutOff, notRunAnymore } from "../governor/wording.ts";
import { type Boundary, isReached } from "../limits/boundary.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import type { Model } from "../meter/model.ts";
import { requirePrice, requireUsage, type Usage } from "../meter/usage.ts";
import { type AdapterOptions, requireAdapterOptions } from "./adapter-options.ts";
import { type Clock, systemClock } from "./clock.ts";
import { OpenQuestion } from "./open-question.ts";
import { type RunInfo, runInfo } from "./run-info.ts";
import { type Executed, Work } from "./work.ts";

/** A decision for which no reply is needed any more. */
export type Admission = Proceed | WrapUp | Synthesize | Stop;

/** What a host does in its own way. */
export interface DriverHost {
  /**
   * Cuts off what is running: the run must end, or go on with the tools-free turn. Default: tool calls that
   * {@link Driver.execute} runs get the reason as their result; if there are none, {@link Driver.signal} is aborted.
   */
  cutOff?: (decision: Stop | RefuseAndSynthesize) => void;
  /**
   * Can the run go on with the tools-free turn after the cut-off? Default: only if it was tool calls that were cut off.
   */
  canGoOn?: () => boolean;
  /** Continue from an earlier governor's state. */
  state?: GovernorState | undefined;
}

/** Runs a tool call, with the signal that is aborted when it is cut off, if it may be. */
type RunCall<Result> = (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result;

const UNPRICED =
  "The model has no price, so what the run costs is not known, and the cost limit cannot hold it. " +
  'Say what it costs with "price", or what to do about it with "cost.unpriced".';

const UNREPORTED =
  "Nothing was reported of what the answers take, so limits of tokens and of cost cannot hold the run.";

/**
 * What every host needs around a governor: the clock and its timer, the question and the turns that wait for it,
 * cutting off what hangs, prices and warnings. An adapter translates the hooks of its host into these calls.
 *
 * @example
 * const driver = new Driver({ turns: 25, ask });
 * driver.begin(); // a person's prompt
 * const admission = await driver.admitTurn(signal); // before each request
 * driver.turnEnded({ usage }); // after it
 * const outcome = driver.end(); // the agent is idle again
 */
export class Driver {
  /** What decides: its view has the facts about the run. Changes made to it directly reach the driver, too. */
  readonly governor: Governor;
  readonly #options: Pick<AdapterOptions, "ask" | "onOutcome" | "price" | "onWarning">;
  readonly #host: DriverHost;
  readonly #clock: Clock;
  #work = new Work();
  #cutOffBy: Boundary | undefined;
  // Cancels the timer that is set.
  #timer: (() => void) | undefined;
  #question: OpenQuestion | undefined;
  #outcome: Outcome | undefined;
  #run: RunInfo | undefined;
  readonly #warned = new Set<string>();
  #rests = false;
  #awaitsLastTurn = false;
  #closed = false;

  /** A driver with these limits, for a host that does some things in its own way. Throws `InvalidLimit` for bad options. */
  constructor(options: AdapterOptions, host: DriverHost = {}) {
    const given = requireAdapterOptions(options);
    const { ask, onOutcome, price, onWarning, clock = systemClock, ...settings } = given;
    this.#options = { ask, onOutcome, price, onWarning };
    this.#host = host;
    this.#clock = clock;
    this.governor = new DrivenGovernor(
      { ...settings, canAsk: ask !== undefined, ...(host.state !== undefined && { state: host.state }) },
      (change) => {
        this.#tellTime();
        change();
        this.#withdrawClosed();
        const { status, request } = this.governor.view;
        if (status !== "running") return;
        // Before the first request there is nothing to cut off.
        if (request === "none") this.#cancelTimer();
        else this.watchTime();
      },
    );
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Which run is under way, or was last. */
  get run(): RunInfo {
    this.#run ??= runInfo();
    return this.#run;
  }

  /** Aborted when the run must end in the middle of a request. To be put beside the caller's own signal. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Can the run be cut off in the middle of a turn, as things stand? Without a time limit it is not. */
  get mayCutOff(): boolean {
    return this.governor.view.timeLeft !== undefined;
  }

  /** The error that the host's call must reject with, if a limit that raises is ending the run. Else `undefined`. */
  get raisedError(): LimitExceeded | undefined {
    const { stop } = this.governor.view;
    return stop ? limitError(stop) : undefined;
  }

  /** Changes the limits, also for work that is under way: the whole value, as in the options. */
  configure(settings: Omit<GovernorSettings, "canAsk">): void {
    this.governor.configure(settings);
  }

  /** A person's prompt: a new run. One that is still open is ended first. */
  begin(run?: Partial<RunInfo>): void {
    this.end(this.governor.view.request === "in-flight" ? "failed" : undefined);
    this.#newRun(run && runInfo(run));
    this.governor.prompt();
  }

  /**
   * Whether the next turn may begin, after asking the person if necessary. Several turns may wait for one reply: each is
   * decided afterwards, one by one. `signal` ends the wait.
   */
  admitTurn(signal?: AbortSignal, turn: TurnStart = {}): Promise<Admission> {
    return this.#admit(signal, turn, () => undefined);
  }

  /**
   * The same for a turn of a sub-agent, which works within a tool call on the budget of the same run. Where a person is
   * asked, it waits for the reply as any turn does. Where the run ends without a question, or has ended, the sub-agent
   * has to stop, and no more: the tools-free turn, or the limit's error, is left to the agent that was prompted.
   *
   * @example
   * const admission = await (isSubAgent ? driver.admitSubAgentTurn(signal) : driver.admitTurn(signal));
   */
  admitSubAgentTurn(signal?: AbortSignal, turn: TurnStart = {}): Promise<Admission> {
    return this.#admit(signal, turn, () => this.#endOfRun());
  }

  /** Why a tool call must not run, for the model to read, or `undefined` if it may. */
  refusal(call?: StepCall): string | undefined {
    this.#tellTime();
    const decision = this.governor.beforeStep(call);
    return decision.kind === "proceed" ? undefined : decision.reason;
  }

  /**
   * Runs a tool call that may run: its result, or why it was cut off, if the time is up before it has one. If there is a
   * time limit, `run` is given a signal, which is aborted then for the same reason.
   */
  async execute<Result>(call: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    const stop = this.#cutOffBy ? undefined : this.governor.stepExecuted();
    if (stop) return { kind: "cut-off", reason: this.#overrun(stop) };
    return this.executeAgain(call, run);
  }

  /** The same for a call that is made again, because it waited for a person or is retried: it is still the same step. */
  async executeAgain<Result>(call: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    // Admitted before the time was up, and too late to begin.
    if (this.#cutOffBy) return { kind: "cut-off", reason: notRunAnymore(this.#cutOffBy) };
    const cut = this.mayCutOff ? new AbortController() : undefined;
    try {
      const executed = await this.#work.call(run(cut?.signal));
      if (executed.kind === "cut-off") cut?.abort(new Error(executed.reason));
      this.stepEnded(call, executed.kind === "result" ? executed.result : executed.reason);
      return executed;
    } catch (error) {
      // An error is a result too: the model reads it, and repeats are recognised by it.
      this.stepEnded(call, String(error));
      throw error;
    }
  }

  /** A tool call has its result, where the host runs it by itself. */
  stepEnded({ id }: StepCall, result: unknown): void {
    this.#tellTime();
    this.governor.stepEnded({ id, result });
  }

  /** A request is really being sent: one more than was admitted ends the run at once. */
  requestSent(): void {
    const stop = this.governor.requestSent();
    if (stop) this.#overrun(stop);
  }

  /**
   * The turn in flight ended: answered, or with a failure. `usage` is what it took, if the host knows, and `model` what
   * answered.
   */
  turnEnded(end?: Failure | TurnEnd, model?: Model): void {
    this.#tellTime();
    const usage = typeof end === "object" && end?.usage ? this.#priced(end.usage, model) : undefined;
    this.governor.turnEnded(usage ? { ...(end as TurnEnd), usage } : end);
    if (this.governor.view.unpriced) this.warn(UNPRICED);
  }

  /** The run spent something besides its turns. */
  spend(activity: "compaction" | "nested", usage: Usage, model?: Model): void {
    this.#tellTime();
    this.governor.spend(activity, this.#priced(usage, model));
    if (this.governor.view.unpriced) this.warn(UNPRICED);
  }

  /** Does the run wait for a person for another reason than a limit? That time does not count. */
  waiting(waiting: boolean): void {
    this.#tellTime();
    this.governor.waiting(waiting);
    if (!waiting) this.watchTime();
  }

  /** Tells what a person should know, once in a run. */
  warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    (this.#options.onWarning ?? warnOnce)(message);
  }

  /** The agent is idle again. `"stopped"`: by a limit of the host's own. Safe to call more than once. */
  end(early?: Failure | "stopped"): Outcome | undefined {
    if (early && early !== "stopped") this.turnEnded(early);
    this.#cancelTimer();
    this.#tellTime();
    const outcome = this.governor.settled(early === "stopped");
    this.#withdrawClosed();
    if (!outcome) return this.#outcome;
    this.#outcome = outcome;
    this.#tell(outcome);
    return outcome;
  }

  /** The driver is no longer used; another one may continue from the governor's state. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#question?.withdraw();
  }

  /** The agent takes no further turn by itself: what the host does after that is not cut off. */
  rest(): void {
    this.#rests = true;
    this.watchTime();
  }

  /** Sets the timer to what is left of a time limit. Only needed after a saved state was restored. */
  watchTime(): void {
    if (this.#awaitsLastTurn) return;
    const { timeLeft } = this.governor.view;
    if (this.#rests || timeLeft === undefined) this.#cancelTimer();
    else this.#setTimer(timeLeft, () => void this.#timeIsUp().catch((error) => this.#fail(error)));
  }

  // `mustStop`: where the turn must not begin, if that does not end the run.
  async #admit(
    signal: AbortSignal | undefined,
    turn: TurnStart,
    mustStop: () => Boundary | undefined,
  ): Promise<Admission> {
    this.#tellTime();
    const end = mustStop();
    if (end) return notBegun(end);
    const priced = this.#isPriced(turn);
    this.#rests = this.#awaitsLastTurn = false;
    // A run that was not started by a prompt.
    if (this.governor.view.status === "idle") this.#newRun();
    let decision: TurnDecision = this.governor.beforeTurn({ priced });
    while (decision.kind === "ask") {
      const reply = await this.#replyTo(decision, signal);
      // The question stays unanswered, so the run will have been aborted, not declined.
      if (signal?.aborted || this.#closed) return notBegun(decision);
      this.#tellTime();
      const isOpen = this.governor.view.question?.id === decision.id;
      const end = isOpen ? undefined : mustStop();
      if (end) return notBegun(end);
      decision = this.#answer(reply, decision);
    }
    this.watchTime();
    return decision;
  }

  // Where the run ends, or has ended, other than by a decision that every turn gets.
  #endOfRun(): Boundary | undefined {
    const { stop, exhausted, synthesizing, standings } = this.governor.view;
    if (stop || !(exhausted || synthesizing || this.#outcome)) return undefined;
    return standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
  }

  #setTimer(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#timer = this.#clock.after(ms, callback);
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #newRun(run?: RunInfo): void {
    this.#run = run;
    this.#outcome = undefined;
    this.#warned.clear();
    this.#rests = this.#awaitsLastTurn = false;
    this.#work = new Work();
    this.#cutOffBy = undefined;
  }

  #tellTime(): void {
    this.governor.timeIs(this.#clock.now());
  }

  async #timeIsUp(): Promise<void> {
    this.#tellTime();
    const decision = this.governor.overdue(this.#host.canGoOn?.() ?? this.#work.hasCalls);
    if (!decision) return this.watchTime();
    if (decision.kind === "synthesize") this.#watchForLastTurn(Number(decision.max));
    if (decision.kind !== "ask") return this.#cutOff(decision);
    const reply = await this.#replyTo(decision, undefined);
    // The question is no longer open, or a turn is held for it by now and will be decided by the reply.
    if (
      this.#closed ||
      this.governor.view.question?.id !== decision.id ||
      this.governor.view.status !== "running"
    )
      return;
    this.#tellTime();
    const after = this.#answer(reply, decision);
    if (after.kind === "stop") this.#cutOff(after);
    else this.watchTime();
  }

  // The host may have something else to do before the tools-free turn, and that may hang, too.
  #watchForLastTurn(ms: number): void {
    this.#awaitsLastTurn = true;
    this.#setTimer(ms, () => {
      this.#tellTime();
      const decision = this.governor.overdue(false);
      if (decision?.kind === "stop") this.#cutOff(decision);
    });
  }

  #cutOff(decision: Stop | RefuseAndSynthesize): void {
    this.#cutOffBy = decision;
    if (this.#host.cutOff) this.#host.cutOff(decision);
    else this.#work.cutOff(decision.kind === "stop" ? cutOff(decision) : decision.reason);
  }

  #overrun(stop: Stop): string {
    const reason = `Not run: more was ${stop.limit === "steps" ? "executed" : "sent"} than the limits admit.`;
    if (!this.#host.cutOff) this.#work.abort(reason);
    this.#cutOff(stop);
    return reason;
  }

  // The run has ended, and what it found must not be lost to an error in whoever is told.
  #tell(outcome: Outcome): void {
    try {
      this.#options.onOutcome?.(outcome, this.run);
    } catch (error) {
      this.warn(`onOutcome threw: ${error}`);
    }
  }

  // A limit that cannot be looked at must not be one that is off: the run ends.
  #fail(error: unknown): void {
    this.#work.abort(`The time limit could not be looked at: ${error}`);
    try {
      this.warn(`The time limit could not be looked at, so the run was aborted: ${error}`);
    } catch {
      // There is nobody left to tell.
    }
  }

  #priced(given: Usage, model: Model | undefined): Usage {
    const usage = requireUsage(given, "usage");
    const cost = usage.cost ?? this.#options.price?.(usage, model);
    return cost === undefined ? usage : { ...usage, cost: requirePrice(cost, "price") };
  }

  // What a provider does not report cannot be limited, and must not go unnoticed.
  #isPriced({ priced = true }: TurnStart): boolean {
    if (!this.governor.view.unreported) return priced;
    this.warn(UNREPORTED);
    return false;
  }

  // One question at a time: all turns wait for the same one.
  #replyTo(ask: Ask, signal: AbortSignal | undefined): Promise<Reply | undefined> {
    if (this.#question?.id !== ask.id || this.#question.isWithdrawn) {
      this.#question?.withdraw();
      this.#question = new OpenQuestion(ask, this.run, this.#options.ask);
    }
    const question = this.#question;
    // The person may already have raised the limit.
    this.#withdrawClosed();
    return question.reply(signal);
  }

  // A bad reply is a no.
  #answer(reply: Reply | undefined, ask: Ask): TurnDecision {
    try {
      return this.governor.answer(reply ?? false, ask);
    } catch (error) {
      if (!isInvalidLimit(error) || !error.setting.startsWith("reply")) throw error;
      this.warn(`${error.message}. It is taken for a no.`);
      return this.governor.answer(false, ask);
    } finally {
      this.#withdrawClosed();
    }
  }

  #withdrawClosed(): void {
    if (!this.#question || this.governor.view.question?.id === this.#question.id) return;
    this.#question.withdraw();
    this.#question = undefined;
  }
}

/**
 * A governor that lets its driver make changes, because the question and the timer may have to change too. `canAsk`
 * stays as it is, unless the settings name it.
 */
class DrivenGovernor extends Governor {
  readonly #make: (change: () => void) => void;
  readonly #canAsk: boolean | undefined;

  constructor(options: GovernorOptions, make: (change: () => void) => void) {
    super(options);
    this.#make = make;
    this.#canAsk = options.canAsk;
  }

  override configure(settings: GovernorSettings): void {
    // Anything else is refused by the governor.
    const complete = isPlainObject(settings)
      ? { ...settings, canAsk: settings.canAsk ?? this.#canAsk }
      : settings;
    this.#make(() => super.configure(complete));
  }

  override prompt(): void {
    this.#make(() => super.prompt());
  }

  override reset(): void {
    this.#make(() => super.reset());
  }
}

const warnings = new Set<string>();

/** Writes to the console, each message once. */
function warnOnce(message: string): void {
  if (warnings.has(message)) return;
  warnings.add(message);
  console.warn(`turn-limit: ${message}`);
}
