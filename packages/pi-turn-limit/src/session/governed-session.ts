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
  Max,
  Outcome,
  RefuseAndSynthesize,
  Reply,
  Stop,
  Totals,
  Unpriced,
} from "turn-limit";
import type { AgentsQuestion } from "../budgets/agents-questions.ts";
import { type DrawingAgent, taskName } from "../budgets/drawing-agents.ts";
import { claimNearlyUsed } from "../budgets/nearly-used.ts";
import { PeriodPools } from "../budgets/period-pools.ts";
import { PersonsStore } from "../budgets/persons-store.ts";
import { createGovernor, Driver, type GovernorView, hasPrice, type Pool, usageOf } from "../core.ts";
import { reachedShareText, type Standing } from "../display/limit-words.ts";
import { mayContinue } from "../display/question/may-continue.ts";
import { say } from "../display/say.ts";
import { Widget } from "../display/widget.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import { type BoundaryStyle, type LimitValues, limitCalled } from "../limits/pi-limits.ts";
import { isSubAgent, leavePlace, takePlace } from "../process/session-place.ts";
import { governorSettings } from "../settings/governor-settings.ts";
import { storeFile } from "../settings/pi-folders.ts";
import { AgentsBelow, type AgentsState } from "./agents-below.ts";
import { Announcer } from "./announcer.ts";
import { AwaitedPerson } from "./awaited-person.ts";
import { abort, Brake } from "./brake.ts";
import { comparableResult } from "./comparable-result.ts";
import { told, WRAP_UP, withoutEarlier } from "./instructions.ts";
import { LastTurn } from "./last-turn.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { PersonsAct } from "./persons-act.ts";
import { piClock } from "./pi-clock.ts";
import { publishBoundary, publishOutcome } from "./publish.ts";
import { type Received, receiveHandedDown } from "./receive-handed-down.ts";
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
  #store = new PersonsStore(storeFile());
  #periodPools = new PeriodPools(this.#store.store);
  #above: Received = { store: this.#store, damaged: [] };
  #below: AgentsBelow | undefined;
  /** One question at a time: its own, and those of the agents below. */
  readonly #questions = new OneAtATime();
  #values: LimitValues | undefined;
  /** None before the session has its first limits. */
  #periodLimits: readonly PeriodLimit[] | undefined;
  /** Resolves when the budgets of the periods know of the last change. */
  #periodsKnow: Promise<void> = Promise.resolve();
  #pools: readonly Pool[] = [];
  /** Which of them the person was told about by this session. */
  readonly #toldAbout = new Set<string>();
  #session = "";
  #goesOnWithoutStore = false;
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
    this.#session = ctx.sessionManager.getSessionId();
    this.#periodLimits = undefined;
    this.#above = receiveHandedDown(ctx, storeFile());
    this.#store = this.#above.store;
    this.#periodPools = new PeriodPools(this.#store.store);
    const before = reason === "reload" ? takeAfterReload() : undefined;
    this.#below = this.#agentsBelow(ctx, before?.agents);
    this.#driver = new Driver(
      {
        ...(ctx.hasUI && { ask: (ask, withdrawn) => this.#ask(ask, withdrawn) }),
        ...(!ctx.hasUI &&
          this.#above.budgets?.canAsk && { ask: (ask, withdrawn) => this.#askAbove(ask, withdrawn) }),
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
    this.#below.goOn();
    if (this.#view.status === "idle") return;
    this.#ctx = ctx;
    this.#below.watch();
    if (before?.cutOffBy) this.#lastTurn.cutOffBy(before.cutOffBy);
    // An extension that waited for the person before the reload does not announce it again.
    this.#driver.waiting(false);
  }

  /** The session, or this instance of the extension, ends. A turn that is held does not begin. */
  async shutDown(ctx: ExtensionContext, reason: string): Promise<void> {
    this.#isShutDown = true;
    leavePlace(ctx);
    if (this.#view.status === "asking") abort(ctx);
    await this.#below?.close(reason === "quit");
    if (reason === "reload")
      saveForReload({
        governor: this.#driver.governor.state,
        cutOffBy: this.#lastTurn.awaitedBecauseOf,
        lastRun: this.#lastRun,
        agents: this.#below?.state,
      });
    this.#driver.close();
    await this.#driver.poolsSettled();
    await this.#store.close();
  }

  /** Changes the limits. A question that is no longer needed closes by itself. */
  apply(given: LimitValues, refused: readonly string[], givenPeriods: readonly PeriodLimit[]): void {
    const { budgets, damaged } = this.#above;
    const values = budgets?.own(given) ?? given;
    const periodLimits = budgets?.periodLimits(givenPeriods, given, this.#session) ?? givenPeriods;
    const before = this.#periodLimits;
    this.#periodLimits = periodLimits;
    this.#pools = [
      ...(budgets?.pools(given, this.#session) ?? []),
      ...this.#periodPools.of(periodLimits, this.#session),
    ];
    const settings = governorSettings(values, () => this.#offeredGrace, [...damaged, ...refused]);
    this.#driver.configure({ ...settings, pool: this.#pools });
    this.#values = values;
    this.#style = values.boundary;
    this.#below?.handDown();
    if (this.#ctx) this.show(this.#ctx);
    this.#periodsKnow = this.#periodsChanged(before, periodLimits);
  }

  // A new maximum takes the place of what a person had allowed in addition to the old one. What a session starts with is
  // not new.
  async #periodsChanged(
    before: readonly PeriodLimit[] | undefined,
    now: readonly PeriodLimit[],
  ): Promise<void> {
    for (const { name, max } of before ? now : []) {
      const earlier = before?.find((limit) => limit.name === name);
      const pool = this.#pools.find(({ limits }) => limits.some(({ limit }) => limit.name === name));
      if (!pool || earlier?.max === max) continue;
      await (earlier ? pool.endExtension(name) : pool.endExtensionOfAnother(name)).catch(() => undefined);
    }
    await this.#lookAtPools();
    if (this.#ctx) this.show(this.#ctx);
  }

  async #lookAtPools(): Promise<void> {
    await (this.#view.status === "idle" ? this.#driver.lookAtPools() : this.#driver.settlePools());
  }

  /** Resolves when what is known of an idle agent's shared budgets is up to date. */
  async isUpToDate(): Promise<void> {
    if (this.#pools.length === 0) return;
    await this.#periodsKnow;
    await this.#lookAtPools();
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
      return withAgents(this.#view.standings, this.agents.filter(({ isPresent }) => isPresent).length);
    }
    const shared = this.#view.standings.filter(({ limit }) => this.#isShared(limit));
    const next = this.#unused.map((unused) => shared.find(({ limit }) => limit === unused.limit) ?? unused);
    if (!this.showsLastRun) return next;
    const limits = new Set([...next, ...this.#lastRun].map(({ limit }) => limit));
    return [...limits].map((limit) => {
      // A period goes on after the run, also by what other sessions do.
      const ofAll = shared.find((standing) => standing.limit === limit);
      if (ofAll) return ofAll;
      const last = this.#lastRun.find((standing) => standing.limit === limit);
      const { max = "unlimited" } = last ?? {};
      const { max: nextMax = "unlimited" } = next.find((standing) => standing.limit === limit) ?? {};
      // Each round starts a limit over; what the run took is all of them.
      const used = Math.max(last?.used ?? 0, limitCalled(limit).total(totals));
      const changed = nextMax !== max && { nextMax };
      return { limit, used, max, ...changed, ...(last?.unpriced && { unpriced: true }) };
    });
  }

  /** The agents below that draw from the budget of the prompt. */
  get agents(): readonly DrawingAgent[] {
    return this.#below?.agents ?? [];
  }

  #isShared(name: string): boolean {
    return this.#pools.some(({ limits }) => limits.some(({ limit }) => limit.name === name));
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
    this.#mayAskAbove(true);
    this.#below?.prompted();
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
    await this.#below?.update();
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

  /** The person runs a command, which may start agents. */
  commandBegins(): void {
    this.#below?.watch();
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  async beforeStep(
    { toolCallId, toolName, input }: ToolCallEvent,
    ctx: ExtensionContext,
  ): Promise<ToolCallEventResult | undefined> {
    // What the call starts may draw from the same budgets.
    await this.#driver.poolsSettled();
    await this.#below?.callBegins(toolCallId);
    const reason = await this.#driver.refusal({ id: toolCallId, tool: toolName, args: input });
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
    if (this.#pools.length > 0) void this.#settlePools(ctx);
  }

  async #settlePools(ctx: ExtensionContext): Promise<void> {
    await this.#driver.settlePools();
    // What a sub-agent says is not shown.
    if (this.#above.budgets) return;
    for (const { limit, used, max } of await claimNearlyUsed(this.#pools, this.standings, this.#toldAbout))
      say(ctx, `${reachedShareText({ limit, used, max })}`, "warning");
    if (this.#ctx) this.show(ctx);
  }

  /** Pi has shortened the transcript, with this model. */
  compacted(usage: AssistantMessage["usage"] | undefined, model: ExtensionContext["model"]): void {
    if (usage) this.#driver.spend("compaction", usageOf(usage, model));
  }

  /** A tool call's result is in the transcript, with what the call spent by itself, if it says so. */
  async resultArrived(call: string, usage: AssistantMessage["usage"] | undefined): Promise<void> {
    await this.#below?.resultArrived(call, usage && usageOf(usage, undefined));
  }

  /** What the agent is to do. For the sessions above it, that is its name. */
  taskIs(prompt: string): void {
    if (this.#above.budgets) this.#driver.member.name = taskName(prompt);
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
  async settled(ctx: ExtensionContext): Promise<void> {
    const { stop } = this.#view;
    this.#brake.cameToRest();
    if (!stop && this.#lastTurn.trigger()) return;
    this.#brake.ended(ctx, this.#settle(), stop);
    this.#showAtRest(ctx);
    await this.#driver.poolsSettled();
    await this.#below?.settled();
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
    const isAboutStore = this.#pools.some(({ gates }) => gates.store.name === ask.limit);
    // The same store keeps the budgets of all periods, so one yes is enough.
    if (isAboutStore && this.#goesOnWithoutStore) return true;
    this.show(ctx);
    publishBoundary(this.#pi, ask);
    const signal = ctx.signal ? AbortSignal.any([ctx.signal, withdrawn]) : withdrawn;
    const reply = await this.#questions.do(() =>
      this.person.isAsked(() => mayContinue(ctx, ask, this.#style, signal, this.#act)),
    );
    // A question that closes because the run is aborted stays unanswered: that is not a no.
    if (ctx.signal?.aborted) return new Promise(() => {});
    if (isAboutStore && reply === true) {
      this.#goesOnWithoutStore = true;
      this.#store.acceptLoss();
    }
    if (reply === true && !withdrawn.aborted)
      this.#widget.show(ctx, startedOver(this.standings, ask.limit).filter(isInWidget));
    return reply;
  }

  // A no, or nobody to say it: the agent hands back what it has, in an answer without tools.
  async #askAbove(ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    publishBoundary(this.#pi, ask);
    const set = this.#periodLimits?.find(({ name }) => name === ask.limit)?.max;
    const asked = this.#above.budgets?.ask(ask, withdrawn, this.#driver.member, set);
    const reply = (await asked?.catch(() => false as const)) ?? false;
    if (reply === false && !withdrawn.aborted) this.#mayAskAbove(false);
    return reply;
  }

  #mayAskAbove(canAsk: boolean): void {
    const { settings } = this.#view;
    if (!this.#above.budgets?.canAsk || this.#ctx?.hasUI || settings.canAsk === canAsk) return;
    this.#driver.governor.configure({ ...(settings as GovernorSettings), canAsk });
  }

  #agentsBelow(ctx: ExtensionContext, before: AgentsState | undefined): AgentsBelow {
    const session = this;
    return new AgentsBelow(
      {
        get driver() {
          return session.#driver;
        },
        get ctx() {
          return session.#ctx ?? ctx;
        },
        store: this.#store.store,
        file: this.#store.file,
        handed: this.#above.budgets?.handedOn(this.#session),
        get values() {
          return session.#values;
        },
        get periodLimits() {
          return session.#periodLimits ?? [];
        },
        get pools() {
          return session.#pools;
        },
        get isFree() {
          return session.#questions.isFree && !session.person.isAtOurScreen;
        },
        ask: (question, signal, agent) => session.#askForAgent(session.#ctx ?? ctx, question, signal, agent),
        changed: () => session.#ctx && session.show(session.#ctx),
      },
      this.#session,
      before,
    );
  }

  #askForAgent(
    ctx: ExtensionContext,
    question: AgentsQuestion,
    signal: AbortSignal,
    agent: DrawingAgent | undefined,
  ): Promise<Reply> {
    const { task, limit } = question;
    const took = limit === "cost" ? agent?.cost : limit === "tokens" ? agent?.tokens : undefined;
    return this.#questions.do(() =>
      this.person.isAsked(() => mayContinue(ctx, question, this.#style, signal, this.#act, { task, took })),
    );
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
    const costs = [settings.cost, ...this.#costsPerPeriod, ...(this.#above.budgets?.costs ?? [])].filter(
      ({ max }) => max !== "unlimited",
    );
    const [cost] = costs;
    const { model } = ctx;
    if (!cost || !model || hasPrice(model)) return true;
    this.#announcer.unpriced(ctx, model, { cost, tokens: settings.tokens });
    return false;
  }

  get #costsPerPeriod(): { max: Max; unpriced: Unpriced }[] {
    const costs = (this.#periodLimits ?? []).filter(({ kind }) => kind === "cost");
    return costs.map(({ max, options: { unpriced = "warn" } }) => ({ max, unpriced }));
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
    // What was granted ended with the run, unless it was for all that draw from the same budget.
    const set = new Map(this.#unused.map(({ limit, max }) => [limit, max]));
    const took = standings.map((standing) => {
      const { limit, max } = standing;
      return { ...standing, max: this.#isShared(limit) ? max : (set.get(limit) ?? max) };
    });
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

// Beside the last of the budgets that agents draw from.
function withAgents(standings: readonly Boundary[], agents: number): Standing[] {
  const isOfPrompt = ({ limit }: Boundary) => limit === "cost" || limit === "tokens" || limit === "time";
  const isOfPeriod = ({ limit }: Boundary) => limitCalled(limit).per !== undefined;
  const drawn = standings.findLast(isOfPrompt) ?? standings.findLast(isOfPeriod);
  return standings.map((standing) => (standing === drawn && agents > 0 ? { ...standing, agents } : standing));
}

function startedOver(standings: readonly Boundary[], limit: string): Boundary[] {
  return standings.map((standing) => (standing.limit === limit ? { ...standing, used: 0 } : standing));
}
