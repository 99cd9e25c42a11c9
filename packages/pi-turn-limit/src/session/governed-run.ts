import type { AssistantMessage } from "@earendil-works/pi-ai";
import type {
  ContextEvent,
  ContextEventResult,
  ContextWithSystemEvent,
  ExtensionAPI,
  ExtensionContext,
  ToolCallEvent,
  ToolCallEventResult,
  ToolResultEvent,
} from "@earendil-works/pi-coding-agent";
import {
  type Ask,
  type Boundary,
  createGovernor,
  type Governor,
  type Outcome,
  type Spent,
  type Stop,
  type Synthesize,
  type TurnDecision,
} from "turn-limit";
import type { BoundaryStyle, LimitValues } from "../config/LimitValues.ts";
import { reachedText } from "../ui/limit-words.ts";
import { say } from "../ui/say.ts";
import { Widget } from "../ui/widget.ts";
import type { WrapUpWish } from "../ui/wrap-up-reply.ts";
import { Announcer } from "./announcer.ts";
import { changedBudgets } from "./changed-budgets.ts";
import { handOver, takeOver } from "./hand-over.ts";
import { OpenQuestion } from "./open-question.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { RunawayGuard } from "./runaway-guard.ts";
import { explained } from "./stop-message.ts";
import { TimeWatch } from "./time-watch.ts";
import { told, toolsFree } from "./tools-free.ts";
import { isPriced, usageOf } from "./usage.ts";

const WRAP_UP = "turn-limit:wrap-up";
const LAST_TURN = "turn-limit:last-turn";

/** Carries the governor's decisions out with Pi's means. */
export class GovernedRun {
  readonly #pi: ExtensionAPI;
  readonly #announcer = new Announcer();
  readonly #widget = new Widget();
  readonly #question = new OpenQuestion();
  readonly #watch = new TimeWatch();
  readonly #runaway = new RunawayGuard();
  #timeless = createGovernor();
  #style: BoundaryStyle = "confirm";
  #lastTurn: Synthesize | undefined;
  #cutOff: Boundary | undefined;
  #toldInRequest: string | undefined;
  #offeredGrace: number | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
  }

  // The governor has no clock: it is told the time whenever it is turned to.
  get #governor(): Governor {
    this.#timeless.timeIs(Date.now());
    return this.#timeless;
  }

  /** A session starts. After a reload it goes on where the extension stood before it. */
  begin(ctx: ExtensionContext, reason: string): void {
    const state = reason === "reload" ? takeOver() : undefined;
    this.#timeless = createGovernor({ canAsk: ctx.hasUI, ...(state && { state }) });
  }

  /** The session, or this instance of the extension, comes to its end. */
  end(reason: string): void {
    this.#watch.off();
    this.#question.withdraw();
    if (reason === "reload") handOver(this.#governor.state);
  }

  /** These limits changed. A question that they have answered closes by itself. */
  apply(values: LimitValues, changed: readonly string[]): void {
    const governor = this.#governor;
    if (changed.includes("turns")) governor.maxTurns = values.turns;
    governor.grace = values.grace;
    governor.headless = values.headless;
    governor.steps = values.steps;
    governor.wrapUpOptions = {
      ...(values.wrapUpMessage && { message: values.wrapUpMessage }),
      grace: () => this.#offeredGrace,
    };
    const budgets = changedBudgets(values, changed);
    if (Object.keys(budgets).length > 0) governor.setBudgets(budgets);
    this.#style = values.boundary;
    if (!governor.question) this.#question.withdraw();
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** Another extension waits for a person, or does so no longer: that time does not count. */
  personIsAwaited(waiting: unknown): void {
    this.#governor.waiting = waiting === true;
  }

  /** Each limit that there is, with what is used of it; an idle agent will begin at zero. */
  get standings(): Boundary[] {
    const { status, standings } = this.#governor;
    return status === "idle" ? standings.map((standing) => ({ ...standing, used: 0 })) : standings;
  }

  /** What the run has spent; an idle agent will begin at zero. */
  get spent(): Spent | undefined {
    const { status, spent } = this.#governor;
    return status === "idle" ? undefined : spent;
  }

  /** Can nothing but a person's prompt make the agent work again? */
  get exhausted(): boolean {
    return this.#governor.status === "idle" && this.#governor.exhausted;
  }

  /** A person prompted. What was under way, if anything, had come to its end. */
  prompt(): void {
    this.#settle();
    this.#announcer.prompted();
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
    this.#checkPrice(ctx);
    let decision = this.#decide(ctx, () => this.#governor.beforeTurn());
    while (decision?.kind === "ask") decision = await this.#ask(ctx, decision);
    if (!decision) return undefined;
    if (decision.kind === "stop") await this.#stop(ctx, decision);
    if (decision.kind === "synthesize") {
      if (!lastTurn && !this.#cutOff) this.#announceLastTurn(ctx, decision);
      this.#cutOff = undefined;
      this.#lastTurn = decision;
    }
    this.show(ctx);
    this.#watchTime(ctx);
    if (decision.kind === "wrap-up") this.#tellInRequest(ctx, decision.message);
    return this.#toldInRequest ? { messages: [...messages, told(this.#toldInRequest)] } : undefined;
  }

  /** The request is assembled: the tools-free turn gets no tools. */
  beforeRequest({ messages }: ContextWithSystemEvent): ContextEventResult | undefined {
    return this.#lastTurn && { messages: toolsFree(messages, this.#lastTurn.message) };
  }

  /** The request is really being sent. */
  async requestSent(ctx: ExtensionContext): Promise<void> {
    const stop = this.#governor.requestSent();
    if (stop) await this.#stop(ctx, stop);
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  beforeStep(
    { toolCallId, toolName, input }: ToolCallEvent,
    ctx: ExtensionContext,
  ): ToolCallEventResult | undefined {
    const decision = this.#governor.beforeStep({ id: toolCallId, tool: toolName, args: input });
    this.show(ctx);
    return decision.kind === "proceed" ? undefined : { block: true, reason: decision.reason };
  }

  /** A tool call was really executed. */
  async stepExecuted(
    { toolCallId, content, isError }: ToolResultEvent,
    ctx: ExtensionContext,
  ): Promise<void> {
    this.#governor.stepEnded({ id: toolCallId, result: { content, isError } });
    const stop = this.#governor.stepExecuted();
    if (stop) await this.#stop(ctx, stop);
  }

  /** The turn in flight has its answer, or will get none. */
  answered({ stopReason, usage }: AssistantMessage, ctx: ExtensionContext): void {
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || ctx.signal?.aborted;
    const mishap = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    this.#governor.turnEnded({ ...(mishap && { mishap }), usage: usageOf(usage) });
    if (!mishap) this.#toldInRequest = undefined;
    this.show(ctx);
  }

  /** The run spent something beside its turns. */
  spend(activity: "compaction" | "nested", usage: AssistantMessage["usage"] | undefined): void {
    if (usage) this.#governor.spend(activity, usageOf(usage));
  }

  /** The message that Pi made up for an aborted turn, with the reason if it was a limit. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    const { stop } = this.#governor;
    if (stop) return this.#announcer.explain(message, stop);
    return this.#cutOff && explained(message, `${reachedText(this.#cutOff)} Cut off.`);
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

  /** The agent is idle again, unless it was cut off and has an answer to give. */
  settled(ctx: ExtensionContext): void {
    this.#question.withdraw();
    const { stop } = this.#governor;
    if (this.#cutOff && !stop) {
      this.#triggerLastTurn(this.#cutOff);
      return;
    }
    const outcome = this.#settle();
    if (outcome) this.#runaway.ended(outcome, stop, ctx);
    if (stop) this.#announcer.ended();
    this.#widget.clear(ctx);
  }

  /** Another session, or another point of this one: what was shown of an idle agent may no longer hold. */
  moved(ctx: ExtensionContext): void {
    if (this.#governor.status === "idle") this.#widget.clear(ctx);
  }

  /** Shows the counters as they stand. */
  show(ctx: ExtensionContext): void {
    this.#widget.show(
      ctx,
      this.standings.filter(({ limit, used }) => limit !== "repeats" || used > 0),
    );
  }

  // A run that is already being aborted takes no further turn, whoever aborted it.
  #decide(ctx: ExtensionContext, decide: () => TurnDecision): TurnDecision | undefined {
    return ctx.signal?.aborted ? undefined : decide();
  }

  async #ask(ctx: ExtensionContext, ask: Ask): Promise<TurnDecision | undefined> {
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const reply = await this.#question.put(ctx, ask, this.#style);
    return this.#decide(ctx, () => {
      if (reply === undefined) return this.#governor.beforeTurn();
      if (reply === true) this.#widget.show(ctx, startedOver(this.standings, ask.limit));
      return this.#governor.answer(reply);
    });
  }

  #watchTime(ctx: ExtensionContext): void {
    this.#watch.set(this.#governor.timeLeft, {
      up: () => void this.#timeIsUp(ctx),
      ...(ctx.mode === "tui" && { ticks: () => this.show(ctx) }),
    });
  }

  async #timeIsUp(ctx: ExtensionContext): Promise<void> {
    const decision = this.#governor.overdue();
    if (!decision) return this.#watchTime(ctx);
    if (decision.kind === "ask") return this.#askMeanwhile(ctx, decision);
    if (decision.kind === "stop") return this.#stop(ctx, decision);
    this.#cutOff = decision;
    this.#announceLastTurn(ctx, decision);
    abort(ctx);
  }

  // The turn goes on while the person thinks. If it ends first, the next one is held for the same question.
  async #askMeanwhile(ctx: ExtensionContext, ask: Ask): Promise<void> {
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const reply = await this.#question.put(ctx, ask, this.#style);
    if (reply === undefined || ctx.signal?.aborted || this.#governor.status !== "running") return;
    const decision = this.#governor.answer(reply);
    if (decision.kind === "stop") return this.#stop(ctx, decision);
    this.show(ctx);
    this.#watchTime(ctx);
  }

  async #stop(ctx: ExtensionContext, stop: Stop): Promise<void> {
    this.#watch.off();
    if (stop.outcome !== "declined") publishBoundary(this.#pi, stop);
    this.#announcer.stopped(ctx, stop);
    await this.#runaway.slowDown();
    abort(ctx);
    this.#runaway.aborted(stop, ctx);
  }

  #announceLastTurn(ctx: ExtensionContext, decision: Boundary & { kind: "synthesize" }): void {
    publishBoundary(this.#pi, decision);
    say(ctx, `${reachedText(decision).replace(/\.$/, "")}: one last answer, without tools.`, "warning");
  }

  // What was aborted cannot go on by itself.
  #triggerLastTurn(boundary: Boundary): void {
    const content = `${reachedText(boundary)} What was under way has been cut off.`;
    this.#pi.sendMessage({ customType: LAST_TURN, content, display: true }, { triggerTurn: true });
  }

  #checkPrice(ctx: ExtensionContext): void {
    if (!ctx.model || isPriced(ctx.model)) return;
    this.#governor.priceUnknown();
    if (this.#governor.unpriced) this.#announcer.unpriced(ctx, ctx.model, this.#governor.budgets);
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
    this.#watch.off();
    this.#lastTurn = undefined;
    this.#cutOff = undefined;
    this.#toldInRequest = undefined;
    const happened = outcome && (outcome.turns > 0 || outcome.touched);
    if (happened) publishOutcome(this.#pi, outcome);
    return outcome;
  }
}

// What a timer holds on to may belong to a session that is gone.
function abort(ctx: ExtensionContext): void {
  try {
    ctx.abort();
  } catch {
    // There is nothing left to abort.
  }
}

function startedOver(standings: readonly Boundary[], limit: string): Boundary[] {
  return standings.map((standing) => (standing.limit === limit ? { ...standing, used: 0 } : standing));
}
