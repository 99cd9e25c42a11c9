import type { AssistantMessage } from "@earendil-works/pi-ai";
import type {
  CacheWarmingDecisionEvent,
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
  type Reply,
  type Spent,
  type Stop,
  type Synthesize,
  type TurnDecision,
} from "turn-limit";
import type { BoundaryStyle, LimitValues } from "../config/LimitValues.ts";
import { say } from "../ui/say.ts";
import { Widget } from "../ui/widget.ts";
import type { WrapUpWish } from "../ui/wrap-up-reply.ts";
import { Announcer } from "./announcer.ts";
import { AwaitedPerson } from "./awaited-person.ts";
import { abort, Brake } from "./brake.ts";
import { changedBudgets } from "./changed-budgets.ts";
import { comparable } from "./comparable.ts";
import { handOver, takeOver } from "./hand-over.ts";
import { MidTurn } from "./mid-turn.ts";
import { OpenQuestion } from "./open-question.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { told, toolsFree } from "./tools-free.ts";
import { isPriced, usageOf } from "./usage.ts";

const WRAP_UP = "turn-limit:wrap-up";

/** Carries the governor's decisions out with Pi's means. */
export class GovernedRun {
  /** Whether the person is being waited for, in another matter than a limit. */
  readonly person = new AwaitedPerson(() => {
    this.#governor.waiting = this.person.isAwaited;
    this.#midTurn.watchTime();
  });
  readonly #pi: ExtensionAPI;
  readonly #announcer = new Announcer();
  readonly #widget = new Widget();
  readonly #question = new OpenQuestion();
  readonly #brake: Brake;
  readonly #midTurn = new MidTurn({
    governor: () => this.#governor,
    show: (ctx) => this.show(ctx),
    ask: (ctx, ask) => this.#put(ctx, ask),
    stop: (ctx, stop) => this.#stop(ctx, stop),
    cutOff: (ctx, decision) => this.#brake.cutOff(ctx, decision),
  });
  #timeless = createGovernor();
  #style: BoundaryStyle = "confirm";
  #lastTurn: Synthesize | undefined;
  #ended = false;
  #toldInRequest: string | undefined;
  #refreshesCache = false;
  #offeredGrace: number | undefined;

  constructor(pi: ExtensionAPI) {
    this.#pi = pi;
    this.#brake = new Brake(pi, this.#announcer, () => this.#settle());
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
    // Who waited for the person before a reload does not say so again.
    this.#timeless.waiting = false;
    if (this.#timeless.status !== "idle") this.#midTurn.begins(ctx);
  }

  /** The session, or this instance of the extension, comes to its end. Nobody can answer for a turn that is held. */
  end(ctx: ExtensionContext, reason: string): void {
    this.#ended = true;
    this.#midTurn.off();
    if (this.#governor.status === "asking") abort(ctx);
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
    this.#midTurn.limitsChanged();
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** Each limit that there is, with what is used of it; of an idle agent, as the next prompt will find it. */
  get standings(): Boundary[] {
    const { status, standings, state } = this.#governor;
    if (status !== "idle") return standings;
    const atPrompt = createGovernor({ state });
    atPrompt.reset();
    return atPrompt.standings;
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
    this.person.newRun();
    this.#brake.prompted();
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
      if (!lastTurn && !this.#midTurn.isCutOff) this.#brake.announceLastTurn(ctx, decision);
      this.#lastTurn = decision;
    }
    this.show(ctx);
    if (decision.kind !== "stop") this.#midTurn.begins(ctx);
    if (decision.kind === "wrap-up") this.#tellInRequest(ctx, decision.message);
    return this.#toldInRequest ? { messages: [...messages, told(this.#toldInRequest)] } : undefined;
  }

  /** The request is assembled: the tools-free turn gets no tools. */
  beforeRequest({ messages }: ContextWithSystemEvent): ContextEventResult | undefined {
    return this.#lastTurn && { messages: toolsFree(messages, this.#lastTurn.message) };
  }

  /** Pi is about to refresh the provider's prompt cache, if so by a request of its own, which is no turn. */
  cacheRefreshComes({ action }: CacheWarmingDecisionEvent): void {
    this.#refreshesCache = action === "warm";
  }

  /** The request is really being sent. */
  async requestSent(ctx: ExtensionContext): Promise<void> {
    const isTurn = !this.#refreshesCache;
    this.#refreshesCache = false;
    const stop = isTurn && this.#governor.requestSent();
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
    this.#governor.stepEnded({ id: toolCallId, result: { content: comparable(content), isError } });
    const stop = this.#governor.stepExecuted();
    if (stop) await this.#stop(ctx, stop);
  }

  /** The turn in flight has its answer, or will get none. */
  answered({ stopReason, usage }: AssistantMessage, ctx: ExtensionContext, worksOn: boolean): void {
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || ctx.signal?.aborted;
    const mishap = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    this.#governor.turnEnded({ ...(mishap && { mishap }), usage: usageOf(usage) });
    if (!mishap) this.#toldInRequest = undefined;
    // What Pi does after the last answer, for example to compact, is not the agent's time.
    if (aborted || (!mishap && !worksOn)) this.#midTurn.off();
    this.show(ctx);
  }

  /** The run spent something beside its turns. */
  spend(activity: "compaction" | "nested", usage: AssistantMessage["usage"] | undefined): void {
    if (usage) this.#governor.spend(activity, usageOf(usage));
  }

  /** The message that Pi made up for an aborted turn, with the reason if it was a limit. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    const { stop } = this.#governor;
    return stop ? this.#brake.explain(message, stop) : this.#midTurn.explain(message);
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
    const { stop } = this.#governor;
    this.#question.withdraw();
    this.#brake.halted();
    if (!stop && this.#midTurn.triggerLastTurn(this.#pi, ctx)) return;
    this.#brake.ended(ctx, this.#settle(), stop);
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
    const reply = await this.#put(ctx, ask);
    if (this.#ended) return undefined;
    return this.#decide(ctx, () => {
      if (reply === undefined) return this.#governor.beforeTurn();
      if (reply === true) this.#widget.show(ctx, startedOver(this.standings, ask.limit));
      return this.#governor.answer(reply);
    });
  }

  #put(ctx: ExtensionContext, ask: Ask): Promise<Reply | undefined> {
    this.show(ctx);
    if (!this.#question.isAbout(ask.limit)) publishBoundary(this.#pi, ask);
    return this.#question.put(ctx, ask, this.#style);
  }

  #stop(ctx: ExtensionContext, stop: Stop): Promise<void> {
    this.#midTurn.off();
    return this.#brake.stop(ctx, stop);
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
    this.#question.withdraw();
    this.#midTurn.over();
    this.#lastTurn = undefined;
    this.#toldInRequest = undefined;
    this.#refreshesCache = false;
    const happened = outcome && (outcome.turns > 0 || outcome.touched);
    if (happened) publishOutcome(this.#pi, outcome);
    return outcome;
  }
}

function startedOver(standings: readonly Boundary[], limit: string): Boundary[] {
  return standings.map((standing) => (standing.limit === limit ? { ...standing, used: 0 } : standing));
}
