import type { AssistantMessage, ToolResultMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Outcome } from "turn-limit";
import { AgentsBelow } from "../agents/agents-below.ts";
import { taskName } from "../agents/agents-questions.ts";
import { PromptBudget } from "../agents/prompt-budget.ts";
import { SessionBudgets } from "../agents/session-budgets.ts";
import { type Load, leavePlace, takePlace } from "../agents/session-place.ts";
import { type GovernorView, Run, wasExtendedText } from "../core.ts";
import { Counters } from "../display/counters.ts";
import { reachedShareText } from "../display/limit-words.ts";
import { say } from "../display/say.ts";
import { Standings } from "../display/standings.ts";
import type { Person } from "../person/person.ts";
import type { LimitsOfSession } from "../settings/limits-in-force.ts";
import { storeFile } from "../settings/pi-folders.ts";
import type { Configuration } from "../settings/sources.ts";
import { Announcer } from "./announcer.ts";
import { Asking } from "./asking.ts";
import { abort, Brake } from "./brake.ts";
import { Compactions } from "./compactions.ts";
import { listing } from "./listing.ts";
import { Notifications } from "./notifications.ts";
import { handOver, takeHandedOver } from "./over-reload.ts";
import { piClock } from "./pi-clock.ts";
import { PrintParking } from "./print-parking.ts";
import { progressIn } from "./progress.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";
import { WhoIsAsked } from "./who-is-asked.ts";

/** What a person's request to wrap up led to. */
export type WrapUpRequest = "granted" | "told already" | "nothing to wrap up";

/** The session that Pi has open, once it has started. */
export type CurrentSession = () => GovernedSession | undefined;

/** A session under limits: translates Pi's events into calls of the run, and its decisions into what Pi can do. */
export class GovernedSession {
  /** Where the limits stand. */
  readonly standings: Standings;
  readonly counters: Counters;
  readonly turns: Turns;
  readonly calls: ToolCalls;
  readonly compactions: Compactions;
  readonly #ctx: ExtensionContext;
  readonly #person: Person;
  readonly #budgets: SessionBudgets;
  readonly #run: Run;
  readonly #below: AgentsBelow;
  readonly #announcer: Announcer;
  readonly #whoIsAsked: WhoIsAsked;
  readonly #parking: PrintParking | undefined;
  readonly #notifications: Notifications | undefined;
  readonly #brake: Brake;
  readonly #listing: string;
  readonly #own: Pick<Configuration, "finalTool">;
  #limits: LimitsOfSession | undefined;

  /** A session starts. After a reload it continues from the state before it. */
  constructor(
    pi: ExtensionAPI,
    ctx: ExtensionContext,
    load: Load,
    reason: string,
    person: Person,
    {
      isListed,
      notify,
      finalTool,
      progress,
    }: Pick<Configuration, "isListed" | "notify" | "finalTool" | "progress">,
    parks: boolean,
  ) {
    takePlace(ctx, load);
    this.#own = { finalTool };
    const before = reason === "reload" ? takeHandedOver() : undefined;
    this.#ctx = ctx;
    this.#person = person;
    this.#budgets = new SessionBudgets(ctx, storeFile());
    this.#listing = before?.listing ?? crypto.randomUUID();
    const parking = PrintParking.of(ctx, this.#budgets.store, parks);
    this.#parking = parking;
    const notifications = Notifications.of(ctx, notify, () => this.#view.standings);
    this.#notifications = notifications;
    const whoIsAsked = new WhoIsAsked(ctx, this.#budgets, parking, notifications, () => ({ run, asking }));
    this.#whoIsAsked = whoIsAsked;
    const { ask } = whoIsAsked;
    const run = new Run(
      {
        // An agent below is seen in the pools of the session that started it.
        ...(isListed &&
          !this.#budgets.above && {
            listed: listing(this.#budgets, ctx.cwd, this.#listing, notifications, parking),
          }),
        ...(ask && { ask }),
        clock: piClock,
        progress: progressIn(ctx.cwd, progress, (message) => say(ctx, message, "warning")),
        observe: {
          ...notifications?.observer,
          asked: (ask, info) => {
            notifications?.observer.asked?.(ask, info);
            whoIsAsked.tellOfWait(ask);
          },
          extended: (boundary, what) => say(ctx, wasExtendedText(boundary, what)),
        },
        onOutcome: (outcome) => {
          this.#brake.publish(outcome);
          notifications?.ended(outcome);
        },
        // The extension has its own words for that.
        onWarning: () => {},
      },
      {
        cutOff: (decision) => this.turns.cutOff(decision),
        canGoOn: () => true,
        mayWait: (ask) => parking?.mayHold(ask, run) ?? true,
        notice: (message) => say(ctx, message),
        state: before?.governor ?? parking?.state,
      },
    );
    this.#run = run;
    const warn = (message: string) => say(ctx, message, "warning");
    const prompt = new PromptBudget(ctx, run, this.#budgets, warn, before?.agents);
    this.standings = new Standings(run, this.#budgets, prompt, before?.lastRun);
    this.counters = new Counters(ctx, this.standings);
    const announcer = new Announcer(pi, ctx);
    const brake = new Brake(ctx, run, this.counters, announcer, parking);
    const asking = new Asking(ctx, person, this.#budgets, this.counters, announcer, notifications);
    const below = new AgentsBelow(ctx, run, this.#budgets, prompt, asking, this.counters);
    this.turns = new Turns(pi, ctx, run, this.#budgets, this.counters, announcer, brake, below);
    this.calls = new ToolCalls(run, below, this.counters, brake);
    this.compactions = new Compactions(ctx, run, this.calls);
    this.#announcer = announcer;
    this.#brake = brake;
    this.#below = below;
    below.goOn();
    if (this.#view.status === "idle") return;
    // The run that was under way before the reload goes on.
    this.counters.live();
    below.watch();
    if (before?.cutOffBy) this.turns.wasCutOff(before.cutOffBy);
    // An extension that waited for the person before the reload does not announce it again.
    run.waiting(false);
  }

  get #view(): GovernorView {
    return this.#run.view;
  }

  /** Is it this one of Pi's? */
  isOf(session: ExtensionContext["sessionManager"]): boolean {
    return this.#ctx.sessionManager === session;
  }

  /** The session, or this instance of the extension, ends. A turn that is held does not begin. */
  async shutDown(reason: string): Promise<void> {
    this.turns.close();
    this.compactions.workBegins();
    leavePlace(this.#ctx);
    if (this.#view.status === "asking") abort(this.#ctx);
    this.counters.stop();
    this.#announcer.close(reason);
    await this.#below.close(reason === "quit");
    if (reason === "reload")
      handOver({
        governor: this.#run.state,
        cutOffBy: this.turns.cutOffBy,
        lastRun: this.standings.lastRun,
        agents: this.#below.state,
        listing: this.#listing,
      });
    this.#run.close({ goesOn: reason === "reload" });
    await this.#run.shared.done();
    await this.#notifications?.close();
    if (reason === "quit") await this.#parking?.close();
    await this.#budgets.store.close();
  }

  /** Changes the limits. A question that is no longer needed closes by itself. */
  apply(limits: LimitsOfSession): void {
    this.#limits = limits;
    this.#run.configure({ ...this.#budgets.apply(limits), ...this.#own, tell: limits.tell });
    this.#below.handDown();
    this.counters.refresh();
    void this.isUpToDate().then(() => this.counters.refresh());
  }

  /** Another model answers from now on: its provider may have another subscription. */
  modelSelected(provider: string): void {
    if (this.#budgets.provider === provider) return;
    this.#budgets.provider = provider;
    if (this.#limits && this.#budgets.windows.length > 0) this.apply(this.#limits);
  }

  /** Resolves when what is known of shared budgets is up to date. */
  async isUpToDate(): Promise<void> {
    await this.#budgets.changed();
    await (this.#view.status === "idle" ? this.#run.shared.look() : this.#run.shared.settle());
  }

  /** Another extension's message comes. Is it refused, because only a person's prompt can make the agent work again? */
  refuses(): boolean {
    const { areExhausted } = this.turns;
    if (areExhausted) this.#announcer.refused();
    return areExhausted;
  }

  /** The run waits for the person for another reason than a limit, or no longer does. */
  personIsAwaited(isAwaited: boolean): void {
    this.#run.waiting(isAwaited);
  }

  /** A person prompted. A run that was under way has ended. */
  prompted(): void {
    const goesOn = this.#parking?.takeUp() ?? false;
    if (!goesOn) this.#settle();
    this.#person.newRun();
    this.#brake.prompted();
    this.turns.prompted();
    this.standings.forget();
    if (goesOn) this.#run.resume();
    else this.#run.begin();
    this.compactions.workBegins();
    this.#whoIsAsked.prompted();
    this.#below.prompted();
  }

  /** The person runs a command, which may start agents. */
  commandBegins(): void {
    this.#below.watch();
  }

  /** A request is really being sent. */
  sent(): Promise<void> | undefined {
    this.#parking?.goesOn();
    this.turns.sent();
    return this.#parking && this.#save(this.#parking);
  }

  async #save(parking: PrintParking): Promise<void> {
    if (await parking.save(this.#run)) return;
    say(this.#ctx, "The run goes on elsewhere, so it is stopped here.", "error");
    abort(this.#ctx);
  }

  /**
   * The turn in flight has its answer, or will get none. `isSteered`: another turn follows, because a message is steered
   * into the run. Returns the message with what a limit did.
   */
  answered(message: AssistantMessage, isSteered: boolean): AssistantMessage | undefined {
    const worksOn = this.calls.answered(message);
    this.turns.answered(message, worksOn);
    if (this.#budgets.pools.length > 0) void this.#settlePools();
    if (!worksOn && isSteered) this.turns.anotherComes();
    return this.turns.explain(message);
  }

  async #settlePools(): Promise<void> {
    await this.#run.shared.settle();
    for (const standing of await this.#budgets.nearlyUsed(this.standings.standings))
      say(this.#ctx, reachedShareText(standing), "warning");
    this.counters.refresh();
  }

  /** A tool call's result is in the transcript. */
  async resultArrived({ toolCallId, usage }: ToolResultMessage): Promise<void> {
    if (await this.calls.arrived(toolCallId, usage)) this.turns.anotherComes();
  }

  /** What the agent is to do. For the sessions above it, that is its name. */
  taskIs(prompt: string): void {
    if (this.#budgets.above) this.#run.shared.member.name = taskName(prompt);
  }

  /** A person wants the agent to wrap up. */
  requestWrapUp(): WrapUpRequest {
    const wasTold = this.#view.wrapUpSent;
    if (!this.#run.turn.requestWrapUp()) return "nothing to wrap up";
    return wasTold ? "told already" : "granted";
  }

  /** The agent is idle again, unless it was cut off and still has to answer. */
  async settled(): Promise<void> {
    const { stop } = this.#view;
    this.#brake.cameToRest();
    if (this.turns.triggerLast()) return;
    this.#brake.ended(this.#settle(), stop);
    this.counters.clear();
    await this.#run.shared.done();
    await this.#below.settled();
  }

  /** Another session, or another point of this one: what is shown of an idle agent is out of date. */
  moved(): void {
    if (this.#view.status === "idle") this.counters.clear();
  }

  #settle(): Outcome | undefined {
    const wasUnderWay = this.#view.status !== "idle";
    const outcome = this.#run.end();
    if (wasUnderWay) this.standings.remember();
    this.counters.stop();
    this.turns.reset();
    this.calls.reset();
    this.#brake.reset();
    return wasUnderWay ? outcome : undefined;
  }
}
