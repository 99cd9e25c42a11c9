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
import type { Ask, Boundary, GovernorSettings, Outcome, RefuseAndSynthesize, Reply, Stop } from "turn-limit";
import { AgentsBelow } from "../agents/agents-below.ts";
import { taskName } from "../agents/parents-budgets.ts";
import { PromptBudget } from "../agents/prompt-budget.ts";
import { type LimitsOfSession, SessionBudgets } from "../agents/session-budgets.ts";
import { leavePlace, takePlace } from "../agents/session-place.ts";
import { Driver, type GovernorView, hasPrice, usageOf } from "../core.ts";
import { reachedShareText } from "../display/limit-words.ts";
import { say } from "../display/say.ts";
import type { AwaitedPerson } from "../person/awaited-person.ts";
import type { PersonsAct } from "../person/persons-act.ts";
import { storeFile } from "../settings/pi-folders.ts";
import { Asking } from "./asking.ts";
import { abort, Brake } from "./brake.ts";
import { Counters } from "./counters.ts";
import { Instructions, WRAP_UP } from "./instructions.ts";
import { LastTurn } from "./last-turn.ts";
import { piClock } from "./pi-clock.ts";
import { saveForReload, takeAfterReload } from "./reload-state.ts";
import { Standings } from "./standings.ts";
import { ToolCalls } from "./tool-calls.ts";

/** What a person's request to wrap up led to. */
export type WrapUpRequest = "granted" | "told already" | "nothing to wrap up";

/** The session that Pi has open, once it has started. */
export type CurrentSession = () => GovernedSession | undefined;

/** A session under limits: translates Pi's events into calls of the driver, and its decisions into what Pi can do. */
export class GovernedSession {
  /** Where the limits stand. */
  readonly standings: Standings;
  readonly counters: Counters;
  readonly #pi: ExtensionAPI;
  readonly #ctx: ExtensionContext;
  readonly #person: AwaitedPerson;
  readonly #budgets: SessionBudgets;
  readonly #run: Driver;
  readonly #below: AgentsBelow;
  readonly #calls: ToolCalls;
  readonly #brake: Brake;
  readonly #lastTurn: LastTurn;
  readonly #instructions = new Instructions();
  #isShutDown = false;
  #refreshesCache = false;

  /** A session starts. After a reload it continues from the state before it. */
  constructor(
    pi: ExtensionAPI,
    ctx: ExtensionContext,
    reason: string,
    { person, act }: { person: AwaitedPerson; act: PersonsAct },
  ) {
    takePlace(ctx);
    const before = reason === "reload" ? takeAfterReload() : undefined;
    this.#pi = pi;
    this.#ctx = ctx;
    this.#person = person;
    this.#brake = new Brake(pi, ctx);
    this.#lastTurn = new LastTurn(pi, ctx);
    this.#budgets = new SessionBudgets(ctx, storeFile());
    const { above } = this.#budgets;
    const run = new Driver(
      {
        ...(ctx.hasUI && { ask: (ask, withdrawn) => asking.ask(ask, withdrawn) }),
        ...(!ctx.hasUI && above?.asks && { ask: (ask, withdrawn) => this.#askAbove(asking, ask, withdrawn) }),
        clock: piClock,
        onOutcome: (outcome) => this.#brake.publish(outcome),
        // The extension has its own words for that.
        onWarning: () => {},
      },
      {
        cutOff: (decision) => this.#cutOff(decision),
        canGoOn: () => true,
        state: before?.governor,
      },
    );
    this.#run = run;
    const warn = (message: string) => say(ctx, message, "warning");
    const prompt = new PromptBudget(ctx, run, this.#budgets, warn, before?.agents);
    this.standings = new Standings(run, this.#budgets, prompt, before?.lastRun);
    this.counters = new Counters(ctx, this.standings);
    const asking = new Asking(pi, ctx, { person, act }, this.#budgets, this.counters);
    this.#below = new AgentsBelow(ctx, run, this.#budgets, prompt, asking, this.counters);
    this.#calls = new ToolCalls(run, this.#below);
    this.#below.goOn();
    if (this.#view.status !== "idle") this.#resume(before?.cutOffBy);
  }

  get #view(): GovernorView {
    return this.#run.governor.view;
  }

  // The run that was under way before a reload goes on.
  #resume(cutOffBy: Boundary | undefined): void {
    this.counters.live();
    this.#below.watch();
    if (cutOffBy) this.#lastTurn.cutOffBy(cutOffBy);
    // An extension that waited for the person before the reload does not announce it again.
    this.#run.waiting(false);
  }

  /** The session, or this instance of the extension, ends. A turn that is held does not begin. */
  async shutDown(reason: string): Promise<void> {
    this.#isShutDown = true;
    leavePlace(this.#ctx);
    if (this.#view.status === "asking") abort(this.#ctx);
    this.counters.stop();
    await this.#below.close(reason === "quit");
    if (reason === "reload")
      saveForReload({
        governor: this.#run.governor.state,
        cutOffBy: this.#lastTurn.awaitedBecauseOf,
        lastRun: this.standings.lastRun,
        agents: this.#below.state,
      });
    this.#run.close();
    await this.#run.poolsSettled();
    await this.#budgets.close();
  }

  /** Changes the limits. A question that is no longer needed closes by itself. */
  apply(limits: LimitsOfSession): void {
    this.#run.configure(this.#budgets.apply(limits));
    this.#below.handDown();
    this.counters.refresh();
    void this.isUpToDate().then(() => this.counters.refresh());
  }

  /** Resolves when what is known of shared budgets is up to date. */
  async isUpToDate(): Promise<void> {
    await this.#budgets.changed();
    await (this.#view.status === "idle" ? this.#run.lookAtPools() : this.#run.settlePools());
  }

  /** Can only a person's prompt make the agent work again? */
  get exhausted(): boolean {
    return this.#view.status === "idle" && this.#view.exhausted;
  }

  /** Another extension's message comes, and only a person's prompt can make the agent work again. */
  refuse(): void {
    this.#brake.announcer.refused(this.#ctx);
  }

  /** The run waits for the person for another reason than a limit, or no longer does. */
  personIsAwaited(isAwaited: boolean): void {
    this.#run.waiting(isAwaited);
  }

  /** A person prompted. A run that was under way has ended. */
  prompted(): void {
    this.#settle();
    this.#person.newRun();
    this.#brake.prompted();
    this.#instructions.prompted(Date.now());
    this.standings.forget();
    this.#run.begin();
    this.#mayAskAbove(true);
    this.#below.prompted();
  }

  /** A turn is about to begin: lets it, holds it for a question, or aborts the run before the request. */
  async beforeTurn({ messages }: ContextEvent): Promise<ContextEventResult | undefined> {
    const ctx = this.#ctx;
    const { signal } = ctx;
    this.#lastTurn.turnComes();
    // A run that is already being aborted takes no further turn.
    if (signal?.aborted) return undefined;
    this.counters.live();
    this.#brake.turnComes(this.exhausted);
    await this.#below.update();
    const admission = await this.#run.admitTurn(signal, { priced: this.#isPriced() });
    if (this.#isShutDown || signal?.aborted) return undefined;
    if (admission.kind === "stop") await this.#stop(admission);
    const lastTurn = this.#lastTurn.admitted(admission);
    if (lastTurn) this.#brake.announceLastTurn(lastTurn);
    this.counters.show();
    if (admission.kind === "wrap-up") {
      this.#instructions.tell(admission.message);
      say(ctx, "The agent is told to wrap up.");
    }
    const transcript = this.#instructions.transcript(messages);
    return transcript && { messages: transcript };
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
  async requestSent(): Promise<void> {
    const isTurn = !this.#refreshesCache;
    this.#refreshesCache = false;
    const stop = isTurn && this.#run.governor.requestSent();
    if (stop) await this.#stop(stop);
  }

  /** The person runs a command, which may start agents. */
  commandBegins(): void {
    this.#below.watch();
  }

  /** A tool call is about to begin: lets it, or has Pi give the model the reason why not. */
  async beforeStep(event: ToolCallEvent): Promise<ToolCallEventResult | undefined> {
    const reason = await this.#calls.refusal(event);
    this.counters.show();
    return reason === undefined ? undefined : { block: true, reason };
  }

  /** A tool call was really executed. */
  async stepExecuted(event: ToolResultEvent): Promise<void> {
    const stop = this.#calls.executed(event);
    if (stop) await this.#stop(stop);
  }

  /** The turn in flight has its answer, or will get none. `worksOn`: are there tool calls in it? */
  answered(message: AssistantMessage, worksOn: boolean): void {
    const { stopReason, provider, model } = message;
    // Pi calls an abort before the request an error.
    const aborted = stopReason === "aborted" || this.#ctx.signal?.aborted;
    const failure = aborted ? "aborted" : stopReason === "error" ? "failed" : undefined;
    // The model in use may be another one by now.
    const usage = usageOf(message.usage, this.#ctx.modelRegistry.find(provider, model));
    this.#run.turnEnded({ ...(failure && { failure }), usage });
    if (!failure) this.#instructions.done();
    // What Pi does after the last answer, for example a compaction, is not the agent's time.
    if (aborted || (!failure && !worksOn)) {
      this.#run.rest();
      this.counters.pause();
    }
    this.counters.show();
    if (this.#budgets.pools.length > 0) void this.#settlePools();
  }

  async #settlePools(): Promise<void> {
    await this.#run.settlePools();
    for (const standing of await this.#budgets.nearlyUsed(this.standings.standings))
      say(this.#ctx, reachedShareText(standing), "warning");
    this.counters.refresh();
  }

  /** Pi has shortened the transcript, with this model. */
  compacted(usage: AssistantMessage["usage"] | undefined): void {
    if (usage) this.#run.spend("compaction", usageOf(usage, this.#ctx.model));
  }

  /** A tool call's result is in the transcript, with what the call spent by itself, if it says so. */
  resultArrived(call: string, usage: AssistantMessage["usage"] | undefined): Promise<void> {
    return this.#calls.arrived(call, usage);
  }

  /** What the agent is to do. For the sessions above it, that is its name. */
  taskIs(prompt: string): void {
    if (this.#budgets.above) this.#run.member.name = taskName(prompt);
  }

  /** The message of a turn with what a limit did: why it was aborted, or why it is a sub-agent's last. */
  explain(message: AssistantMessage): AssistantMessage | undefined {
    const { stop } = this.#view;
    return stop ? this.#brake.announcer.explain(this.#ctx, message, stop) : this.#lastTurn.explain(message);
  }

  /** The turn is over and another one will follow: tells the model to wrap up if it is time. */
  anotherTurnComes(): void {
    const content = this.#run.governor.takeWrapUp();
    if (content === undefined) return;
    // Appended when the turn ends, and never queued: a queued message could cause a turn.
    this.#pi.sendMessage({ customType: WRAP_UP, content, display: true }, { triggerTurn: false });
  }

  /** A person wants the agent to wrap up. */
  requestWrapUp(): WrapUpRequest {
    const wasTold = this.#view.wrapUpSent;
    if (!this.#run.governor.requestWrapUp()) return "nothing to wrap up";
    return wasTold ? "told already" : "granted";
  }

  /** Pi compacts and asks for the last answer again. */
  turnDiscarded(): void {
    this.#run.governor.turnDiscarded();
  }

  /** The agent is idle again, unless it was cut off and still has to answer. */
  async settled(): Promise<void> {
    const { stop } = this.#view;
    this.#brake.cameToRest();
    if (!stop && this.#lastTurn.trigger()) return;
    this.#brake.ended(this.#settle(), stop);
    this.counters.showAtRest();
    await this.#run.poolsSettled();
    await this.#below.settled();
  }

  /** Another session, or another point of this one: what is shown of an idle agent may be out of date. */
  moved(): void {
    if (this.#view.status === "idle") this.counters.showAtRest();
  }

  // A no, or nobody to say it: the agent hands back what it has, in an answer without tools.
  async #askAbove(asking: Asking, ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    const reply = await asking.askAbove(ask, withdrawn, this.#run.member);
    if (reply === false && !withdrawn.aborted) this.#mayAskAbove(false);
    return reply;
  }

  #mayAskAbove(canAsk: boolean): void {
    const { settings } = this.#view;
    if (!this.#budgets.above?.asks || this.#ctx.hasUI || settings.canAsk === canAsk) return;
    this.#run.governor.configure({ ...(settings as GovernorSettings), canAsk });
  }

  #cutOff(decision: Stop | RefuseAndSynthesize): void {
    if (!this.counters.isLive) return;
    if (decision.kind === "stop") return void this.#stop(decision);
    this.#lastTurn.cutOffBy(decision);
    this.#brake.cutOff(decision, this.#run);
  }

  #stop(stop: Stop): Promise<void> {
    this.counters.stop();
    return this.#brake.stop(stop, this.#run);
  }

  // Is the price of the model known, as far as it matters? If not, the person is told.
  #isPriced(): boolean {
    const { cost: own, tokens } = this.#view.settings;
    const cost = [own, ...this.#budgets.sharedCosts].find(({ max }) => max !== "unlimited");
    const { model } = this.#ctx;
    if (!cost || !model || hasPrice(model)) return true;
    this.#brake.announcer.unpriced(this.#ctx, model, { cost, tokens });
    return false;
  }

  #settle(): Outcome | undefined {
    const wasUnderWay = this.#view.status !== "idle";
    const outcome = this.#run.end();
    if (wasUnderWay) this.standings.remember();
    this.counters.stop();
    this.#lastTurn.reset();
    this.#instructions.done();
    this.#refreshesCache = false;
    this.#brake.reset();
    return wasUnderWay ? outcome : undefined;
  }
}
