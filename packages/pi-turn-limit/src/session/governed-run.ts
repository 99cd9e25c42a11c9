import type { AssistantMessage } from "@earendil-works/pi-ai";
import type {
  ContextEvent,
  ContextEventResult,
  ContextWithSystemEvent,
  ExtensionAPI,
  ExtensionContext,
  ToolCallEventResult,
} from "@earendil-works/pi-coding-agent";
import {
  type Ask,
  createGovernor,
  type Outcome,
  type Stop,
  type Synthesize,
  type TurnDecision,
} from "turn-limit";
import type { LimitValues } from "../config/LimitValues.ts";
import { mayContinue } from "../ui/question.ts";
import { say } from "../ui/say.ts";
import { type Count, clearWidget, showWidget } from "../ui/widget.ts";
import type { WrapUpWish } from "../ui/wrap-up-reply.ts";
import { handOver, takeOver } from "./hand-over.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { RunawayGuard } from "./runaway-guard.ts";
import { stopReason, stopTitle } from "./stop-message.ts";
import { told, toolsFree } from "./tools-free.ts";
import { usageOf } from "./usage.ts";

const WRAP_UP = "turn-limit:wrap-up";

/** Carries the governor's decisions out with Pi's means. */
export class GovernedRun {
  readonly #pi: ExtensionAPI;
  readonly #runaway = new RunawayGuard();
  #governor = createGovernor();
  #openQuestion: AbortController | undefined;
  #lastTurn: Synthesize | undefined;
  #toldInRequest: string | undefined;
  #unsaidStop: string | undefined;
  #offeredGrace: number | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  /** A session starts. After a reload it goes on where the extension stood before it. */
  begin(ctx: ExtensionContext, reason: string): void {
    const state = reason === "reload" ? takeOver() : undefined;
    this.#governor = createGovernor({ canAsk: ctx.hasUI, ...(state && { state }) });
  }

  /** The extension is about to be loaded anew. */
  handOver(): void {
    handOver(this.#governor.state);
  }

  /** The limits changed. A question that they have answered closes by itself. */
  apply({ turns, grace, headless, wrapUpMessage, steps }: LimitValues): void {
    this.#governor.maxTurns = turns;
    this.#governor.grace = grace;
    this.#governor.headless = headless;
    this.#governor.steps = steps;
    this.#governor.wrapUpOptions = {
      ...(wrapUpMessage && { message: wrapUpMessage }),
      grace: () => this.#offeredGrace,
    };
    if (this.#governor.status !== "asking") this.#openQuestion?.abort();
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** Turns of this round; an idle agent will begin at zero. */
  get turnsUsed(): number {
    return this.#governor.status === "idle" ? 0 : this.#governor.turnsUsed;
  }

  /** Tool calls of this run; an idle agent will begin at zero. */
  get stepsUsed(): number {
    return this.#governor.status === "idle" ? 0 : this.#governor.stepsUsed;
  }

  /** Can nothing but a person's prompt make the agent work again? */
  get exhausted(): boolean {
    return this.#governor.status === "idle" && this.#governor.exhausted;
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#governor.stop;
  }

  /** A person prompted. What was under way, if anything, had come to its end. */
  prompt(): void {
    this.#settle();
    if (this.#unsaidStop) console.error(this.#unsaidStop);
    this.#unsaidStop = undefined;
    this.#runaway.prompted();
    this.#governor.prompt();
  }

  /** A turn is about to begin: lets it, holds it for a question, or aborts the run before the request. */
  async beforeTurn(
    { messages }: ContextEvent,
    ctx: ExtensionContext,
  ): Promise<ContextEventResult | undefined> {
    const lastTurn = this.#lastTurn;
    this.#lastTurn = undefined;
    let decision = this.#decide(ctx, () => this.#governor.beforeTurn());
    while (decision?.kind === "ask") decision = await this.#ask(ctx, decision);
    if (!decision) return undefined;
    if (decision.kind === "stop") await this.#stop(ctx, decision);
    if (decision.kind === "synthesize") {
      if (!lastTurn) this.#announceLastTurn(ctx, decision);
      this.#lastTurn = decision;
    }
    this.show(ctx);
    if (decision.kind === "wrap-up") this.#tellInRequest(ctx, decision.message);
    return this.#toldInRequest ? { messages: [...messages, told(this.#toldInRequest)] } : undefined;
  }

  /** The request is assembled: the tools-free turn gets no tools. */
  beforeRequest({ messages }: ContextWithSystemEvent): ContextEventResult | undefined {
    return this.#lastTurn && { messages: toolsFree(messages, this.#lastTurn.message) };
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  beforeStep(ctx: ExtensionContext): ToolCallEventResult | undefined {
    const decision = this.#governor.beforeStep();
    if (this.#governor.steps !== "unlimited") this.show(ctx);
    return decision.kind === "proceed" ? undefined : { block: true, reason: decision.reason };
  }

  /** The turn in flight has its answer, or will get none. */
  answered({ stopReason, usage }: AssistantMessage, ctx: ExtensionContext): void {
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || ctx.signal?.aborted;
    const mishap = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    this.#governor.turnEnded({ ...(mishap && { mishap }), usage: usageOf(usage) });
    if (!mishap) this.#toldInRequest = undefined;
  }

  /** The turn is over and another one will follow: tells the model to wrap up if it is time. */
  anotherTurnComes(): void {
    const message = this.#governor.takeWrapUp();
    if (message !== undefined) this.#showWrapUp(message);
  }

  /** A person wants the agent to wrap up. */
  requestWrapUp(): WrapUpWish {
    const told = this.#governor.wrapUpSent;
    if (!this.#governor.requestWrapUp()) return "nothing to wrap up";
    return told ? "told already" : "granted";
  }

  /** Pi compacts and asks for the last answer again. */
  turnDiscarded(): void {
    this.#governor.turnDiscarded();
  }

  /** The agent is idle again. */
  settled(ctx: ExtensionContext): void {
    const { stop } = this.#governor;
    const outcome = this.#settle();
    if (outcome) this.#runaway.ended(outcome, stop, ctx);
    clearWidget(ctx);
  }

  /** Another session, or another point of this one: what was shown of an idle agent may no longer hold. */
  moved(ctx: ExtensionContext): void {
    if (this.#governor.status === "idle") clearWidget(ctx);
  }

  /** Shows the counters as they stand. */
  show(ctx: ExtensionContext): void {
    showWidget(ctx, this.#counts(this.turnsUsed));
  }

  #counts(turnsUsed: number): Count[] {
    const { maxTurns, steps } = this.#governor;
    const turns = { label: "Turns", used: turnsUsed, max: maxTurns };
    return steps === "unlimited"
      ? [turns]
      : [turns, { label: "Steps", used: this.stepsUsed, max: steps.max }];
  }

  // A run that is already being aborted takes no further turn, whoever aborted it.
  #decide(ctx: ExtensionContext, decide: () => TurnDecision): TurnDecision | undefined {
    return ctx.signal?.aborted ? undefined : decide();
  }

  async #ask(ctx: ExtensionContext, ask: Ask): Promise<TurnDecision | undefined> {
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const question = new AbortController();
    this.#openQuestion = question;
    const yes = await mayContinue(ctx, ask, question.signal);
    this.#openQuestion = undefined;
    return this.#decide(ctx, () => {
      if (question.signal.aborted) return this.#governor.beforeTurn();
      if (yes) showWidget(ctx, this.#counts(0));
      return this.#governor.answer(yes);
    });
  }

  async #stop(ctx: ExtensionContext, stop: Stop): Promise<void> {
    if (stop.outcome === "stopped") publishBoundary(this.#pi, stop);
    if (!ctx.hasUI) this.#sayWithoutUi(ctx, stopReason(stop));
    else ctx.ui.notify(stop.outcome === "declined" ? "Agent aborted by user." : stopTitle(stop), "error");
    await this.#runaway.slowDown();
    ctx.abort();
  }

  // Print mode says why its last run ended, and nothing of those before; JSON mode says nothing on stderr.
  #sayWithoutUi(ctx: ExtensionContext, reason: string): void {
    if (ctx.mode === "json") console.error(reason);
    else this.#unsaidStop = reason;
  }

  #announceLastTurn(ctx: ExtensionContext, decision: Synthesize): void {
    publishBoundary(this.#pi, decision);
    const what = decision.limit === "steps" ? "Step limit" : "Turn limit";
    say(
      ctx,
      `${what} reached (${decision.used}/${decision.max}): one last answer, without tools.`,
      "warning",
    );
  }

  // Too late for the transcript, in which it would stand behind the answer it asks for.
  #tellInRequest(ctx: ExtensionContext, message: string): void {
    this.#toldInRequest = message;
    say(ctx, "The agent is told to wrap up.");
  }

  // Appended when the turn ends, and never queued: a queued message could cause a turn.
  #showWrapUp(content: string): void {
    this.#pi.sendMessage({ customType: WRAP_UP, content, display: true }, { triggerTurn: false });
  }

  #settle(): Outcome | undefined {
    const outcome = this.#governor.settled();
    this.#lastTurn = undefined;
    this.#toldInRequest = undefined;
    const happened = outcome && (outcome.turns > 0 || outcome.touched);
    if (happened) publishOutcome(this.#pi, outcome);
    return outcome;
  }
}
