import {
  type Check,
  check,
  count,
  flag,
  isPlainObject,
  oneOf,
  optional,
  requireFields,
  text,
} from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { type Boundary, isReached } from "../limits/boundary.ts";
import { isGroup } from "../limits/limit.ts";
import { type Action, type Decide, endsRun } from "../limits/policy.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import { hasRoom, softLimit } from "../limits/wrap-up.ts";
import { type Activity, countedFor } from "../meter/counting.ts";
import type { Reading } from "../meter/meter.ts";
import { requireUsage, type Usage } from "../meter/usage.ts";
import { type Budget, isExempt } from "./budget.ts";
import type { Reached } from "./budgets.ts";
import {
  type Ask,
  notBegun,
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
  type Yes,
} from "./decision.ts";
import type { Outcome } from "./outcome.ts";
import { type GovernorOptions, Parts } from "./parts.ts";
import { type Failure, type RequestKind, requireFailure, type TurnEnd } from "./run.ts";
import { type GovernorSettings, limitsOf, requireSettings } from "./settings.ts";
import type { Told } from "./shared-budget.ts";
import type { GovernorState } from "./state.ts";
import { GovernorView } from "./view.ts";
import { cutOff, notRun, notRunAnymore, sameAgain } from "./wording.ts";

/** What the host knows about a turn that is about to begin. */
export interface TurnStart {
  /** Does the model have a price? Not needed where usage is reported without a cost. */
  priced?: boolean | undefined;
  /**
   * What it is: a new turn, the same request once more, or a request besides the turns. Default: the same once more if the
   * last one failed, else a new turn.
   */
  as?: RequestKind | undefined;
}

const optionalText = optional(text, undefined);
const optionalFlag = optional(flag, undefined);
const optionalKind = optional(oneOf("turn", "retry", "aside"), undefined);
const requireNow: Check<number> = check(
  (value) => typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
  "a number of milliseconds",
);

/**
 * Holds a run to its limits: events in, decisions out. Made by `createGovernor`. Deterministic: the same events give
 * the same decisions. It has no clock and never calls the host.
 */
export class Governor {
  readonly #parts: Parts;
  /** The tool of each call that was admitted and has no result, by its id. */
  readonly #deniable = new Map<string, string | undefined>();
  /** The facts about the run, to read. */
  readonly view: GovernorView;

  constructor(options: GovernorOptions) {
    this.#parts = new Parts(options);
    this.view = new GovernorView(this.#parts);
    partsOf.set(this, this.#parts);
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    return this.#parts.toState();
  }

  /**
   * Changes the settings: the whole value, as `createGovernor` takes it. Only differences have an effect. Counters keep
   * their values; a limit that is new, or was unlimited, starts over. A changed maximum ends what a person granted for
   * it, and any changed limit takes back an earlier no.
   */
  configure(settings: GovernorSettings): void {
    const complete = requireSettings(settings);
    const { changed, restarted } = this.#parts.budgets.change(limitsOf(complete));
    const couldAsk = this.#parts.settings.canAsk;
    this.#parts.settings = complete;
    this.#restarted(restarted);
    if (restarted.includes("turns")) this.#parts.wrapUp.restart();
    if (changed) this.#parts.declined = false;
    if (changed || couldAsk !== complete.canAsk) this.#reconsider();
  }

  /** A person's prompt: a new run, and the only everyday event that starts the budgets over. */
  prompt(): void {
    this.#open();
    this.#startOver(this.#parts.opened);
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
    if (turn !== undefined) requireFields(turn, "beforeTurn", ["priced", "as"]);
    optionalFlag(turn?.priced, "beforeTurn.priced");
    this.#requireTime();
    if (turn?.priced === false) this.#parts.meter.priceUnknown();
    if (this.#parts.run.state.status === "idle") this.#open();
    const kind = this.#kindOf(turn);
    const { stop, synthesis } = this.#parts.run.state;
    if (stop) return { ...stop };
    if (synthesis) return this.#lastTurn(synthesis, kind);
    const reached = this.#parts.reached(kind);
    if (reached) return this.#atBoundary(reached, kind);
    // A custom limit's usage may have gone down since the question.
    if (!this.#asksAboutOthers(kind)) this.#parts.run.release();
    return this.#begin(kind);
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no. With several
   * turns held for one question, give each the reply together with its `ask`: the first is decided by the reply, the
   * others again. A reply to a question that is no longer open decides nothing: a turn of this run that is still held
   * is decided again, and one of an earlier run must not begin. `turn`: what is held, as it was told to `beforeTurn`.
   */
  answer(reply: Reply | undefined, ask?: Ask, turn?: Pick<TurnStart, "as">): TurnDecision {
    const { status, question } = this.#parts.run.state;
    if (ask !== undefined) requireAsk(ask);
    if (turn !== undefined) requireFields(turn, "answer", ["as"]);
    const kind = this.#kindOf(turn);
    if (!question || (ask && ask.id !== question.id)) return this.#lateReply(ask, turn);
    const budget = this.#parts.budgets.get(question.budget);
    const said = requireReply(reply, isCounted(budget));
    if (said === false) return this.#end(question, "declined");
    if (said === "unanswered") return this.#unanswered(kind, ask?.midTurn);
    const newTurnIsHeld = status === "asking" && (kind === "turn" || this.#asksAboutOthers(kind));
    // A reply to a question asked in the middle of a turn is not about the turn that is held by now: that one is
    // decided again.
    const begins = status === "asking" && !ask?.midTurn;
    const reached = begins ? this.#parts.reached(kind) : undefined;
    // Meanwhile a limit was used up that nobody is asked about.
    if (reached && endsRun(reached.action)) return this.#atBoundary(reached, kind);
    if (said === "wrap-up") this.#parts.wrapUp.insist();
    if (said === "wrap-up" && begins) return this.#beginWrapUp(kind);
    this.#parts.run.release();
    this.#parts.wrapUp.restart();
    this.#restarted(this.#parts.budgets.restartUsedUp(newTurnIsHeld));
    if (said === "unlimited") budget?.grant(said);
    if (typeof said === "object") budget?.grant(said.more);
    // What others draw from does not start over by a reply to this run.
    const shared = begins ? this.#parts.sharedReached(kind) : undefined;
    if (shared) return this.#atBoundary(shared, kind);
    return begins ? this.#begin(kind, true) : PROCEED;
  }

  /**
   * A person allows more of a limit without being asked by this run: it starts over as after a yes. A question that is open
   * about it is no longer needed. Throws `InvalidLimit` if there is no such limit, or for a bad reply.
   */
  allow(limit: string, reply: Yes): void {
    const budget = this.#parts.budgets.get(limit);
    if (!budget) throw new InvalidLimit("limit", limit, "one that this governor has");
    const said = requireReply(reply, isCounted(budget));
    if (said === false || said === "wrap-up" || said === "unanswered")
      throw new InvalidLimit("reply", reply, 'true, { more: … } or "unlimited"');
    this.#parts.budgets.restart(this.#parts.meter.read(), [budget]);
    if (said !== true) budget.grant(said === "unlimited" ? said : said.more);
    if (limit === "turns") this.#parts.wrapUp.restart();
    this.#restarted([limit]);
    this.#reconsider();
  }

  /** A tool call is about to begin, or one nested in it. Ask in the order in which the model made the calls. */
  beforeStep(call: StepCall = {}): StepDecision {
    requireCall(call);
    if (call.tool === undefined && this.#parts.budgets.need("calls"))
      throw new Error("Limits of single tools and of repeats need the call: beforeStep({ id, tool, args }).");
    this.#requireTime();
    if (this.#parts.run.state.status === "idle") this.#open();
    const decision = this.#decideStep(call);
    this.#parts.meter.call(decision.kind === "proceed" ? "call" : "refusal", call.tool);
    if (decision.kind === "proceed") this.#mayBeDenied(call);
    this.#parts.budgets.begun();
    return decision;
  }

  /**
   * A tool call that was admitted does not run: a person, or a rule of the host, denied it. It takes no step. For hosts
   * that only know after {@link beforeStep} whether a call is approved; until then it holds its step. A call that is not
   * known by this id, has its result, or was admitted before a counter started over, is not taken back.
   */
  stepDenied({ id }: { id: string }): void {
    text(id, "stepDenied.id");
    if (!this.#deniable.has(id)) return;
    this.#parts.meter.denied(this.#deniable.get(id));
    this.#deniable.delete(id);
    this.#parts.audit.withdrawn("calls");
  }

  /** A tool call has its result, by which repeats are recognised. */
  stepEnded(step: { id?: string | undefined; result: unknown }): void {
    requireFields(step, "stepEnded", ["id", "result"]);
    const { id, result } = step;
    optionalText(id, "stepEnded.id");
    if (id !== undefined) this.#deniable.delete(id);
    this.#parts.budgets.repeats?.callEnded(id, result);
  }

  /** The turn in flight ended: answered, or with a failure. `usage` is what it took, if the host knows. */
  turnEnded(end: Failure | TurnEnd = {}): void {
    if (typeof end === "string") end = { failure: requireFailure(end, "turnEnded") };
    requireFields(end, "turnEnded", ["failure", "usage", "as"]);
    const { failure, usage } = end;
    const as = optionalKind(end.as, "turnEnded.as");
    if (failure !== undefined) requireFailure(failure, "turnEnded.failure");
    const used = usage === undefined ? undefined : requireUsage(usage, "turnEnded.usage");
    const { status, activity, request } = this.#parts.run.state;
    if (used && status !== "idle") this.#parts.meter.answer(activity, used);
    const isAside = (as ?? activity) === "aside";
    const isAnswered = isAside ? this.#parts.run.asideEnded(failure) : this.#parts.run.turnEnded(failure);
    // An answer to a turn that began before the counter was reset belongs to no round.
    if (isAnswered && this.#parts.turnsCompleted < this.#parts.turnsUsed) this.#parts.meter.completed();
    if (request === "in-flight" && this.#parts.run.repeatsRequest)
      this.#parts.budgets.repeats?.turnDiscarded();
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    if (!this.#parts.run.turnDiscarded()) return;
    if (this.#parts.turnsCompleted > 0) this.#parts.meter.discarded();
    this.#parts.budgets.repeats?.turnDiscarded();
  }

  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void {
    if (activity !== "compaction" && activity !== "nested")
      throw new InvalidLimit("activity", activity, '"compaction" or "nested"');
    const used = requireUsage(usage, "usage");
    if (this.#parts.run.state.status !== "idle") this.#parts.meter.answer(activity, used);
  }

  /**
   * Tells the time, in milliseconds. With a time limit, call it before every other event: the governor has no clock.
   */
  timeIs(now: number): void {
    const { status, activity } = this.#parts.run.state;
    const current = status === "idle" ? undefined : this.#parts.run.waitsForPerson ? "waiting" : activity;
    this.#parts.meter.timeIs(requireNow(now, "time"), current);
  }

  /** Does the run wait for a person, for example to approve a tool call? That time does not count. */
  waiting(waiting: boolean): void {
    this.#parts.run.waiting = flag(waiting, "waiting");
  }

  /**
   * Checks whether the time is up in the middle of a turn. `undefined`: it is not, or a person is being asked already.
   * `canGoOn` is false for a host that cannot cut off what is running and go on after it, or that does not get to the
   * tools-free turn: then there will be none.
   */
  overdue(canGoOn = true): OverdueDecision | undefined {
    flag(canGoOn, "canGoOn");
    const { synthesis } = this.#parts.run.state;
    if (!canGoOn && synthesis && this.#parts.run.isLastTurnDueByTime)
      return this.#parts.run.end(synthesis, "stopped");
    const { budget } = this.#parts.budgets.shortestTime ?? {};
    if (!budget || this.view.timeLeft !== 0) return undefined;
    const [boundary] = budget.standings as [Boundary];
    const action = this.#parts.decide(budget.limit);
    if (synthesis?.begun === false && canGoOn) return this.#refuse("synthesize", synthesis, cutOff);
    if (action === "ask" && !synthesis) return this.#ask({ budget, boundary, action }, true);
    const mayAnswer = action === "synthesize" && canGoOn && !synthesis && this.#parts.hasEvidence;
    if (!mayAnswer) return this.#end(boundary, action, !synthesis);
    this.#parts.run.synthesize(boundary, false, true);
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
    const { status, synthesis } = this.#parts.run.state;
    const goesOn = status === "running" && !synthesis;
    return goesOn && !this.#parts.reached() ? this.#takeWrapUp() : undefined;
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    const { status, synthesis } = this.#parts.run.state;
    if (status === "idle" || status === "ending" || synthesis) return false;
    this.#parts.wrapUp.request();
    return true;
  }

  /**
   * The agent is idle again: why, and what the run took. `undefined` if no run was under way. `byHostLimit`: the agent
   * did not finish; a limit of the host's own ended the run.
   */
  settled(byHostLimit = false): Outcome | undefined {
    flag(byHostLimit, "byHostLimit");
    const { outcome } = this.view;
    this.#deniable.clear();
    if (outcome) this.#parts.run.close();
    const seemsFinished = outcome?.kind === "completed" || outcome?.kind === "wrapped-up";
    return byHostLimit && seemsFinished ? { ...outcome, kind: "stopped" } : outcome;
  }

  #startOver(now = this.#parts.meter.read()): void {
    this.#parts.prompted = now;
    this.#parts.budgets.restart(this.#parts.prompted);
    this.#parts.wrapUp.restart();
    this.#restarted(["turns", "steps"]);
    this.#parts.declined = false;
    this.#parts.run.release();
  }

  #open(): void {
    // Work that is under way when a prompt comes stays admitted.
    if (this.#parts.run.state.status === "idle") this.#parts.audit.newRun();
    this.#parts.opened = this.#parts.meter.read();
    this.#parts.run.open();
    this.#parts.earlierQuestions = this.#parts.questions;
    this.#parts.wrapUp.newRun();
    this.#deniable.clear();
  }

  // Throws if there is a time limit and the time was never told.
  #requireTime(): void {
    if (!this.#parts.meter.knowsTime && this.#parts.budgets.need("time"))
      throw new Error("A time limit needs the time: call timeIs(Date.now()) before each other event.");
  }

  #kindOf(turn: Pick<TurnStart, "as"> | undefined): RequestKind {
    const kind = optionalKind(turn?.as, "as");
    return kind ?? (this.#parts.run.repeatsRequest ? "retry" : "turn");
  }

  #atBoundary(reached: Reached, kind: RequestKind): TurnDecision {
    const { boundary, action } = reached;
    if (action === "ask") return this.#hold(reached, kind);
    if (action !== "synthesize" || !this.#parts.hasEvidence) return this.#end(boundary, action);
    if (kind !== "aside") return this.#beginLast(boundary);
    // The last answer is left to a turn.
    this.#parts.run.release();
    return notBegun(boundary);
  }

  // One question at a time: a request that the open one is not about waits for its reply, too.
  #hold(reached: Reached, kind: RequestKind): Ask {
    const { question } = this.#parts.run.state;
    if (!question || !this.#asksAboutOthers(kind)) return this.#ask(reached, false);
    const { budget: _, ...asked } = question;
    return { ...asked, kind: "ask" };
  }

  // Is something held by a limit that does not hold such a request?
  #asksAboutOthers(kind: RequestKind): boolean {
    const { status, question } = this.#parts.run.state;
    const limit = question && this.#parts.budgets.get(question.budget)?.limit;
    return status === "asking" && !!limit && !isGroup(limit) && isExempt(limit, kind);
  }

  // Nobody replied, so what is done is what is done where nobody can be asked.
  #unanswered(kind: RequestKind, midTurn: true | undefined): TurnDecision {
    const reached = midTurn
      ? this.#timeUp(this.#parts.decideAlone)
      : this.#parts.reachedAlone(this.#asksAboutOthers(kind) ? "turn" : kind);
    this.#parts.run.release();
    if (!reached) return midTurn ? PROCEED : this.#begin(kind);
    const { boundary, action } = reached;
    if (action !== "synthesize" || !this.#parts.hasEvidence) return this.#end(boundary, action);
    const synthesis = this.#parts.run.synthesize(boundary, false, midTurn);
    return midTurn ? this.#synthesize(boundary) : this.#lastTurn(synthesis, kind);
  }

  #ask({ budget, boundary }: Reached, midTurn: boolean): Ask {
    const parts = this.#parts;
    // About the same limit it is the same question.
    if (parts.run.state.question?.budget !== budget.name) parts.questions += 1;
    return parts.run.ask({ ...boundary, id: parts.questions, budget: budget.name }, midTurn);
  }

  #lateReply(ask: Ask | undefined, turn: Pick<TurnStart, "as"> | undefined): TurnDecision {
    const { status, held, stop } = this.#parts.run.state;
    const isOfThisRun = status !== "idle" && (ask ? ask.id > this.#parts.earlierQuestions : held);
    if (isOfThisRun && !ask?.midTurn) return this.beforeTurn(turn);
    if (stop) return { ...stop };
    if (isOfThisRun) return PROCEED;
    const [turns] = this.#parts.budgets.turns.standings as [Boundary];
    return notBegun(turns);
  }

  #begin(kind: RequestKind, isConfirmed = false): TurnDecision {
    if (kind === "retry") return this.#beginAgain();
    if (kind === "aside") return this.#beginAside();
    const message = this.#takeWrapUp();
    // A yes lets the held turn begin, even if the limit is 0.
    const { max } = this.#parts.budgets.turns;
    if (isConfirmed && isReached(this.#parts.turnsUsed, max)) this.#parts.audit.exempted("requests");
    else this.#parts.audit.admitted("requests", max);
    this.#send("turn");
    return message === undefined ? PROCEED : { kind: "wrap-up", message };
  }

  // The person wants the held turn to be one in which the model wraps up.
  #beginWrapUp(kind: RequestKind): TurnDecision {
    const isAboutOthers = this.#asksAboutOthers(kind);
    // What is not a turn says nothing to the model that it would act on.
    if (kind === "aside" || isAboutOthers) {
      if (!isAboutOthers) this.#parts.run.release();
      return this.#begin(kind);
    }
    // Made before anything changes: if that throws, the question stays open.
    const message = this.#takeWrapUp() ?? "";
    this.#parts.run.release();
    this.#parts.budgets.restartTime(true);
    this.#parts.audit.exempted("requests");
    this.#send(kind);
    return { kind: "wrap-up", message };
  }

  #beginAside(): Proceed {
    this.#parts.audit.exempted("requests");
    this.#send("aside");
    return PROCEED;
  }

  // The last request is made again.
  #beginAgain(): Proceed | Synthesize {
    this.#parts.audit.exempted("requests");
    this.#send("retry");
    const { synthesis } = this.#parts.run.state;
    return synthesis ? this.#synthesize(synthesis) : PROCEED;
  }

  #lastTurn(synthesis: Boundary & { begun: boolean }, kind: RequestKind): TurnDecision {
    if (kind === "aside") return notBegun(synthesis);
    if (!synthesis.begun) return this.#beginLast(synthesis);
    return kind === "retry" ? this.#beginAgain() : this.#parts.run.end(synthesis, "stopped");
  }

  // The tools-free turn begins. It has a round of time of its own, and no more.
  #beginLast(boundary: Boundary): Synthesize {
    this.#parts.budgets.restartTime();
    this.#parts.run.synthesize(boundary, true);
    this.#parts.audit.exempted("requests");
    this.#send("synthesis");
    return this.#synthesize(boundary);
  }

  #synthesize({ limit, used, max }: Boundary): Synthesize {
    return { kind: "synthesize", limit, used, max, message: this.#parts.settings.synthesisMessage };
  }

  #send(activity: Activity): void {
    this.#parts.run.send(activity, this.#parts.turnsUsed === 0);
    this.#parts.meter.turn(activity);
    this.#parts.budgets.begun();
    if (countedFor(activity).turns) this.#parts.budgets.repeats?.turnBegan();
  }

  #takeWrapUp(): string | undefined {
    if (this.#parts.wrapUp.state.sent || !this.#isWrapUpDue) return undefined;
    const message = this.#parts.wrapUp.send(this.#parts.settings.turns.wrapUp);
    this.#parts.run.intervene();
    return message;
  }

  get #isWrapUpDue(): boolean {
    if (this.#parts.wrapUp.isRequested || this.#parts.budgets.isShort(this.#parts.decide)) return true;
    const { grace, wrapUp } = this.#parts.settings.turns;
    const { max } = this.#parts.budgets.turns;
    return hasRoom(max, grace) && this.#parts.turnsCompleted >= softLimit(max, grace, wrapUp.grace?.());
  }

  #decideStep(call: StepCall): StepDecision {
    const { status, stop, synthesis, question } = this.#parts.run.state;
    const over = stop ?? synthesis ?? (status === "asking" ? question : null);
    if (over) return this.#refuse("refuse", over, notRunAnymore);
    const reached = this.#parts.budgets.beforeStep(call, this.#parts.decide);
    if (reached) return this.#uncovered(reached);
    this.#parts.audit.admitted("calls", this.#parts.budgets.get("steps")?.max ?? "unlimited");
    this.#parts.budgets.repeats?.callBegan(call);
    return PROCEED;
  }

  #uncovered({ boundary, action, isWarning }: Reached): Refuse | RefuseAndSynthesize {
    if (!endsRun(action)) return this.#refuse("refuse", boundary, isWarning ? sameAgain : notRun);
    if (action === "synthesize" && this.#parts.hasEvidence) {
      this.#parts.run.synthesize(boundary, false);
      return this.#refuse("synthesize", boundary, notRunAnymore);
    }
    return this.#refuse("refuse", this.#end(boundary, action), notRunAnymore);
  }

  #refuse<Kind extends "refuse" | "synthesize">(
    kind: Kind,
    { limit, used, max, why }: Boundary,
    worded: (boundary: Boundary) => string,
  ): Boundary & { kind: Kind; reason: string } {
    this.#parts.run.intervene();
    const boundary = { limit, used, max, ...(why !== undefined && { why }) };
    return { kind, ...boundary, reason: worded(boundary) };
  }

  #end(boundary: Boundary, action: Action | "declined", mayRaise = true): Stop {
    const isNo = action === "declined" || action === "decline";
    if (isNo) this.#parts.declined = true;
    return this.#parts.run.end(boundary, isNo ? "declined" : "stopped", mayRaise && action === "raise");
  }

  // The second count starts over with its limit.
  // Of several calls by one name nobody knows which of them is denied.
  #mayBeDenied({ id, tool }: StepCall): void {
    if (id === undefined || this.#deniable.delete(id)) return;
    this.#deniable.set(id, tool);
  }

  #restarted(names: readonly string[]): void {
    if (names.length > 0) this.#deniable.clear();
    if (names.includes("turns")) this.#parts.audit.restart("requests");
    if (names.includes("steps")) this.#parts.audit.restart("calls");
  }

  // Limits have changed: what a person is being asked may no longer be the question.
  #reconsider(): void {
    const { question, status } = this.#parts.run.state;
    if (!question) return;
    const midTurn = status !== "asking";
    const reached = midTurn ? this.#timeUp(this.#parts.decide) : this.#parts.reached();
    if (reached?.action === "ask" && reached.budget.name === question.budget) this.#ask(reached, midTurn);
    else this.#parts.run.release();
  }

  #timeUp(decide: Decide): Reached | undefined {
    const budget = this.#parts.budgets.usedUpTime;
    const [boundary] = budget?.standings ?? [];
    return budget && boundary && { budget, boundary, action: decide(budget.limit) };
  }

  #check(what: "requests" | "calls", limit: "turns" | "steps"): Stop | undefined {
    if (this.#parts.run.state.status === "idle" || !this.#parts.audit.isOneTooMany(what)) return undefined;
    const max = this.#parts.budgets.get(limit)?.max ?? "unlimited";
    return this.#parts.run.end({ limit, used: this.#parts.audit.countOf(what), max }, "limit-overrun");
  }
}

const partsOf = new WeakMap<Governor, Parts>();

/** What whoever draws from shared budgets for a run asks its governor, and tells it. */
export interface SharedDesk {
  /** What the meter says now. */
  readonly reading: Reading;
  /** What the next request is, if the host does not say. */
  readonly nextKind: RequestKind;
  /** What the last request was made for. */
  readonly activity: Activity;
  /** Would the last answer be due if nobody replied to the open question? */
  readonly endsInAnswerAlone: boolean;
  /** Is another limit at its boundary, or the run at its end, so that such a request needs nothing of shared budgets yet? */
  isHeld(kind: RequestKind): boolean;
  /** Would such a request end the run without a question, as far as the run's own limits say? */
  isExhausted(kind: RequestKind): boolean;
  /** Would a model without a price end the run? */
  readonly stopsUnpriced: boolean;
  /** Is it at its end? */
  readonly isEnding: boolean;
  /** Does the run wait for a person for another reason than a limit? */
  readonly isWaiting: boolean;
  /** What is known of a shared limit. `since`: the reading up to which this run's own usage is in it. */
  told(limit: string, told: Told, since: Reading): void;
}

/** The part of a governor that is for its driver. */
export function sharedDesk(governor: Governor): SharedDesk {
  const parts = partsOf.get(governor) as Parts;
  return {
    get reading() {
      return parts.meter.read();
    },
    get nextKind() {
      return parts.run.repeatsRequest ? "retry" : "turn";
    },
    get activity() {
      return parts.run.state.activity;
    },
    get endsInAnswerAlone() {
      return parts.hasEvidence && parts.reachedAlone("turn")?.action === "synthesize";
    },
    get stopsUnpriced() {
      return parts.budgets.stopUnpriced;
    },
    isHeld(kind) {
      return this.isEnding || parts.ownReached(kind) !== undefined;
    },
    isExhausted(kind) {
      const reached = parts.ownReached(kind);
      return reached !== undefined && endsRun(reached.action);
    },
    get isEnding() {
      const { stop, synthesis } = parts.run.state;
      return stop !== null || synthesis !== null;
    },
    get isWaiting() {
      return parts.run.state.waiting;
    },
    told: (limit, told, since) => parts.budgets.told(limit, told, since),
  };
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
