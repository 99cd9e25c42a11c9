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
import type {
  Ask,
  Boundary,
  GovernorSettings,
  Outcome,
  RefuseAndSynthesize,
  Reply,
  Stop,
  Totals,
} from "turn-limit";
import { governorSettings } from "../config/governor-settings.ts";
import { createGovernor, Driver, type GovernorView, hasPrice, usageOf } from "../core.ts";
import { type BoundaryStyle, type LimitValues, limitCalled } from "../limits/pi-limits.ts";
import { isSubAgent, leavePlace, takePlace } from "../process/session-place.ts";
import type { Standing } from "../ui/limit-words.ts";
import { mayContinue } from "../ui/question/may-continue.ts";
import { say } from "../ui/say.ts";
import { Widget } from "../ui/widget.ts";
import { Announcer } from "./announcer.ts";
import { AwaitedPerson } from "./awaited-person.ts";
import { abort, Brake } from "./brake.ts";
import { comparableResult } from "./comparable-result.ts";
import { told, WRAP_UP, withoutEarlier } from "./instructions.ts";
import { LastTurn } from "./last-turn.ts";
import type { PersonsAct } from "./persons-act.ts";
import { piClock } from "./pi-clock.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { saveForReload, takeAfterReload } from "./reload-state.ts";
import { ResultNote } from "./result-note.ts";
import { explained } from "./stop-message.ts";

/** What a person's request to wrap up led to. */
export type WrapUpRequest = "granted" | "told already" | "nothing to wrap up";

/** A session under limits: translates Pi's events into calls of the driver, and its decisions into what Pi can do. */
export class GovernedSession {
  /** Whether the run waits for the person for another reason than a limit. */
  readonly person = new AwaitedPerson(() => this.#driver.waiting(this.person.isAwaited));
  readonly #pi: ExtensionAPI;
  readonly #act: PersonsAct;
  readonly #announcer = new Announcer();
  readonly #widget = new Widget();
  readonly #brake: Brake;
  readonly #lastTurn: LastTurn;
  readonly #resultNote: ResultNote;
  readonly #clock = piClock(() => this.#ctx?.mode === "tui" && this.show(this.#ctx));
  #driver: Driver;
  /** The context of the turn that is under way. */
  #ctx: ExtensionContext | undefined;
  #style: BoundaryStyle = "confirm";
  #offeredGrace: number | undefined;
  #isShutDown = false;
  #toldInRequest: string | undefined;
  /** When a person last prompted. What the model was told before that no longer holds. */
  #promptedAt = 0;
  /** May there be something in the transcript that the model was told for an earlier prompt? */
  #hasEarlier = true;
  #refreshesCache = false;
  /** Did another extension's message begin the run, though the budget was used up? */
  #isRefused = false;
  /** Where the limits stood when the last run ended; none once a person has prompted again. */
  #lastRun: readonly Boundary[] = [];

  constructor(pi: ExtensionAPI, act: PersonsAct) {
    this.#pi = pi;
    this.#act = act;
    this.#driver = new Driver({ clock: this.#clock });
    this.#lastTurn = new LastTurn(pi);
    this.#resultNote = new ResultNote(pi);
    this.#brake = new Brake(pi, this.#announcer, () => this.#settle());
  }

  get #view(): GovernorView {
    return this.#driver.governor.view;
  }

  /** A session starts. After a reload it continues from the state before it. */
  start(ctx: ExtensionContext, reason: string): void {
    takePlace(ctx);
    const before = reason === "reload" ? takeAfterReload() : undefined;
    this.#driver = new Driver(
      {
        ...(ctx.hasUI && { ask: (ask, withdrawn) => this.#ask(ask, withdrawn) }),
        clock: this.#clock,
        onOutcome: (outcome) => this.#publish(outcome),
        // The extension has its own words for that.
        onWarning: () => {},
      },
      {
        cutOff: (decision) => this.#cutOff(decision),
        canGoOn: () => true,
        state: before?.governor,
      },
    );
    this.#rememberRun();
    if (before && before.lastRun.length > 0) this.#lastRun = before.lastRun;
    if (this.#view.status === "idle") return;
    this.#ctx = ctx;
    if (before?.cutOffBy) this.#lastTurn.cutOffBy(before.cutOffBy);
    // An extension that waited for the person before the reload does not announce it again.
    this.#driver.waiting(false);
  }

  /** The session, or this instance of the extension, ends. A turn that is held does not begin. */
  shutDown(ctx: ExtensionContext, reason: string): void {
    this.#isShutDown = true;
    leavePlace(ctx);
    if (this.#view.status === "asking") abort(ctx);
    if (reason === "reload")
      saveForReload({
        governor: this.#driver.governor.state,
        cutOffBy: this.#lastTurn.awaitedBecauseOf,
        lastRun: this.#lastRun,
      });
    this.#driver.close();
  }

  /** Changes the limits. A question that is no longer needed closes by itself. */
  apply(values: LimitValues, refused: readonly string[]): void {
    this.#driver.configure(governorSettings(values, () => this.#offeredGrace, refused));
    this.#style = values.boundary;
    if (this.#ctx) this.show(this.#ctx);
  }

  /** Another extension wants the wrap-up earlier or later. The latest offer counts. */
  offerGrace(grace: unknown): void {
    if (typeof grace === "number") this.#offeredGrace = grace;
  }

  /** Each limit with its usage; of an idle agent, what the last run took of it. */
  get standings(): Standing[] {
    const { status, totals } = this.#view;
    if (status !== "idle") {
      // The governor has no clock, and what is shown of the time is to be up to date.
      this.#driver.governor.timeIs(this.#clock.now());
      return this.#view.standings;
    }
    const next = this.#unused;
    if (!this.showsLastRun) return next;
    const limits = new Set([...next, ...this.#lastRun].map(({ limit }) => limit));
    return [...limits].map((limit) => {
      const last = this.#lastRun.find((standing) => standing.limit === limit);
      const { max = "unlimited" } = last ?? {};
      const { max: nextMax = "unlimited" } = next.find((standing) => standing.limit === limit) ?? {};
      // Each round starts a limit over; what the run took is all of them.
      const used = Math.max(last?.used ?? 0, limitCalled(limit).total(totals));
      const changed = nextMax !== max && { nextMax };
      return { limit, used, max, ...changed, ...(last?.unpriced && { unpriced: true }) };
    });
  }

  /** The limits as they are set, without what a person granted a run. */
  get #unused(): Boundary[] {
    return createGovernor(this.#view.settings as GovernorSettings).view.standings;
  }

  /** Is what is shown the usage of a run that is over? */
  get showsLastRun(): boolean {
    return this.#view.status === "idle" && this.#lastRun.length > 0;
  }

  /** What the run has used, or the last one took. */
  get totals(): Totals | undefined {
    return this.#view.status === "idle" && !this.showsLastRun ? undefined : this.#view.totals;
  }

  /** Can only a person's prompt make the agent work again? */
  get exhausted(): boolean {
    return this.#view.status === "idle" && this.#view.exhausted;
  }

  /** Another extension's message comes, and only a person's prompt can make the agent work again. */
  refuse(ctx: ExtensionContext): void {
    this.#announcer.refused(ctx);
  }

  /** A person prompted. A run that was under way has ended. */
  prompted(): void {
    this.#settle();
    this.person.newRun();
    this.#brake.prompted();
    this.#promptedAt = this.#clock.now();
    this.#hasEarlier = true;
    this.#lastRun = [];
    this.#driver.begin();
  }

  /** A turn is about to begin: lets it, holds it for a question, or aborts the run before the request. */
  async beforeTurn(
    { messages }: ContextEvent,
    ctx: ExtensionContext,
  ): Promise<ContextEventResult | undefined> {
    this.#lastTurn.turnComes();
    // A run that is already being aborted takes no further turn.
    if (ctx.signal?.aborted) return undefined;
    this.#ctx = ctx;
    this.#isRefused ||= this.exhausted;
    const admission = await this.#driver.admitTurn(ctx.signal, { priced: this.#checkPrice(ctx) });
    if (this.#isShutDown || ctx.signal?.aborted) return undefined;
    if (admission.kind === "stop") await this.#stop(ctx, admission);
    const lastTurn = this.#lastTurn.admitted(admission);
    if (lastTurn) this.#brake.announceLastTurn(ctx, lastTurn);
    if (admission.kind === "synthesize" && isSubAgent(ctx)) this.#resultNote.lastTurnBegins(admission);
    this.show(ctx);
    if (admission.kind === "wrap-up") this.#tellInRequest(ctx, admission.message);
    const current = this.#hasEarlier ? withoutEarlier(messages, this.#promptedAt) : undefined;
    // What the model is told in this run is not earlier, so one look is enough.
    this.#hasEarlier = current !== undefined;
    if (!this.#toldInRequest) return current && { messages: current };
    return { messages: [...(current ?? messages), told(this.#toldInRequest)] };
  }

  /** The request is assembled: the tools-free turn gets no tools. */
  beforeRequest({ messages }: ContextWithSystemEvent): ContextEventResult | undefined {
    const withoutTools = this.#lastTurn.transcript(messages);
    return withoutTools && { messages: withoutTools };
  }

  /**
   * Pi decides whether to refresh the provider's prompt cache. It does so by a request of its own, which is not a turn.
   */
  cacheRefreshComes({ action }: CacheWarmingDecisionEvent): void {
    this.#refreshesCache = action === "warm";
  }

  /** The request is really being sent. */
  async requestSent(ctx: ExtensionContext): Promise<void> {
    const isTurn = !this.#refreshesCache;
    this.#refreshesCache = false;
    const stop = isTurn && this.#driver.governor.requestSent();
    if (stop) await this.#stop(ctx, stop);
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  beforeStep(
    { toolCallId, toolName, input }: ToolCallEvent,
    ctx: ExtensionContext,
  ): ToolCallEventResult | undefined {
    const reason = this.#driver.refusal({ id: toolCallId, tool: toolName, args: input });
    this.show(ctx);
    return reason === undefined ? undefined : { block: true, reason };
  }

  /** A tool call was really executed. */
  async stepExecuted(
    { toolCallId, content, isError }: ToolResultEvent,
    ctx: ExtensionContext,
  ): Promise<void> {
    // Only a limit of repeated calls wants to know the results.
    const isCompared = this.#view.settings.repeats.max !== "unlimited";
    if (isCompared)
      this.#driver.stepEnded({ id: toolCallId }, { content: comparableResult(content), isError });
    const stop = this.#driver.governor.stepExecuted();
    if (stop) await this.#stop(ctx, stop);
  }

  /** The turn in flight has its answer, or will get none. */
  answered(message: AssistantMessage, ctx: ExtensionContext, worksOn: boolean): void {
    const { stopReason } = message;
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || ctx.signal?.aborted;
    const failure = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    // The model in use may be another one by now.
    const usage = usageOf(message.usage, ctx.modelRegistry.find(message.provider, message.model));
    this.#driver.turnEnded({ ...(failure && { failure }), usage });
    if (!failure) this.#toldInRequest = undefined;
    // What Pi does after the last answer, for example a compaction, is not the agent's time.
    if (aborted || (!failure && !worksOn)) this.#driver.rest();
    this.show(ctx);
  }

  /** The run spent something besides its turns, with this model if that is known. */
  spend(
    activity: "compaction" | "nested",
    usage: AssistantMessage["usage"] | undefined,
    model?: ExtensionContext["model"],
  ): void {
    if (usage) this.#driver.spend(activity, usageOf(usage, model));
  }

  /** The message of a turn with what a limit did: why it was aborted, or why it is a sub-agent's last. */
  explain(message: AssistantMessage, ctx: ExtensionContext): AssistantMessage | undefined {
    const { stop } = this.#view;
    if (stop) return this.#brake.explain(ctx, message, stop);
    const { cutOffReason } = this.#lastTurn;
    return cutOffReason === undefined ? this.#resultNote.putInto(message) : explained(message, cutOffReason);
  }

  /** The turn is over and another one will follow: tells the model to wrap up if it is time. */
  anotherTurnComes(): void {
    const content = this.#driver.governor.takeWrapUp();
    if (content === undefined) return;
    // Appended when the turn ends, and never queued: a queued message could cause a turn.
    this.#pi.sendMessage({ customType: WRAP_UP, content, display: true }, { triggerTurn: false });
  }

  /** A person wants the agent to wrap up. */
  requestWrapUp(): WrapUpRequest {
    const wasTold = this.#view.wrapUpSent;
    if (!this.#driver.governor.requestWrapUp()) return "nothing to wrap up";
    return wasTold ? "told already" : "granted";
  }

  /** Pi compacts and asks for the last answer again. */
  turnDiscarded(): void {
    this.#driver.governor.turnDiscarded();
  }

  /** The agent is idle again, unless it was cut off and still has to answer. */
  settled(ctx: ExtensionContext): void {
    const { stop } = this.#view;
    this.#brake.cameToRest();
    if (!stop && this.#lastTurn.trigger()) return;
    this.#brake.ended(ctx, this.#settle(), stop);
    this.#showAtRest(ctx);
  }

  /** Another session, or another point of this one: what is shown of an idle agent may be out of date. */
  moved(ctx: ExtensionContext): void {
    if (this.#view.status === "idle") this.#showAtRest(ctx);
  }

  /** Shows the counters as they stand. */
  show(ctx: ExtensionContext): void {
    if (!ctx.hasUI) return;
    this.#widget.show(ctx, this.standings.filter(isInWidget), this.showsLastRun);
  }

  async #ask(ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    const ctx = this.#ctx;
    if (!ctx) return false;
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const signal = ctx.signal ? AbortSignal.any([ctx.signal, withdrawn]) : withdrawn;
    const reply = await this.person.isAsked(() => mayContinue(ctx, ask, this.#style, signal, this.#act));
    // A question that closes because the run is aborted stays unanswered: that is not a no.
    if (ctx.signal?.aborted) return new Promise(() => {});
    if (reply === true && !withdrawn.aborted)
      this.#widget.show(ctx, startedOver(this.standings, ask.limit).filter(isInWidget));
    return reply;
  }

  #cutOff(decision: Stop | RefuseAndSynthesize): void {
    const ctx = this.#ctx;
    if (!ctx) return;
    if (decision.kind === "stop") return void this.#stop(ctx, decision);
    this.#lastTurn.cutOffBy(decision);
    this.#brake.cutOff(ctx, decision);
  }

  #stop(ctx: ExtensionContext, stop: Stop): Promise<void> {
    this.#ctx = undefined;
    return this.#brake.stop(ctx, stop, this.#isRefused);
  }

  // Is the price of the model known, as far as it matters? If not, the person is told.
  #checkPrice(ctx: ExtensionContext): boolean {
    const { settings } = this.#view;
    if (settings.cost.max === "unlimited") return true;
    const { model } = ctx;
    if (!model || hasPrice(model)) return true;
    this.#announcer.unpriced(ctx, model, settings);
    return false;
  }

  // Too late for the transcript, where it would come after the answer that it asks for.
  #tellInRequest(ctx: ExtensionContext, message: string): void {
    this.#toldInRequest = message;
    say(ctx, "The agent is told to wrap up.");
  }

  #settle(): Outcome | undefined {
    const wasUnderWay = this.#view.status !== "idle";
    const outcome = this.#driver.end();
    if (wasUnderWay) this.#rememberRun();
    this.#ctx = undefined;
    this.#lastTurn.reset();
    this.#resultNote.reset();
    this.#toldInRequest = undefined;
    this.#refreshesCache = false;
    this.#isRefused = false;
    return wasUnderWay ? outcome : undefined;
  }

  #showAtRest(ctx: ExtensionContext): void {
    if (this.showsLastRun) this.show(ctx);
    else this.#widget.clear(ctx);
  }

  #rememberRun(): void {
    const { totals, standings } = this.#view;
    // What was granted ended with the run.
    const set = new Map(this.#unused.map(({ limit, max }) => [limit, max]));
    const took = standings.map((standing) => ({ ...standing, max: set.get(standing.limit) ?? standing.max }));
    this.#lastRun = totals.turns > 0 ? took : [];
  }

  #publish(outcome: Outcome): void {
    if (outcome.turns === 0 && !outcome.intervened) return;
    // What a refused run did is nothing, and the person has been told why.
    publishOutcome(this.#pi, outcome, { isShown: outcome.intervened && !this.#isRefused });
  }
}

function isInWidget({ limit, used }: Boundary): boolean {
  const { hidden } = limitCalled(limit);
  return hidden === undefined || (hidden === "at zero" && used > 0);
}

function startedOver(standings: readonly Boundary[], limit: string): Boundary[] {
  return standings.map((standing) => (standing.limit === limit ? { ...standing, used: 0 } : standing));
}
