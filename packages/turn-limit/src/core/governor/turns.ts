import { type Boundary, isReached } from "../limits/boundary.ts";
import { isGroup, isWhole } from "../limits/limit.ts";
import { endsRun, holdsRun } from "../limits/policy.ts";
import { isExempt } from "../limits/stands-before.ts";
import { cutOff } from "../words.ts";
import type { Budget } from "./budget.ts";
import type { Budgets } from "./budgets.ts";
import { consequenceOf, type Reached } from "./decide.ts";
import {
  type Ask,
  type CheckProgress,
  notBegun,
  type OverdueDecision,
  PROCEED,
  type Reply,
  requireReply,
  requireVerdict,
  type Stop,
  type TurnDecision,
} from "./decision.ts";
import type { RunMachine } from "./run-machine.ts";
import type { RequestKind, Synthesis, TurnStart } from "./run-state.ts";

/** The turns of a run, and other requests: which of them may begin, and what a person's reply comes to. */
export class Turns {
  readonly #budgets: Budgets;
  readonly #run: RunMachine;

  constructor(budgets: Budgets, run: RunMachine) {
    this.#budgets = budgets;
    this.#run = run;
  }

  /** Whether a turn may begin. */
  before(turn?: TurnStart): TurnDecision {
    if (turn?.priced === false) this.#budgets.meter.priceUnknown();
    if (this.#run.state.status === "idle") this.#run.open();
    this.#run.hostsFinalTool = turn?.finalTool ?? this.#run.hostsFinalTool;
    const { admissions } = this.#run.state;
    return this.#told(this.#decide(turn?.as ?? this.#run.nextKind), admissions, turn);
  }

  #decide(kind: RequestKind): TurnDecision {
    const { stop, synthesis } = this.#run.state;
    if (stop) return { ...stop };
    if (synthesis) return this.#lastTurn(synthesis, kind);
    const reached = this.#budgets.reached(kind);
    // The answer is there: nothing is left to ask, or to end.
    if (reached && this.#run.state.delivered) return notBegun(reached.boundary);
    if (reached) return this.#atBoundary(reached, kind);
    // A custom limit's usage may have gone down since the question.
    if (!this.#asksAboutOthers(kind)) this.#run.release();
    return this.#begin(kind);
  }

  /** What a person's reply comes to, or what was found of the run's progress. */
  answer(
    reply: unknown,
    ask: Ask | CheckProgress | undefined,
    turn?: Pick<TurnStart, "as" | "hears">,
  ): TurnDecision {
    const { admissions } = this.#run.state;
    return this.#told(this.#replied(reply, ask, turn?.as ?? this.#run.nextKind), admissions, turn);
  }

  #replied(reply: unknown, ask: Ask | CheckProgress | undefined, kind: RequestKind): TurnDecision {
    const run = this.#run;
    const budgets = this.#budgets;
    const { status, question } = run.state;
    if (!question || (ask && ask.id !== question.id)) return this.#lateReply(ask, kind);
    if (question.turns !== undefined) {
      const isHeld = status === "asking" && !ask?.midTurn;
      this.judge(reply, question);
      return isHeld ? this.#decide(kind) : PROCEED;
    }
    const budget = budgets.lists.get(question.budget);
    const said = requireReply(reply, budget !== undefined && isWhole(budget.limit));
    if (said === false) return run.end(question, "decline");
    if (said === "unanswered") return this.#unanswered(kind, ask?.midTurn);
    const newTurnIsHeld = status === "asking" && (kind === "turn" || this.#asksAboutOthers(kind));
    // A reply to a question asked in the middle of a turn is not about the turn that is held by now: that one is
    // decided again.
    const begins = status === "asking" && !ask?.midTurn;
    const reached = begins ? budgets.reached(kind) : undefined;
    // Meanwhile a limit was used up that nobody is asked about.
    if (reached && endsRun(reached.action)) return this.#atBoundary(reached, kind);
    if (said === "wrap-up") run.insistOnWrapUp();
    if (said === "wrap-up" && begins) return this.#beginWrapUp(kind);
    run.release();
    run.newRound();
    budgets.restartUsedUp(newTurnIsHeld);
    grant(budget, said);
    // What others draw from does not start over by a reply to this run.
    const left = begins ? (budgets.reached(kind, "shared") ?? budgets.stillExtendable(kind)) : undefined;
    if (left) return this.#atBoundary(left, kind);
    return begins ? this.#begin(kind, true) : PROCEED;
  }

  /** Whether the run got somewhere was found out: another round begins, or the policy decides. Was it extended? */
  judge(found: unknown, { id }: { readonly id: number }): boolean {
    const { question } = this.#run.state;
    if (question?.turns === undefined || question.id !== id) return false;
    const verdict = requireVerdict(found);
    const budget = this.#budgets.lists.get(question.budget);
    this.#run.release();
    if (verdict === false) budget?.stall();
    if (verdict === false || !budget) return false;
    const what = verdict === true ? undefined : verdict.progress;
    this.#budgets.extendRound(budget, what);
    this.#run.extended(question, what);
    return true;
  }

  /** A turn is really being sent. */
  sent(admission: number | undefined): Stop | undefined {
    this.#run.requests.sent(admission);
    return this.#run.overrun("requests", "turns");
  }

  /** Would a turn that is sent now be one too many? */
  get wouldOverrun(): boolean {
    return this.#run.wouldOverrun("requests");
  }

  /** A turn that was admitted was never sent. */
  abandoned(admission: number): void {
    // What a person is being asked about may be left again.
    if (this.#run.requests.abandoned(admission)) this.reconsider();
  }

  /** Another turn will follow: what the model has to be told first, if anything. */
  takeWrapUp(): string | undefined {
    const run = this.#run;
    const goesOn = run.state.status === "running" && !run.isEnding && !this.#budgets.reached(run.nextKind);
    return goesOn ? run.takeWrapUp() : undefined;
  }

  /** Limits have changed: what a person is being asked may no longer be the question. */
  reconsider(): void {
    const { question, status } = this.#run.state;
    if (!question) return;
    const midTurn = status !== "asking";
    const reached = midTurn ? this.#budgets.reachedByTime() : this.#budgets.reached(this.#run.nextKind);
    const isCheck = question.turns !== undefined;
    const sameKind = isCheck ? reached?.action === "extend" : reached && holdsRun(reached.action);
    if (reached && sameKind && reached.budget.name === question.budget) this.#run.ask(reached, midTurn);
    else this.#run.release();
  }

  /** Is the time up in the middle of a turn? */
  overdue(canGoOn: boolean): OverdueDecision | undefined {
    const run = this.#run;
    const { synthesis } = run.state;
    if (!canGoOn && synthesis && run.isLastTurnDueByTime) return run.end(synthesis, "stop");
    const { budget } = this.#budgets.shortestTime ?? {};
    if (!budget || run.timeLeft !== 0) return undefined;
    if (synthesis?.begun === false && canGoOn) return run.refuse("synthesize", synthesis, cutOff);
    const [boundary] = budget.standings as [Boundary];
    const policy = this.#budgets.decide(budget.limit);
    // A last turn that takes too long ends without an error.
    if (synthesis) return run.end(boundary, policy === "raise" ? "stop" : policy);
    const action = this.#budgets.actionOf(budget);
    const consequence = consequenceOf(action, canGoOn && this.#budgets.hasEvidence);
    if (consequence === "ask" || consequence === "extend") return run.ask({ budget, boundary, action }, true);
    if (consequence !== "synthesize") return run.end(boundary, action);
    run.synthesisIsDue(boundary, true);
    return run.refuse("synthesize", boundary, cutOff);
  }

  #atBoundary(reached: Reached, kind: RequestKind): TurnDecision {
    const { boundary, action } = reached;
    const consequence = consequenceOf(action, this.#budgets.hasEvidence);
    if (consequence === "ask" || consequence === "extend") return this.#hold(reached, kind);
    if (consequence !== "synthesize") return this.#run.end(boundary, action);
    if (kind !== "aside") return this.#run.beginLast(boundary);
    // The last answer is left to a turn.
    this.#run.release();
    return notBegun(boundary);
  }

  // One question at a time: a request that the open one is not about waits for its reply, too.
  #hold(reached: Reached, kind: RequestKind): Ask | CheckProgress {
    const { question } = this.#run.state;
    if (!question || !this.#asksAboutOthers(kind)) return this.#run.ask(reached, false);
    const { budget: _, turns, ...asked } = question;
    return turns === undefined ? { ...asked, kind: "ask" } : { ...asked, turns, kind: "check-progress" };
  }

  // Is something held by a limit that does not hold such a request?
  #asksAboutOthers(kind: RequestKind): boolean {
    const { status, question } = this.#run.state;
    if (status !== "asking" || !question) return false;
    const limit = this.#budgets.lists.get(question.budget)?.limit;
    return !!limit && !isGroup(limit) && isExempt(limit, kind);
  }

  // Nobody replied, so what is done is what is done where nobody can be asked. What was waited for is not waited for again.
  #unanswered(kind: RequestKind, midTurn: true | undefined): TurnDecision {
    const run = this.#run;
    const { decideAlone, hasEvidence } = this.#budgets;
    const reached = midTurn
      ? this.#budgets.reachedByTime(decideAlone)
      : this.#budgets.reached(this.#asksAboutOthers(kind) ? "turn" : kind, "all", decideAlone);
    const hasWaited = run.state.question?.waits !== undefined;
    run.release();
    if (!reached) return midTurn ? PROCEED : this.#begin(kind);
    const { boundary, action } = reached;
    const consequence = consequenceOf(action, hasEvidence);
    // What nobody was asked about may still be extended.
    if (consequence === "extend") return midTurn ? PROCEED : this.#atBoundary(reached, kind);
    if (consequence === "ask" && !hasWaited) return run.ask({ ...reached, action: "wait" }, midTurn === true);
    if (consequence !== "synthesize") return run.end(boundary, action);
    const synthesis = run.synthesisIsDue(boundary, midTurn);
    return midTurn ? run.lastTurn(boundary) : this.#lastTurn(synthesis, kind);
  }

  #lateReply(ask: Ask | CheckProgress | undefined, kind: RequestKind): TurnDecision {
    const { status, held, stop, earlierQuestions } = this.#run.state;
    const isOfThisRun = status !== "idle" && (ask ? ask.id > earlierQuestions : held);
    if (isOfThisRun && !ask?.midTurn) return this.#decide(kind);
    if (stop) return { ...stop };
    if (isOfThisRun) return PROCEED;
    const [turns] = this.#budgets.lists.turns.standings as [Boundary];
    return notBegun(turns);
  }

  #begin(kind: RequestKind, isConfirmed = false): TurnDecision {
    const message = kind === "turn" ? this.#run.takeWrapUp() : undefined;
    // A yes lets the held turn begin, even if the limit is 0.
    const budgets = this.#budgets;
    const isCovered =
      kind === "turn" && !(isConfirmed && isReached(budgets.turnsUsed, budgets.lists.turns.max));
    this.#run.requests.begin(kind, isCovered, message !== undefined);
    return message === undefined ? PROCEED : { kind: "wrap-up", message };
  }

  // With what the model is told of what it has left, if a turn has begun: this one is counted already.
  #told(decision: TurnDecision, before: number, turn: Pick<TurnStart, "hears"> | undefined): TurnDecision {
    const budgets = this.#budgets;
    const { admissions, activity } = this.#run.state;
    if (budgets.settings.tell === false || admissions === before) return decision;
    if (!(turn?.hears ?? activity !== "aside")) return decision;
    if (decision.kind !== "proceed" && decision.kind !== "wrap-up") return decision;
    try {
      const told = budgets.takeTold();
      if (!told) return decision;
      this.#run.requests.tells(admissions, told);
      return { ...decision, told: told.text };
    } catch (error) {
      // Whoever words it failed: the turn did not begin.
      this.abandoned(admissions);
      throw error;
    }
  }

  // The person wants the held turn to be one in which the model wraps up.
  #beginWrapUp(kind: RequestKind): TurnDecision {
    const run = this.#run;
    const isAboutOthers = this.#asksAboutOthers(kind);
    // What is not a turn says nothing to the model that it would act on.
    if (kind === "aside" || isAboutOthers) {
      if (!isAboutOthers) run.release();
      return this.#begin(kind);
    }
    // Made before anything changes: if that throws, the question stays open.
    const message = run.takeWrapUp() ?? "";
    run.release();
    this.#budgets.restartTime(true);
    run.requests.begin(kind, false, true);
    return { kind: "wrap-up", message };
  }

  #lastTurn(synthesis: Synthesis, kind: RequestKind): TurnDecision {
    if (kind === "aside" || (this.#run.state.delivered && kind !== "retry")) return notBegun(synthesis);
    if (!synthesis.begun) return this.#run.beginLast(synthesis);
    if (kind !== "retry") return this.#run.end(synthesis, "stop");
    this.#run.requests.begin("retry");
    return this.#run.lastTurn(synthesis);
  }
}

/** A person allows this much. A yes alone grants nothing beyond the new round. */
export function grant(budget: Budget | undefined, said: Reply): void {
  if (said === "unlimited") budget?.grant(said);
  if (typeof said === "object") budget?.grant(said.more);
}
