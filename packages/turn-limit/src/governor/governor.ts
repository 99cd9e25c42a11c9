import { type Check, check, count, flag, isPlainObject, optional, requireFields, text } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import type { StepCall } from "../limits/call-row.ts";
import { type Boundary, isReached } from "../limits/max.ts";
import { type Action, endsRun, type Policy } from "../limits/policy.ts";
import { hasRoom, softLimit } from "../limits/wrap-up.ts";
import type { Activity } from "../meter/counting.ts";
import { Difference, Meter, type Reading, savedReading, usageBetween } from "../meter/meter.ts";
import { requireUsage, type Usage } from "../meter/usage.ts";
import { Audit } from "./audit.ts";
import type { Budget } from "./budget.ts";
import { Budgets, type Reached } from "./budgets.ts";
import {
  type Ask,
  type OverdueDecision,
  PROCEED,
  type Proceed,
  type Refuse,
  type RefuseAndSynthesize,
  type Reply,
  requireReply,
  type StepDecision,
  type Stop,
  type Synthesize,
  type TurnDecision,
} from "./decision.ts";
import { type Outcome, outcomeKind } from "./outcome.ts";
import { type Failure, Run, requireFailure, type TurnEnd } from "./run.ts";
import { type CompleteSettings, type GovernorSettings, limitsOf, requireSettings } from "./settings.ts";
import { type GovernorState, requireSealed, sealed } from "./state.ts";
import type { GovernorView } from "./view.ts";
import { cutOff, notRun, notRunAnymore, sameAgain } from "./wording.ts";
import { WrapUpSwitch } from "./wrap-up-switch.ts";

/** What a governor is made of. */
export type GovernorOptions = GovernorSettings & {
  /** Continue from an earlier governor's `state`. Its limits and counters win over the options. */
  readonly state?: GovernorState | undefined;
};

/** What the host knows about a turn that is about to begin. */
export interface TurnStart {
  /** Does the model have a price? Not needed where usage is reported without a cost. */
  priced?: boolean | undefined;
}

const optionalText = optional(text, undefined);
const optionalFlag = optional(flag, undefined);
const requireNow: Check<number> = check(
  (value) => typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  "a number of milliseconds",
);

/**
 * Holds a run to its limits: events in, decisions out. Made by `createGovernor`. Deterministic: the same events give
 * the same decisions. It has no clock and never calls the host.
 */
export class Governor {
  #settings: CompleteSettings;
  readonly #meter: Meter;
  // The readings at the last prompt, and when the run began.
  #prompted: Reading;
  #opened: Reading;
  readonly #budgets: Budgets;
  readonly #run: Run;
  readonly #wrapUp: WrapUpSwitch;
  readonly #audit: Audit;
  #declined: boolean;
  #questions: number;
  #earlierQuestions: number;
  /** The facts about the run, to read. */
  readonly view: GovernorView;

  constructor(options: GovernorOptions) {
    if (!isPlainObject(options)) throw new InvalidLimit("settings", options, "an object with limits");
    const { state: saved, ...given } = options;
    const state = saved === undefined ? undefined : requireSealed(saved);
    const settings = requireSettings(given);
    this.#settings = state ? restored(settings, state) : settings;
    this.#meter = new Meter(state?.meter);
    const now = this.#meter.read();
    const readings = state?.readings.map(savedReading) ?? [];
    this.#prompted = readings[state?.promptedAt ?? 0] ?? now;
    this.#opened = readings[state?.openedAt ?? 0] ?? now;
    this.#budgets = new Budgets(this.#meter, limitsOf(this.#settings), state?.budgets, readings);
    this.#run = new Run(state?.run);
    this.#wrapUp = new WrapUpSwitch(state?.wrapUp);
    this.#audit = new Audit(state?.audit);
    this.#declined = state?.declined ?? false;
    this.#questions = state?.questions ?? 0;
    this.#earlierQuestions = state?.earlierQuestions ?? 0;
    this.view = this.#createView();
    // Saved during a question, and nobody is there any more to answer it.
    if (!this.#settings.canAsk) this.#run.release();
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    const readings = [this.#prompted];
    const placeOf = (reading: Reading) => {
      const known = readings.indexOf(reading);
      return known < 0 ? readings.push(reading) - 1 : known;
    };
    const { limits: _, synthesisMessage: __, canAsk: ___, ...settings } = this.#settings;
    return sealed({
      settings,
      meter: this.#meter.toState(),
      readings,
      promptedAt: 0,
      openedAt: placeOf(this.#opened),
      budgets: this.#budgets.toState(placeOf),
      run: this.#run.state,
      wrapUp: this.#wrapUp.state,
      audit: this.#audit.toState(),
      declined: this.#declined,
      questions: this.#questions,
      earlierQuestions: this.#earlierQuestions,
    });
  }

  /**
   * Changes the settings: the whole value, as `createGovernor` takes it. Only differences have an effect. Counters keep
   * their values; a limit that is new, or was unlimited, starts over. A changed maximum ends what a person granted for
   * it, and any changed limit takes back an earlier no.
   */
  configure(settings: GovernorSettings): void {
    const complete = requireSettings(settings);
    const { changed, restarted } = this.#budgets.change(limitsOf(complete));
    const couldAsk = this.#settings.canAsk;
    this.#settings = complete;
    this.#restarted(restarted);
    if (restarted.includes("turns")) this.#wrapUp.restart();
    if (changed) this.#declined = false;
    if (changed || couldAsk !== complete.canAsk) this.#reconsider();
  }

  /** A person's prompt: a new run, and the only everyday event that starts the budgets over. */
  prompt(): void {
    this.#open();
    this.#startOver(this.#opened);
  }

  /** Starts the counters over, without a prompt. */
  reset(): void {
    this.#startOver();
  }

  /**
   * A turn is about to begin. A run that was not started by a person's prompt continues with what is left of the
   * budgets.
   */
  beforeTurn(turn?: TurnStart): TurnDecision {
    if (turn !== undefined) requireFields(turn, "beforeTurn", ["priced"]);
    optionalFlag(turn?.priced, "beforeTurn.priced");
    this.#requireTime();
    if (turn?.priced === false) this.#meter.priceUnknown();
    if (this.#run.state.status === "idle") this.#open();
    const { stop, synthesis } = this.#run.state;
    if (stop) return { ...stop };
    if (synthesis) return this.#lastTurn(synthesis);
    const reached = this.#beforeNext;
    if (reached) return this.#atBoundary(reached);
    // Of a limit of one's own less may be used by now than when it was asked about.
    this.#run.release();
    return this.#begin();
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no. With several
   * turns held for one question, give each the reply together with its `ask`: the first is decided by the reply, the
   * others again. A reply to a question that is no longer open decides nothing: a turn of this run that is still held
   * is decided again, and one of an earlier run must not begin.
   */
  answer(reply: Reply, ask?: Ask): TurnDecision {
    const { status, question } = this.#run.state;
    if (ask !== undefined) requireAsk(ask);
    if (!question || (ask && ask.id !== question.id)) return this.#lateReply(ask);
    const budget = this.#budgets.get(question.budget);
    const said = requireReply(reply, isCounted(budget));
    if (said === false) return this.#end(question, "declined");
    const newTurnIsHeld = status === "asking" && !this.#run.repeatsRequest;
    // A reply to a question asked in the middle of a turn is not about the turn that is held by now: that one is
    // decided again.
    const begins = status === "asking" && !ask?.midTurn;
    if (said === "wrap-up") this.#wrapUp.insist();
    if (said === "wrap-up" && begins) return this.#beginWrapUp();
    this.#run.release();
    this.#wrapUp.restart();
    this.#restarted(this.#budgets.restartUsedUp(newTurnIsHeld));
    if (said === "unlimited") budget?.grant(said);
    if (typeof said === "object") budget?.grant(said.more);
    return begins ? this.#begin(true) : PROCEED;
  }

  /** A tool call is about to begin, or one nested in it. Ask in the order in which the model made the calls. */
  beforeStep(call: StepCall = {}): StepDecision {
    requireCall(call);
    if (call.tool === undefined && this.#budgets.need("calls"))
      throw new Error("Limits of single tools and of repeats need the call: beforeStep({ id, tool, args }).");
    this.#requireTime();
    if (this.#run.state.status === "idle") this.#open();
    const decision = this.#decideStep(call);
    this.#meter.call(decision.kind === "proceed" ? "call" : "refusal", call.tool);
    return decision;
  }

  /** A tool call has its result, by which repeats are recognised. */
  stepEnded({ id, result }: { id?: string | undefined; result: unknown }): void {
    this.#budgets.repeats?.callEnded(id, result);
  }

  /** The turn in flight ended: answered, or with a failure. `usage` is what it took, if the host knows. */
  turnEnded(end: Failure | TurnEnd = {}): void {
    if (typeof end === "string") end = { failure: requireFailure(end, "turnEnded") };
    requireFields(end, "turnEnded", ["failure", "usage"]);
    const { failure, usage } = end;
    if (failure !== undefined) requireFailure(failure, "turnEnded.failure");
    if (usage !== undefined) requireUsage(usage, "turnEnded.usage");
    const { status, activity, request } = this.#run.state;
    if (usage && status !== "idle") this.#meter.answer(activity, usage);
    const isAnswered = this.#run.turnEnded(failure);
    // An answer to a turn that began before the counter was reset belongs to no round.
    if (isAnswered && this.#turnsCompleted < this.#turnsUsed) this.#meter.completed();
    if (request === "in-flight" && this.#run.repeatsRequest) this.#budgets.repeats?.turnDiscarded();
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    if (!this.#run.turnDiscarded()) return;
    if (this.#turnsCompleted > 0) this.#meter.discarded();
    this.#budgets.repeats?.turnDiscarded();
  }

  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void {
    if (activity !== "compaction" && activity !== "nested")
      throw new InvalidLimit("activity", activity, '"compaction" or "nested"');
    requireUsage(usage, "usage");
    if (this.#run.state.status !== "idle") this.#meter.answer(activity, usage);
  }

  /**
   * Tells the time, in milliseconds. With a time limit, call it before every other event: the governor has no clock.
   */
  timeIs(now: number): void {
    const { status, activity } = this.#run.state;
    const current = status === "idle" ? undefined : this.#run.waitsForPerson ? "waiting" : activity;
    this.#meter.timeIs(requireNow(now, "time"), current);
  }

  /** Does the run wait for a person, for example to approve a tool call? That time does not count. */
  waiting(waiting: boolean): void {
    this.#run.waiting = flag(waiting, "waiting");
  }

  /**
   * Checks whether the time is up in the middle of a turn. `undefined`: it is not, or a person is being asked already.
   * `canGoOn` is false for a host that cannot cut off what is running and go on after it, or that does not get to the
   * tools-free turn: then there will be none.
   */
  overdue(canGoOn = true): OverdueDecision | undefined {
    const { synthesis } = this.#run.state;
    if (!canGoOn && synthesis && this.#run.isLastTurnDueByTime) return this.#run.end(synthesis, "stopped");
    const budget = this.#budgets.get("time");
    if (!budget || this.#timeLeft !== 0) return undefined;
    const [boundary] = budget.standings as [Boundary];
    const action = this.#action(budget.limit);
    if (synthesis?.begun === false && canGoOn) return this.#refuse("synthesize", synthesis, cutOff);
    if (action === "ask" && !synthesis) return this.#ask({ budget, boundary, action }, true);
    const mayAnswer = action === "synthesize" && canGoOn && !synthesis && this.#hasEvidence;
    if (!mayAnswer) return this.#end(boundary, action, !synthesis);
    this.#run.synthesize(boundary, false);
    return this.#refuse("synthesize", boundary, cutOff);
  }

  /** A model request is really being sent. A stop: it is one too many, and the run must end at once. */
  requestSent(): Stop | undefined {
    return this.#check("requests", "turns");
  }

  /** A tool call is really being executed. A stop: it is one too many, and the run must end at once. */
  stepExecuted(): Stop | undefined {
    return this.#check("calls", "steps");
  }

  /**
   * The agent is going to take another turn: what the model has to be told first, if anything. For hosts that deliver
   * messages before they ask {@link beforeTurn}; what is not taken here comes as its `wrap-up` decision.
   */
  takeWrapUp(): string | undefined {
    const { status, synthesis } = this.#run.state;
    const goesOn = status === "running" && !synthesis;
    return goesOn && !this.#beforeNext ? this.#takeWrapUp() : undefined;
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    const { status, synthesis } = this.#run.state;
    if (status === "idle" || status === "ending" || synthesis) return false;
    this.#wrapUp.request();
    return true;
  }

  /** The agent is idle again: why, and what the run took. `undefined` if no run was under way. */
  settled(): Outcome | undefined {
    const { outcome } = this.view;
    if (outcome) this.#run.close();
    return outcome;
  }

  #startOver(now = this.#meter.read()): void {
    this.#prompted = now;
    this.#budgets.restart(this.#prompted);
    this.#wrapUp.restart();
    this.#restarted(["turns", "steps"]);
    this.#declined = false;
    this.#run.release();
  }

  #open(): void {
    // Work that is under way when a prompt comes stays admitted.
    if (this.#run.state.status === "idle") this.#audit.newRun();
    this.#opened = this.#meter.read();
    this.#run.open();
    this.#earlierQuestions = this.#questions;
    this.#wrapUp.newRun();
  }

  // Throws if there is a time limit and the time was never told.
  #requireTime(): void {
    if (!this.#meter.knowsTime && this.#budgets.need("time"))
      throw new Error("A time limit needs the time: call timeIs(Date.now()) before each other event.");
  }

  readonly #action = ({ onExhausted, headless }: Policy): Action => {
    if (onExhausted !== "ask") return onExhausted;
    if (!this.#settings.canAsk) return headless;
    // A no stands until a person prompts or changes a limit: a program that goes on does not bring the question back.
    return this.#declined ? "decline" : "ask";
  };

  #reached(activity: Activity): Reached | undefined {
    return this.#budgets.beforeTurn(activity, this.#action, this.#isUnpriced);
  }

  // What stands before the next request, which may be the last one once more.
  get #beforeNext(): Reached | undefined {
    return this.#reached(this.#run.repeatsRequest ? "retry" : "turn");
  }

  get #isUnpriced(): boolean {
    return this.#meter.current.unpriced > this.#prompted.unpriced;
  }

  // A run that took no turn has nothing to answer from.
  get #hasEvidence(): boolean {
    return this.#meter.current.turns > this.#opened.turns;
  }

  #atBoundary(reached: Reached): TurnDecision {
    const { boundary, action } = reached;
    if (action === "ask") return this.#ask(reached, false);
    if (action === "synthesize" && this.#hasEvidence) return this.#beginLast(boundary);
    return this.#end(boundary, action);
  }

  #ask({ budget, boundary }: Reached, midTurn: boolean): Ask {
    const open = this.#run.state.question;
    const isOpen = open?.budget === budget.name;
    if (!isOpen) this.#questions += 1;
    return this.#run.ask(
      { ...boundary, id: isOpen ? open.id : this.#questions, budget: budget.name },
      midTurn,
    );
  }

  #lateReply(ask: Ask | undefined): TurnDecision {
    const { status, held, stop } = this.#run.state;
    const isOfThisRun = status !== "idle" && (ask ? ask.id > this.#earlierQuestions : held);
    if (isOfThisRun && !ask?.midTurn) return this.beforeTurn();
    if (stop) return { ...stop };
    if (isOfThisRun) return PROCEED;
    const [{ limit, used, max }] = this.#budgets.turns.standings as [Boundary];
    return { kind: "stop", limit, used, max, outcome: "stopped", raises: false };
  }

  #begin(isConfirmed = false): TurnDecision {
    if (this.#run.repeatsRequest) return this.#beginAgain();
    const message = this.#takeWrapUp();
    // A yes lets the held turn begin, even if the limit is 0.
    const { max } = this.#budgets.turns;
    if (isConfirmed && isReached(this.#turnsUsed, max)) this.#audit.exempted("requests");
    else this.#audit.admitted("requests", max);
    this.#send("turn");
    return message === undefined ? PROCEED : { kind: "wrap-up", message };
  }

  // The person wants the held turn to be one in which the model wraps up.
  #beginWrapUp(): TurnDecision {
    // Made before anything changes: if that throws, the question stays open.
    const message = this.#takeWrapUp() ?? "";
    this.#run.release();
    const time = this.#budgets.get("time");
    if (time?.isUsedUp) time.restart(this.#meter.read());
    this.#audit.exempted("requests");
    this.#send(this.#run.repeatsRequest ? "retry" : "turn");
    return { kind: "wrap-up", message };
  }

  // The last request is made again.
  #beginAgain(): Proceed | Synthesize {
    this.#audit.exempted("requests");
    this.#send("retry");
    const { synthesis } = this.#run.state;
    return synthesis ? this.#synthesize(synthesis) : PROCEED;
  }

  #lastTurn(synthesis: Boundary & { begun: boolean }): TurnDecision {
    if (!synthesis.begun) return this.#beginLast(synthesis);
    return this.#run.repeatsRequest ? this.#beginAgain() : this.#run.end(synthesis, "stopped");
  }

  // The tools-free turn begins. It has a round of time of its own, and no more.
  #beginLast(boundary: Boundary): Synthesize {
    this.#budgets.get("time")?.restart(this.#meter.read());
    this.#run.synthesize(boundary, true);
    this.#audit.exempted("requests");
    this.#send("synthesis");
    return this.#synthesize(boundary);
  }

  #synthesize({ limit, used, max }: Boundary): Synthesize {
    return { kind: "synthesize", limit, used, max, message: this.#settings.synthesisMessage };
  }

  #send(activity: Activity): void {
    this.#run.send(activity, this.#turnsUsed === 0);
    this.#meter.turn(activity);
    if (activity !== "retry") this.#budgets.repeats?.turnBegan();
  }

  get #turnsUsed(): number {
    return this.#meter.current.turns - this.#budgets.turns.since.turns;
  }

  get #turnsCompleted(): number {
    const { current } = this.#meter;
    const { since } = this.#budgets.turns;
    return current.completed - since.completed - (current.discarded - since.discarded);
  }

  #takeWrapUp(): string | undefined {
    if (this.#wrapUp.state.sent || !this.#isWrapUpDue) return undefined;
    const message = this.#wrapUp.send(this.#settings.turns.wrapUp);
    this.#run.intervene();
    return message;
  }

  get #isWrapUpDue(): boolean {
    if (this.#wrapUp.isRequested || this.#budgets.isShort(this.#action)) return true;
    const { grace, wrapUp } = this.#settings.turns;
    const { max } = this.#budgets.turns;
    return hasRoom(max, grace) && this.#turnsCompleted >= softLimit(max, grace, wrapUp.grace?.());
  }

  #decideStep(call: StepCall): StepDecision {
    const { status, stop, synthesis, question } = this.#run.state;
    const over = stop ?? synthesis ?? (status === "asking" ? question : null);
    if (over) return this.#refuse("refuse", over, notRunAnymore);
    const reached = this.#budgets.beforeStep(call, this.#action);
    if (reached) return this.#uncovered(reached);
    this.#audit.admitted("calls", this.#budgets.get("steps")?.max ?? "unlimited");
    this.#budgets.repeats?.callBegan(call);
    return PROCEED;
  }

  #uncovered({ boundary, action, isWarning }: Reached): Refuse | RefuseAndSynthesize {
    if (!endsRun(action)) return this.#refuse("refuse", boundary, isWarning ? sameAgain : notRun);
    if (action === "synthesize" && this.#hasEvidence) {
      this.#run.synthesize(boundary, false);
      return this.#refuse("synthesize", boundary, notRunAnymore);
    }
    return this.#refuse("refuse", this.#end(boundary, action), notRunAnymore);
  }

  #refuse<Kind extends "refuse" | "synthesize">(
    kind: Kind,
    { limit, used, max }: Boundary,
    worded: (boundary: Boundary) => string,
  ): Boundary & { kind: Kind; reason: string } {
    this.#run.intervene();
    return { kind, limit, used, max, reason: worded({ limit, used, max }) };
  }

  #end(boundary: Boundary, action: Action | "declined", mayRaise = true): Stop {
    const isNo = action === "declined" || action === "decline";
    if (isNo) this.#declined = true;
    return this.#run.end(boundary, isNo ? "declined" : "stopped", mayRaise && action === "raise");
  }

  // The second count starts over with its limit.
  #restarted(names: readonly string[]): void {
    if (names.includes("turns")) this.#audit.restart("requests");
    if (names.includes("steps")) this.#audit.restart("calls");
  }

  // Limits have changed: what a person is being asked may no longer be the question.
  #reconsider(): void {
    const { question, status } = this.#run.state;
    if (!question) return;
    const midTurn = status !== "asking";
    const reached = midTurn ? this.#timeUp() : this.#beforeNext;
    if (reached?.action === "ask" && reached.budget.name === question.budget) this.#ask(reached, midTurn);
    else this.#run.release();
  }

  #timeUp(): Reached | undefined {
    const budget = this.#budgets.get("time");
    const boundary = budget?.turnBoundary("turn");
    return budget && boundary && { budget, boundary, action: this.#action(budget.limit) };
  }

  get #timeLeft(): number | undefined {
    const budget = this.#budgets.get("time");
    const isTimed = this.#run.state.status === "running" && !this.#run.waitsForPerson;
    // Without any time there is a boundary before every turn, and nothing to watch for in between.
    if (!budget || typeof budget.max !== "number" || budget.max === 0) return undefined;
    if (!isTimed || this.#run.isLastTurnDueByTime) return undefined;
    return Math.max(0, budget.max - (this.#meter.current.time - budget.since.time));
  }

  #check(what: "requests" | "calls", limit: "turns" | "steps"): Stop | undefined {
    if (this.#run.state.status === "idle" || !this.#audit.isOneTooMany(what)) return undefined;
    const max = this.#budgets.get(limit)?.max ?? "unlimited";
    return this.#run.end({ limit, used: this.#audit.countOf(what), max }, "limit-overrun");
  }

  get #outcome(): Outcome {
    const { rounds, intervened, stop, synthesis } = this.#run.state;
    const limit = stop?.limit ?? synthesis?.limit;
    const { current } = this.#meter;
    const usage = usageBetween(this.#opened, current);
    return {
      kind: outcomeKind(this.#run.state, this.#wrapUp.state.sentInRun),
      ...(limit !== undefined && { limit }),
      turns: current.turns - this.#opened.turns,
      rounds,
      steps: current.steps - this.#opened.steps,
      intervened,
      ...(this.#meter.knowsTime && { time: current.time - this.#opened.time }),
      ...(usage && { usage }),
      ...(this.view.unpriced && { unpriced: true }),
      maxTurns: this.#settings.turns.max,
      maxSteps: this.#settings.steps.max,
    };
  }

  #createView(): GovernorView {
    const governor = this;
    const run = this.#run;
    const budgets = this.#budgets;
    return Object.freeze({
      get status() {
        return run.state.status;
      },
      get request() {
        return run.state.request;
      },
      get question() {
        return copied(run.state.question);
      },
      get standings() {
        return budgets.standings(governor.#isUnpriced);
      },
      get totals() {
        return new Difference(governor.#prompted, governor.#meter.current).toJSON();
      },
      get stop() {
        return copied(run.state.stop);
      },
      get synthesizing() {
        return run.state.synthesis !== null;
      },
      get exhausted() {
        const reached = governor.#reached("turn");
        return reached !== undefined && endsRun(reached.action);
      },
      get unpriced() {
        return governor.#isUnpriced && budgets.has("cost");
      },
      get unreported() {
        const isSilent = governor.#meter.current.reports === governor.#opened.reports;
        return run.state.request === "answered" && isSilent && (budgets.has("tokens") || budgets.has("cost"));
      },
      get waiting() {
        return run.state.waiting;
      },
      get timeLeft() {
        return governor.#timeLeft;
      },
      get wrapUpSent() {
        return governor.#wrapUp.state.sent;
      },
      get outcome() {
        return run.state.status === "idle" ? undefined : governor.#outcome;
      },
      get settings() {
        return governor.#settings;
      },
    });
  }
}

/**
 * Makes a governor, which holds a run to its limits. Tell it what happens, and do what it decides; it never calls the
 * host.
 *
 * @example
 * const governor = createGovernor({ turns: 25, steps: 40 });
 * governor.prompt();
 * while (work.isLeft && governor.beforeTurn().kind === "proceed") {
 *   await callTheModel();
 *   governor.turnEnded();
 * }
 * const outcome = governor.settled();
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  return new Governor(options);
}

// The limits come from the state. Functions, texts and custom limits have to be given again.
function restored(given: CompleteSettings, { settings }: GovernorState): CompleteSettings {
  const { wrapUp } = given.turns;
  const { limits, synthesisMessage, canAsk } = given;
  const turns = { ...(settings.turns as object), wrapUp };
  return requireSettings({ ...settings, turns, limits, synthesisMessage, canAsk });
}

function requireAsk(ask: unknown): void {
  if (!isPlainObject(ask)) throw new InvalidLimit("ask", ask, "the question that was asked");
  count(1)(ask.id, "ask.id");
}

function requireCall(call: StepCall): void {
  if (typeof call !== "object" || call === null || Array.isArray(call))
    throw new InvalidLimit("call", call, "an object with id, tool and args");
  optionalText(call.id, "call.id");
  optionalText(call.tool, "call.tool");
}

function isCounted(budget: Budget | undefined): boolean {
  return budget !== undefined && "whole" in budget.limit && budget.limit.whole === true;
}

function copied<T extends object>(value: T | null): T | null {
  return value && { ...value };
}
