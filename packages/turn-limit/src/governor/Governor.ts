import type { WrapUpOptions } from "../limits/GracefulTurnLimit.ts";
import type { Max } from "../limits/Max.ts";
import type { StepCall } from "../limits/RepeatTracker.ts";
import type { BudgetSettings } from "./Budgets.ts";
import { counts } from "./counting.ts";
import type {
  Boundary,
  OverdueDecision,
  Refuse,
  RefuseAndSynthesize,
  Reply,
  StepDecision,
  Stop,
  TurnDecision,
} from "./Decision.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";
import type { GovernorState, RunStatus } from "./GovernorState.ts";
import { type Headless, requireHeadless } from "./Headless.ts";
import { LimitSet, type Reached } from "./LimitSet.ts";
import { type Outcome, outcomeOf } from "./Outcome.ts";
import { type Action, type Policy, strictest } from "./Policy.ts";
import type { Mishap, TurnEnd } from "./RequestStatus.ts";
import { PROCEED, Run } from "./Run.ts";
import { requireReply } from "./requireReply.ts";
import type { Spent } from "./Spent.ts";
import type { StepOption, ValidBudget } from "./StepCounter.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "./Synthesis.ts";
import type { Usage } from "./Usage.ts";
import { WrapUpSwitch } from "./WrapUpSwitch.ts";
import { notRun, sameAgain } from "./wording.ts";

/** A tool call that must not begin, and what is to be done about it. */
interface Overstepped {
  boundary: Boundary;
  action: Action;
}

/** Made by `createGovernor`. Deterministic: the same events give the same decisions. */
export class Governor {
  readonly #limits: LimitSet;
  readonly #wrapUp: WrapUpSwitch;
  readonly #run: Run;
  readonly #canAsk: boolean;
  #declined: boolean;

  constructor(options: GovernorOptions) {
    const { turns = {}, synthesisMessage = DEFAULT_SYNTHESIS_MESSAGE, canAsk = false, state } = options;
    const { grace = 0, wrapUp = {}, headless = "stop" } = typeof turns === "object" && turns ? turns : {};
    this.#canAsk = canAsk;
    this.#limits = new LimitSet(options, requireHeadless(state?.headless ?? headless));
    this.#wrapUp = state ? WrapUpSwitch.from(state.wrapUp, wrapUp) : new WrapUpSwitch(grace, wrapUp);
    this.#run = new Run(this.#limits, synthesisMessage, state);
    this.#declined = state?.declined ?? false;
  }

  /** Where the run stands. */
  get status(): RunStatus {
    return this.#run.status;
  }

  /** Turns begun in this round. */
  get turnsUsed(): number {
    return this.#limits.turns.used;
  }

  /** Steps admitted since the last prompt. */
  get stepsUsed(): number {
    return this.#limits.steps.used;
  }

  /** What was spent since the last prompt. */
  get spent(): Spent {
    return { ...this.#limits.spending.spent };
  }

  /** Each limit that there is, with what is used of it; turns always. In the order in which they are reported. */
  get standings(): Boundary[] {
    return this.#limits.standings;
  }

  /** The turn limit. Setting it counts from the next turn on; see {@link TurnLimit.max}. */
  get maxTurns(): Max {
    return this.#limits.turns.max;
  }

  set maxTurns(max: Max) {
    const reEnabled = this.#limits.turns.max === "unlimited" && max !== "unlimited";
    this.#limits.turns.max = max;
    if (reEnabled) this.#newRound();
    this.#reconsider();
  }

  /** The step limit. Setting it counts from the next step on; the counter keeps its value. */
  get steps(): ValidBudget {
    return this.#limits.steps.budget;
  }

  set steps(budget: StepOption) {
    this.#limits.steps.budget = budget;
  }

  /** The budgets beside turns and steps, as they were set. */
  get budgets(): Required<BudgetSettings> {
    return this.#limits.budgets.settings;
  }

  /** Sets some of the budgets. One that there was not before starts over; the others keep what is used. */
  setBudgets(changed: BudgetSettings): void {
    this.#limits.budgets.change(changed, this.#limits.spending);
    this.#reconsider();
  }

  /** How many turns before the limit the model is told to wrap up; 0 for never. */
  get grace(): number {
    return this.#wrapUp.grace;
  }

  set grace(grace: number) {
    this.#wrapUp.grace = grace;
  }

  /** How the wrap-up is worded, and a grace that changes. */
  set wrapUpOptions(options: WrapUpOptions) {
    this.#wrapUp.options = options;
  }

  /** What happens at the turn limit's boundary when nobody can be asked. */
  get headless(): Headless {
    return this.#limits.turnPolicy.headless;
  }

  set headless(headless: Headless) {
    this.#limits.turnPolicy = { onExhausted: "ask", headless: requireHeadless(headless) };
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#run.stop;
  }

  /** Where the limit stands that a person is being asked about. */
  get question(): Boundary | null {
    return this.#run.question;
  }

  /** Is the tools-free last turn due or under way? */
  get synthesizing(): boolean {
    return this.#run.synthesis !== null;
  }

  /** Would a run that no person's prompt began be stopped before its first turn, without a question? */
  get exhausted(): boolean {
    const reached = this.#limits.reached(false, this.#actionOf);
    return reached !== undefined && reached.action !== "ask";
  }

  /** Is there a cost limit, and was something spent, or will be, whose price nobody knows? */
  get unpriced(): boolean {
    return this.#limits.spending.unpriced && this.#limits.budgets.has("cost");
  }

  /** Is there a limit of tokens or cost, and has nobody said what the answers of the run take? */
  get unreported(): boolean {
    const { budgets } = this.#limits;
    return this.#run.isUnreported && (budgets.has("tokens") || budgets.has("cost"));
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    return {
      ...this.#run.toJSON(),
      turns: this.#limits.turns.toJSON(),
      steps: this.#limits.steps.toJSON(),
      budgets: this.#limits.budgets.toJSON(),
      spending: this.#limits.spending.toJSON(),
      wrapUp: this.#wrapUp.toJSON(),
      headless: this.headless,
      declined: this.#declined,
    };
  }

  /** A person's prompt: a new run, and the only everyday event that refreshes the budgets. */
  prompt(): void {
    this.#open();
    this.reset();
  }

  /** A turn is about to begin. A run that no person's prompt began goes on with the budgets that are left. */
  beforeTurn(): TurnDecision {
    const run = this.#run;
    if (run.status === "idle") this.#open();
    this.#limits.requireTime();
    if (run.stop) return run.stop;
    if (run.synthesis?.begun === false) return run.beginLast(run.synthesis);
    if (run.synthesis) return run.repeatsRequest ? run.beginAgain() : run.end(run.synthesis, "stopped");
    const reached = this.#reached;
    return reached ? this.#atBoundary(reached) : this.#begin();
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no. A reply that
   * comes too late decides nothing: a turn still held is decided anew, a run that is over stays over.
   */
  answer(reply: Reply): TurnDecision {
    const { status, question, asked } = this.#run;
    if (status === "idle") return { ...this.#limits.turnBoundary, kind: "stop", outcome: "stopped" };
    if (!question || !asked) return this.#run.isHeld ? this.beforeTurn() : (this.#run.stop ?? PROCEED);
    const said = requireReply(question.limit, reply);
    if (said === false) return this.#decline(question);
    this.#run.release();
    if (said === "wrap-up") this.#wrapUp.insist();
    const held = status === "asking";
    if (held && said === "wrap-up") {
      if (this.#limits.timeUp(this.#actionOf)) this.#limits.restartTime();
      return this.#run.begin(this.#wrapUpMessage(), true);
    }
    this.#newRound(this.#limits.restartReached(held && !this.#run.repeatsRequest));
    if (said === "unlimited") this.#limits.grant(asked, said);
    if (typeof said === "object") this.#limits.grant(asked, said.more);
    return held ? this.#begin() : PROCEED;
  }

  /** A tool call is about to begin, or one nested in it. Ask in the order in which the model made the calls. */
  beforeStep(call: StepCall = {}): StepDecision {
    this.#limits.requireTool(call.tool);
    if (this.#run.status === "idle") this.#open();
    const decision = this.#decideStep(call);
    this.#limits.spending.call(decision.kind === "proceed" ? "call" : "refusal", call.tool);
    return decision;
  }

  /** A tool call has its result. Repeats are known by it. */
  stepEnded({ id, result }: { id?: string | undefined; result: unknown }): void {
    this.#limits.budgets.repeats?.ended(id, result);
  }

  /**
   * The agent is going to take another turn: what the model has to be told first, if anything. For hosts that deliver
   * messages before they ask {@link beforeTurn}; what is not taken here comes as its `wrap-up` decision.
   */
  takeWrapUp(): string | undefined {
    const goesOn = this.#run.status === "running" && !this.#run.synthesis;
    return goesOn && !this.#limits.reached(false, this.#actionOf) ? this.#wrapUpMessage() : undefined;
  }

  /** Was the model told to wrap up in this round? */
  get wrapUpSent(): boolean {
    return this.#wrapUp.sent;
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    const { status, synthesis } = this.#run;
    if (status === "idle" || status === "ending" || synthesis) return false;
    this.#wrapUp.request();
    return true;
  }

  /** The turn in flight ended: answered, or as the mishap says; and what it took, where the host knows. */
  turnEnded(end: Mishap | TurnEnd = {}): void {
    const { mishap, usage } = typeof end === "string" ? { mishap: end } : end;
    if (usage) this.#run.answered(usage);
    this.#run.turnEnded(mishap);
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    this.#run.turnDiscarded();
    this.#limits.budgets.repeats?.turnDiscarded();
  }

  /** The run spent something beside its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void {
    this.#run.spend(activity, usage);
  }

  /** The model of the turns to come has no price. Not needed where usage without a cost is reported. */
  priceUnknown(): void {
    this.#limits.spending.priceUnknown();
  }

  /** It is `now`, in milliseconds. With a time limit, to be said before every other event: there is no clock in here. */
  timeIs(now: number): void {
    this.#run.timeIs(now);
  }

  /** Does the run wait for a person, for example to approve a tool call? That time does not count. */
  get waiting(): boolean {
    return this.#run.waiting;
  }

  set waiting(waiting: boolean) {
    this.#run.waiting = waiting;
  }

  /** Milliseconds until {@link overdue} has something to say, if the turn under way takes that long. */
  get timeLeft(): number | undefined {
    const { time } = this.#limits;
    // Without any time there is a boundary before every turn, and nothing to watch for in between.
    if (!time || time.max === "unlimited" || time.max === 0 || !this.#run.isTimed) return undefined;
    return Math.max(0, time.max - time.used);
  }

  /**
   * The time may be up in the middle of a turn. `undefined`: it is not, or somebody is being asked already. A host that
   * cannot cut off what is under way and go on, or does not get to the tools-free turn, says so: there will be none then.
   */
  overdue(canGoOn = true): OverdueDecision | undefined {
    const { time } = this.#limits;
    if (!canGoOn && this.#run.isDueByTime) return this.#cutOffLast();
    if (!time || this.timeLeft !== 0) return undefined;
    const { policy, ...boundary } = time;
    const action = this.#actionOf(policy);
    const { synthesis } = this.#run;
    if (synthesis?.begun === false && canGoOn) return this.#run.refuse("synthesize", synthesis);
    if (action === "ask" && !synthesis) return this.#run.ask(boundary, "time");
    const last = action === "synthesize" && canGoOn && !synthesis;
    const cut = this.#runOut(boundary, last || action === "decline" ? action : "stop");
    return cut.kind === "synthesize" ? cut : (this.#run.stop ?? undefined);
  }

  /** A model request is really being sent. A stop: it is one too many, and the run must end at once. */
  requestSent(): Stop | undefined {
    return this.#run.audit("requests", this.#limits.turnBoundary);
  }

  /** A tool call is really being executed. A stop: it is one too many, and the run must end at once. */
  stepExecuted(): Stop | undefined {
    return this.#run.audit("calls", this.#limits.steps.boundary);
  }

  /** The agent is idle again: why, and what the run took. `undefined` if no run was under way. */
  settled(): Outcome | undefined {
    if (this.#run.status === "idle") return undefined;
    const outcome = outcomeOf(this.state);
    this.#run.close();
    return outcome;
  }

  /** Start the counters over, without a prompt. */
  reset(): void {
    this.#limits.restart();
    this.#newRound();
    this.#run.auditRestarts("calls");
    this.#declined = false;
    this.#run.release();
  }

  #open(): void {
    this.#run.open();
    this.#wrapUp.newRun();
  }

  #begin(): TurnDecision {
    // A yes lets the held turn begin, also where the limit is 0.
    const beyond = this.#limits.turns.reached;
    return this.#run.repeatsRequest ? this.#run.beginAgain() : this.#run.begin(this.#wrapUpMessage(), beyond);
  }

  #wrapUpMessage(): string | undefined {
    const message = this.#wrapUp.take(this.#limits.turns, this.#limits.isShort(this.#actionOf));
    if (message !== undefined) this.#run.touch();
    return message;
  }

  #atBoundary(reached: Reached): TurnDecision {
    const { action } = reached;
    const boundary = boundaryIn(reached);
    if (action === "ask") return this.#run.hold(boundary, reached.holder);
    if (action === "decline") return this.#decline(boundary);
    if (action === "stop" || this.#run.hasNothingToTell) return this.#run.end(boundary, "stopped");
    return this.#run.beginLast(boundary);
  }

  // A no stands until a person prompts or changes a limit: a program that goes on does not bring the question back.
  #decline(boundary: Boundary): Stop {
    this.#declined = true;
    return this.#run.end(boundary, "declined");
  }

  // The time was up before, and what was to come of it does not come.
  #cutOffLast(): Stop | undefined {
    const { synthesis } = this.#run;
    return synthesis ? this.#run.end(synthesis, "stopped") : undefined;
  }

  readonly #actionOf = ({ onExhausted, headless }: Policy): Action => {
    if (onExhausted !== "ask") return onExhausted;
    if (this.#canAsk) return this.#declined ? "decline" : "ask";
    return headless;
  };

  get #reached(): Reached | undefined {
    return this.#limits.reached(this.#run.repeatsRequest, this.#actionOf);
  }

  #decideStep(call: StepCall): StepDecision {
    const { status, stop, synthesis, question } = this.#run;
    const over = stop ?? synthesis ?? (status === "asking" ? question : null);
    if (over) return this.#run.refuse("refuse", over);
    const { steps, budgets, spending } = this.#limits;
    const oversteps: Overstepped[] = budgets.oversteps(call, spending.spent).map((overstep) => ({
      ...overstep,
      action: overstep.final ? this.#actionOf(overstep.policy) : "ask",
    }));
    // What another budget refuses takes no step.
    const takesStep = oversteps.length === 0 || steps.reached;
    if (takesStep && !steps.tick()) oversteps.unshift({ boundary: steps.boundary, action: steps.action });
    const overstep = strictest(oversteps);
    if (overstep) return this.#overstepped(overstep);
    if (counts("call", "repeats")) budgets.repeats?.began(call);
    return this.#run.step();
  }

  #overstepped({ boundary, action }: Overstepped): StepDecision {
    if (action !== "ask") return this.#runOut(boundary, action);
    return this.#run.refuse("refuse", boundary, boundary.limit === "repeats" ? sameAgain : notRun);
  }

  #runOut(boundary: Boundary, action: Action): Refuse | RefuseAndSynthesize {
    if (action === "synthesize" && !this.#run.hasNothingToTell) return this.#run.synthesizeNext(boundary);
    return this.#run.cutOff(boundary, action === "decline" ? "declined" : "stopped");
  }

  // Of turns, or of another budget only: the model can be told to wrap up once more.
  #newRound(ofTurns = true): void {
    this.#wrapUp.restart();
    if (ofTurns) this.#run.auditRestarts("requests");
  }

  // Limits have changed: what a person said, or is being asked, may no longer be the question.
  #reconsider(): void {
    this.#declined = false;
    const { question, asked, status } = this.#run;
    if (!question || !asked) return;
    const reached = status === "asking" ? this.#reached : this.#limits.timeUp(this.#actionOf);
    if (reached?.action === "ask" && reached.holder === asked) this.#run.ask(boundaryIn(reached), asked);
    else this.#run.release();
  }
}

function boundaryIn({ action: _, holder: __, ...boundary }: Reached): Boundary {
  return boundary;
}
