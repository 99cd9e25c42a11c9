import type { WrapUpOptions } from "../limits/GracefulTurnLimit.ts";
import type { Max } from "../limits/Max.ts";
import { TurnLimit } from "../limits/TurnLimit.ts";
import type {
  Ask,
  Boundary,
  Proceed,
  StepDecision,
  Stop,
  Synthesize,
  TurnDecision,
  WrapUp,
} from "./Decision.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";
import type { GovernorState, RunStatus } from "./GovernorState.ts";
import { type Headless, requireHeadless } from "./Headless.ts";
import { type Outcome, outcomeOf } from "./Outcome.ts";
import { afterMishap, isWanted, type Mishap, type RequestStatus, type TurnEnd } from "./RequestStatus.ts";
import { emptyTally } from "./RunTally.ts";
import { refusal } from "./refusal.ts";
import { StepCounter, type StepOption, type ValidBudget } from "./StepCounter.ts";
import { DEFAULT_SYNTHESIS_MESSAGE, type Synthesis, synthesize } from "./Synthesis.ts";
import { addUsage, type Usage } from "./Usage.ts";
import { WrapUpSwitch } from "./WrapUpSwitch.ts";

const PROCEED: Proceed = Object.freeze({ kind: "proceed" });

/** Made by `createGovernor`. Deterministic: the same events give the same decisions. */
export class Governor {
  readonly #turns: TurnLimit;
  readonly #steps: StepCounter;
  readonly #wrapUp: WrapUpSwitch;
  readonly #canAsk: boolean;
  readonly #synthesisMessage: string;
  #headless: Headless;
  #status: RunStatus = "idle";
  #request: RequestStatus = "none";
  #tally = emptyTally();
  #usage: Usage | null = null;
  #synthesis: Synthesis | null = null;
  #stop: Stop | null = null;
  #declined = false;

  constructor({ turns = {}, steps = "unlimited", synthesisMessage, canAsk = false, state }: GovernorOptions) {
    const {
      max,
      grace = 0,
      wrapUp = {},
      headless = "stop",
    } = typeof turns === "object" && turns ? turns : { max: turns };
    this.#canAsk = canAsk;
    this.#headless = requireHeadless(headless);
    this.#synthesisMessage = synthesisMessage ?? DEFAULT_SYNTHESIS_MESSAGE;
    this.#turns = state ? TurnLimit.from(state.turns) : new TurnLimit(max);
    this.#steps = state ? StepCounter.from(state.steps) : new StepCounter(steps);
    this.#wrapUp = state ? WrapUpSwitch.from(state.wrapUp, wrapUp) : new WrapUpSwitch(grace, wrapUp);
    if (!state) return;
    this.#headless = requireHeadless(state.headless);
    this.#status = state.status;
    this.#request = state.request;
    this.#tally = { ...state.tally };
    this.#usage = state.usage;
    this.#synthesis = state.synthesis;
    this.#stop = state.stop;
    this.#declined = state.declined;
  }

  /** Where the run stands. */
  get status(): RunStatus {
    return this.#status;
  }

  /** Turns begun in this round. */
  get turnsUsed(): number {
    return this.#turns.used;
  }

  /** Steps admitted since the last prompt. */
  get stepsUsed(): number {
    return this.#steps.used;
  }

  /** The turn limit. Setting it counts from the next turn on; see {@link TurnLimit.max}. */
  get maxTurns(): Max {
    return this.#turns.max;
  }

  set maxTurns(max: Max) {
    const reEnabled = this.#turns.max === "unlimited" && max !== "unlimited";
    this.#turns.max = max;
    this.#declined = false;
    if (reEnabled) this.#wrapUp.restart();
    if (this.#status === "asking" && !this.#turns.reached) this.#status = "running";
  }

  /** The step limit. Setting it counts from the next step on; the counter keeps its value. */
  get steps(): ValidBudget {
    return this.#steps.budget;
  }

  set steps(budget: StepOption) {
    this.#steps.budget = budget;
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
    return this.#headless;
  }

  set headless(headless: Headless) {
    this.#headless = requireHeadless(headless);
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#stop;
  }

  /** Is the tools-free last turn due or under way? */
  get synthesizing(): boolean {
    return this.#synthesis !== null;
  }

  /** Would a run that no person's prompt began be stopped before its first turn, without a question? */
  get exhausted(): boolean {
    return this.#steps.exceeded || (this.#turns.reached && !this.#mayAsk);
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    return {
      status: this.#status,
      turns: this.#turns.toJSON(),
      steps: this.#steps.toJSON(),
      wrapUp: this.#wrapUp.toJSON(),
      headless: this.#headless,
      request: this.#request,
      tally: { ...this.#tally },
      usage: this.#usage,
      synthesis: this.#synthesis,
      stop: this.#stop,
      declined: this.#declined,
    };
  }

  /** A person's prompt: a new run, and the only everyday event that refreshes the budget. */
  prompt(): void {
    this.#open();
    this.reset();
  }

  /** A turn is about to begin. A run that no person's prompt began goes on with the budget that is left. */
  beforeTurn(): TurnDecision {
    if (this.#status === "idle") this.#open();
    if (this.#stop) return this.#stop;
    if (this.#synthesis?.begun === false) return this.#beginLast(this.#synthesis);
    if (this.#request === "retry-due") return this.#requestAgain();
    if (this.#synthesis) return this.#end(this.#synthesis, "stopped");
    if (this.#steps.exceeded) return this.#end(this.#steps.boundary, "stopped");
    if (this.#turns.reached) return this.#atTurnBoundary();
    return this.#begin();
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no.
   * A reply that comes too late decides nothing: a turn still held is decided anew, a run that is over stays over.
   */
  answer(yes: boolean): TurnDecision {
    if (this.#status === "idle") return { ...this.#turnBoundary, kind: "stop", outcome: "stopped" };
    if (this.#status === "running" && this.#request === "in-flight") return PROCEED;
    if (this.#status !== "asking") return this.beforeTurn();
    if (!yes) return this.#decline();
    this.#status = "running";
    this.#turns.restart();
    this.#wrapUp.restart();
    return this.#begin();
  }

  /** A tool call is about to begin, or one nested in it. Ask in the order in which the model made the calls. */
  beforeStep(): StepDecision {
    if (this.#status === "idle") this.#open();
    const over = this.#stop ?? this.#synthesis ?? (this.#status === "asking" ? this.#turnBoundary : null);
    if (over) return this.#refuse("refuse", over);
    if (this.#steps.tick()) {
      this.#tally.steps += 1;
      return PROCEED;
    }
    if (this.#steps.onExhausted === "raise" || this.#hasNothingToTell) {
      return this.#refuse("refuse", this.#end(this.#steps.boundary, "stopped"));
    }
    this.#synthesis = { ...this.#steps.boundary, begun: false };
    return this.#refuse("synthesize", this.#synthesis);
  }

  /**
   * The agent is going to take another turn: what the model has to be told first, if anything. For hosts that deliver
   * messages before they ask {@link beforeTurn}; what is not taken here comes as its `wrap-up` decision.
   */
  takeWrapUp(): string | undefined {
    const goesOn = this.#status === "running" && !this.#synthesis && !this.#turns.reached;
    return goesOn ? this.#wrapUpMessage() : undefined;
  }

  /** Was the model told to wrap up in this round? */
  get wrapUpSent(): boolean {
    return this.#wrapUp.sent;
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    if (this.#status === "idle" || this.#status === "ending" || this.#synthesis) return false;
    this.#wrapUp.request();
    return true;
  }

  /** The turn in flight ended: answered, or as the mishap says; and what it took, where the host knows. */
  turnEnded(end: Mishap | TurnEnd = {}): void {
    const { mishap, usage } = typeof end === "string" ? { mishap: end } : end;
    if (usage && this.#status !== "idle") this.#usage = addUsage(this.#usage, usage);
    if (this.#status !== "running") return;
    if (mishap) {
      this.#request = afterMishap(this.#request, mishap);
    } else if (isWanted(this.#request)) {
      this.#request = "answered";
      this.#turns.complete();
    }
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    if (this.#status !== "running" || this.#request !== "answered") return;
    this.#request = "retry-due";
    this.#turns.uncomplete();
  }

  /** The agent is idle again: why, and what the run took. `undefined` if no run was under way. */
  settled(): Outcome | undefined {
    if (this.#status === "idle") return undefined;
    const outcome = outcomeOf(this.state);
    this.#status = "idle";
    this.#stop = null;
    this.#synthesis = null;
    return outcome;
  }

  /** Start the counters over, without a prompt. */
  reset(): void {
    this.#turns.restart();
    this.#steps.restart();
    this.#wrapUp.restart();
    this.#declined = false;
    if (this.#status === "asking") this.#status = "running";
  }

  #open(): void {
    this.#status = "running";
    this.#request = "none";
    this.#tally = emptyTally();
    this.#usage = null;
    this.#wrapUp.newRun();
    this.#synthesis = null;
    this.#stop = null;
  }

  #begin(): Proceed | WrapUp {
    const message = this.#wrapUpMessage();
    this.#count();
    return message === undefined ? PROCEED : { kind: "wrap-up", message };
  }

  #wrapUpMessage(): string | undefined {
    const message = this.#wrapUp.take(this.#turns);
    if (message !== undefined) this.#tally.touched = true;
    return message;
  }

  #beginLast(boundary: Boundary): Synthesize {
    this.#status = "running";
    this.#synthesis = { ...boundary, begun: true };
    this.#tally.touched = true;
    this.#count();
    return synthesize(this.#synthesis, this.#synthesisMessage);
  }

  #count(): void {
    if (this.#turns.used === 0 || this.#tally.rounds === 0) this.#tally.rounds += 1;
    this.#turns.begin();
    this.#tally.turns += 1;
    this.#request = "in-flight";
  }

  #requestAgain(): Proceed | Synthesize {
    this.#request = "in-flight";
    return this.#synthesis ? synthesize(this.#synthesis, this.#synthesisMessage) : PROCEED;
  }

  #atTurnBoundary(): Ask | Synthesize | Stop {
    if (this.#mayAsk) return this.#ask();
    if (this.#declined) return this.#decline();
    if (this.#headless === "stop" || this.#hasNothingToTell) return this.#end(this.#turnBoundary, "stopped");
    return this.#beginLast(this.#turnBoundary);
  }

  #ask(): Ask {
    this.#status = "asking";
    // The host wants the next turn, so the one before it is over, whether or not anybody said so.
    if (this.#request === "in-flight") this.#request = "answered";
    this.#tally.touched = true;
    return { ...this.#turnBoundary, kind: "ask" };
  }

  // A no stands until a person prompts or changes the limit: a program that goes on does not bring the question back.
  #decline(): Stop {
    this.#declined = true;
    return this.#end(this.#turnBoundary, "declined");
  }

  get #mayAsk(): boolean {
    return this.#canAsk && !this.#declined;
  }

  #refuse<K extends "refuse" | "synthesize">(kind: K, { limit, used, max }: Boundary) {
    this.#tally.touched = true;
    return { kind, limit, used, max, reason: refusal({ limit, used, max }) };
  }

  #end({ limit, used, max }: Boundary, outcome: Stop["outcome"]): Stop {
    this.#status = "ending";
    this.#tally.touched = true;
    this.#stop = { kind: "stop", limit, used, max, outcome };
    return this.#stop;
  }

  // A run that took no turn has no evidence to answer from.
  get #hasNothingToTell(): boolean {
    return this.#tally.turns === 0;
  }

  get #turnBoundary(): Boundary {
    return { limit: "turns", used: this.#turns.used, max: this.#turns.max };
  }
}
