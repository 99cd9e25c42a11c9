import { flag, isPlainObject } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { requireCall, requireFailure } from "../core/governor/checks.ts";
import type { Stop, Yes } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { Failure, RequestKind } from "../core/governor/run-state.ts";
import { requireSettings } from "../core/governor/settings.ts";
import type { GovernorState } from "../core/governor/state.ts";
import type { GovernorView } from "../core/governor/view.ts";
import type { SettingsFromHistory } from "../core/history/percentile-settings.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import type { StepCall } from "../core/limits/repeated-calls.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import { Agent } from "./agent.ts";
import {
  type AdapterOptions,
  ownLimits,
  readSettings,
  requireAdapterOptions,
  requireProgressFor,
} from "./options.ts";
import type { RunStart } from "./run-info.ts";
import { type RunHost, type RunServices, servicesOf } from "./services.ts";
import type { SharedOfRun } from "./settlements.ts";
import { requireSources, SharedPort } from "./shared-port.ts";
import { callSafely } from "./warnings.ts";

/** Settings that change while a run is under way: the whole value. Pools stay as they are if they are left out. */
export type RunSettings = SettingsFromHistory & Pick<AdapterOptions, "pool">;

/** What the user of an adapter may read, and change, of a run. */
export type RunControl = Pick<Run, "view" | "configure">;

/**
 * What every host needs around a governor: the clock, the question, the deadline, prices and warnings. It hands out the
 * turns of the agent that was prompted. An adapter translates the hooks of its host into these calls. One `Run` holds one
 * agent: a prompt after the other.
 *
 * @example
 * const run = new Run({ turns: 25, ask });
 * run.begin(); // a person's prompt
 * const turn = await run.nextTurn({ signal }); // before each request
 * if (turn.kind !== "stop") turn.answered({ usage }); // after it
 * const outcome = run.end(); // the agent is idle again
 */
export class Run extends Agent {
  readonly #services: RunServices;
  /** Is there a `price` to be asked, which is told the model of each answer? */
  readonly hasPrice: boolean;
  readonly #canAsk: boolean;
  readonly #progress: AdapterOptions["progress"];
  readonly #onOutcome: AdapterOptions["onOutcome"];
  readonly #ended: RunHost["ended"];

  /** A run with these limits, for a host that does some things in its own way. Throws `InvalidLimit` for bad options. */
  constructor(options: AdapterOptions, host: RunHost = {}) {
    const { onOutcome, ...given } = requireAdapterOptions(options);
    const services = servicesOf(given, host);
    super(services, "prompted");
    this.#services = services;
    this.hasPrice = given.price !== undefined;
    this.#canAsk = given.ask !== undefined;
    this.#progress = given.progress;
    this.#onOutcome = onOutcome;
    this.#ended = host.ended;
  }

  /** The facts about the run, to read. What they say of the time is up to date. */
  get view(): GovernorView {
    this.#services.engine.tellTime();
    return this.#services.engine.view;
  }

  /**
   * The same for an adapter, which asks in every turn: no object is made of them, and the time is the one that was told last.
   */
  get facts(): GovernorView {
    return this.#services.engine.facts;
  }

  /** Was the answer given in the last turn by the call of the final tool? */
  get delivered(): boolean {
    return this.#services.engine.run.state.delivered;
  }

  /** Was it given so, and could no other turn begin without a question or a last answer? */
  get isDone(): boolean {
    return this.delivered && this.#services.engine.isHeld("turn");
  }

  /** Is there a time limit for the turn under way? Said without looking at the clock. */
  get isTimed(): boolean {
    return this.#services.engine.facts.timeLeft !== undefined;
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#services.engine.facts.stop;
  }

  /** The budgets that it draws from together with others. */
  get shared(): SharedOfRun {
    return this.#services.settlements;
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#services.current.work.outcome;
  }

  /** Everything that is known of it, as plain data, for a run that goes on from it. */
  get state(): GovernorState {
    this.#services.engine.catchUp();
    return this.#services.engine.state;
  }

  /** A person's prompt: a new run. One that is still open is ended first. */
  begin(start?: RunStart): void {
    const { engine, current, deadline } = this.#services;
    this.end(engine.facts.request === "in-flight" ? "failed" : undefined);
    current.begin(start);
    deadline.turnComes();
    this.#change(() => engine.prompt());
    this.#services.listed.begin();
    this.#services.history?.begin();
  }

  /**
   * The run of the saved state goes on, instead of {@link begin}: until now it waited for a person, which takes no time.
   */
  resume(start?: RunStart): void {
    const { engine, current } = this.#services;
    current.begin(start, engine.facts.request === "retry-due");
    engine.run.waiting = true;
    this.waiting(false);
    this.#services.listed.begin();
  }

  /**
   * Something was spent besides the turns: on a compaction, or within a tool call. Between two runs it is added to what the
   * last prompt took. `settled`: another member of the same pools has settled it.
   */
  spend(
    activity: "compaction" | "nested",
    usage: Usage,
    { model, settled = false }: { model?: Model | undefined; settled?: boolean } = {},
  ): void {
    const { engine, pricing, shared, current, observation } = this.#services;
    engine.tellTime();
    const priced = pricing.priced(usage, model);
    const spend = () => engine.spend(activity, priced);
    if (settled) shared.settledByAnother(spend);
    else spend();
    // What another member settled, it has told of, too.
    if (!settled) observation?.tell("spent", priced, model, current.work.info);
    pricing.warnIfUnpriced(engine.facts);
  }

  /**
   * Would such a request be the end, without a question and without a last answer? Then nothing has to be spent to prepare
   * it. `afterPrompt`: a person prompts first.
   */
  async isStoppedBefore(as: RequestKind, { afterPrompt = false } = {}): Promise<boolean> {
    const { engine, settlements } = this.#services;
    await (engine.facts.status === "idle" ? settlements.look() : settlements.settle());
    engine.tellTime();
    return engine.isStoppedBefore(as, afterPrompt);
  }

  /**
   * A person allows more of a limit without being asked by this run, for example because a sub-agent asked: a new round of
   * the run's own limit, or more of a pool for everyone.
   */
  async allow(limit: string, reply: Yes): Promise<void> {
    const { engine, shared, deadline } = this.#services;
    if (!shared.has(limit)) return this.#change(() => engine.allow(limit, reply));
    await shared.allowNow(limit, reply);
    deadline.watch();
  }

  /**
   * Does the run wait for a person for another reason than a limit? That time does not count. `"maybe"`: whether the time
   * since then counts is decided by what is said next.
   */
  waiting(waiting: boolean | "maybe"): void {
    const { engine, deadline } = this.#services;
    const waits = waiting === "maybe" || flag(waiting, "waiting");
    engine.tellTime();
    engine.run.waiting = waits;
    engine.isUndecided = waiting === "maybe";
    engine.tellTime();
    if (!waits) deadline.resume();
  }

  /** Changes the limits, also for work that is under way: the whole value, as in the options. */
  configure(settings: RunSettings): void {
    if (!isPlainObject(settings)) throw new InvalidLimit("settings", settings, "an object with limits");
    const { engine, shared, history } = this.#services;
    const { pool, ...limited } = settings as RunSettings;
    const read = history?.read(limited);
    const given = read?.settings ?? readSettings(limited, undefined).settings;
    const sources = pool === undefined ? shared.sources : requireSources(pool, "pool");
    // Settings that were read off the view have the limits of the pools in them.
    const own = ownLimits(given).filter((limit) => !(Object(limit) as SingleLimit).shared);
    const limits = [...own, ...SharedPort.limitsOf(sources), ...this.#services.listed.gates];
    const changed = { ...given, canAsk: given.canAsk ?? this.#canAsk, limits };
    requireProgressFor(requireSettings(changed), this.#progress);
    this.#change(() => engine.configure(changed));
    read?.changed();
    if (pool !== undefined) shared.change(sources);
  }

  /** A call that the agent made without asking, and its result: what the model should be told of a loop that it is in. */
  observed(call: StepCall, result: unknown): string | undefined {
    const { engine } = this.#services;
    engine.tellTime();
    return engine.calls.observed(requireCall(call, { needs: () => true }), result);
  }

  /**
   * The agent is idle again. `"stopped"`: by a limit of the host's own. Safe to call more than once. `isCertain`: if not, it may go
   * on from its state all the same, and nothing of it is kept in its history until it has.
   */
  end(early?: Failure | "stopped", { isCertain = true } = {}): Outcome | undefined {
    const { engine, current, deadline, pricing } = this.#services;
    const { work, warnings } = current;
    engine.tellTime();
    if (early && early !== "stopped") engine.run.requests.ended({ failure: requireFailure(early, "end") });
    deadline.cancel();
    if (engine.facts.status !== "idle") pricing.isPriced(engine.facts);
    const { history } = this.#services;
    const took = history && engine.took;
    const outcome = engine.settled(early === "stopped");
    this.#close();
    if (!outcome) return work.outcome;
    work.outcome = outcome;
    if (took) history.ended(outcome, isCertain ? took : undefined);
    this.#services.observation?.tell("runEnded", outcome, work.info);
    this.#ended?.(outcome);
    const onOutcome = this.#onOutcome;
    // The run has ended, and what it found must not be lost to an error in whoever is told.
    if (onOutcome)
      callSafely(
        () => onOutcome(outcome, work.info),
        (error) => warnings.warn(`onOutcome threw: ${error}`),
      );
    return outcome;
  }

  /** It is no longer used; another one may continue from its state. `goesOn`: one will, in its place. */
  close({ goesOn = false } = {}): void {
    this.#services.deadline.cancel();
    this.#services.question.withdraw();
    this.#close();
    this.#services.listed.close(goesOn);
  }

  #close(): void {
    const { engine, question, current, settlements } = this.#services;
    engine.isUndecided = false;
    question.withdrawIfClosed();
    current.work.isOver = true;
    settlements.leave(true);
    this.#services.listed.rest();
  }

  // The question and the timer may have to change, too.
  #change(change: () => void): void {
    const { engine, question, deadline } = this.#services;
    engine.tellTime();
    change();
    question.withdrawIfClosed();
    deadline.timeMayHaveChanged();
  }
}
