import { flag, isPlainObject, list, optional } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { requireFailure } from "../core/governor/arguments.ts";
import type { Yes } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { Failure, RequestKind } from "../core/governor/run.ts";
import type { GovernorSettings } from "../core/governor/settings.ts";
import type { GovernorState } from "../core/governor/state.ts";
import type { GovernorView } from "../core/governor/view.ts";
import type { Limit, SingleLimit } from "../core/limits/limit.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import { Agent } from "./agent.ts";
import { systemClock } from "./clock.ts";
import { Deadline } from "./deadline.ts";
import { type AdapterOptions, requireAdapterOptions } from "./options.ts";
import { Pricing } from "./pricing.ts";
import { Question } from "./question.ts";
import { newMember, type RunStart } from "./run-info.ts";
import type { RunServices } from "./services.ts";
import { Settlements, type SharedOfRun } from "./settlements.ts";
import { requireSources, SharedPort } from "./shared-port.ts";
import { TimedEngine } from "./timed-engine.ts";
import { callSafely, Warnings } from "./warnings.ts";
import { CurrentWork, type HostCutOff } from "./work.ts";

/** What a host does in its own way. */
export interface RunHost extends HostCutOff {
  /** What a person is told when the model has no price. Default: what to do about it with the options. */
  unpricedWarning?: () => string;
  /** What repeats are recognised by. Default: the whole result. */
  comparable?: (result: unknown) => unknown;
  /** Continue from the state of an earlier run. */
  state?: GovernorState | undefined;
  /** What the run is called in the pools it draws from, for people to read. Default: the script and the number of the process. */
  name?: string | undefined;
}

/** Settings that change while a run is under way: the whole value. Pools stay as they are if they are left out. */
export type RunSettings = GovernorSettings & Pick<AdapterOptions, "pool">;

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
  readonly #onOutcome: AdapterOptions["onOutcome"];

  /** A run with these limits, for a host that does some things in its own way. Throws `InvalidLimit` for bad options. */
  constructor(options: AdapterOptions, host: RunHost = {}) {
    const { onOutcome, ...given } = requireAdapterOptions(options);
    const services = servicesOf(given, host);
    super(services, "prompted");
    this.#services = services;
    this.hasPrice = given.price !== undefined;
    this.#canAsk = given.ask !== undefined;
    this.#onOutcome = onOutcome;
  }

  /** The facts about the run, to read. What they say of the time is up to date. */
  get view(): GovernorView {
    this.#services.engine.tellTime();
    return this.#services.engine.view;
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
    return this.#services.engine.state;
  }

  /** A person's prompt: a new run. One that is still open is ended first. */
  begin(start?: RunStart): void {
    const { engine, current, deadline } = this.#services;
    this.end(engine.view.request === "in-flight" ? "failed" : undefined);
    current.begin(start);
    deadline.turnComes();
    this.#change(() => engine.prompt());
  }

  /**
   * The run of the saved state goes on, instead of {@link begin}: until now it waited for a person, which takes no time.
   */
  resume(start?: RunStart): void {
    const { engine, current } = this.#services;
    current.begin(start, engine.view.request === "retry-due");
    engine.run.waiting = true;
    this.waiting(false);
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
    const { engine, pricing, shared } = this.#services;
    engine.tellTime();
    const spend = () => engine.spend(activity, pricing.priced(usage, model));
    if (settled) shared.settledByAnother(spend);
    else spend();
    pricing.warnIfUnpriced(engine.view);
  }

  /**
   * Would such a request be the end, without a question and without a last answer? Then nothing has to be spent to prepare
   * it. `afterPrompt`: a person prompts first.
   */
  async isStoppedBefore(as: RequestKind, { afterPrompt = false } = {}): Promise<boolean> {
    const { engine, settlements } = this.#services;
    await (engine.view.status === "idle" ? settlements.look() : settlements.settle());
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
    const { engine, shared } = this.#services;
    const { pool, ...given } = settings as RunSettings;
    const sources = pool === undefined ? shared.sources : requireSources(pool, "pool");
    // Settings that were read off the view have the limits of the pools in them.
    const own = ownLimits(given).filter((limit) => !(Object(limit) as SingleLimit).shared);
    const limits = [...own, ...SharedPort.limitsOf(sources)];
    this.#change(() => engine.configure({ ...given, canAsk: given.canAsk ?? this.#canAsk, limits }));
    if (pool !== undefined) shared.change(sources);
  }

  /** The agent is idle again. `"stopped"`: by a limit of the host's own. Safe to call more than once. */
  end(early?: Failure | "stopped"): Outcome | undefined {
    const { engine, current, deadline, pricing } = this.#services;
    const { work, warnings } = current;
    engine.tellTime();
    if (early && early !== "stopped") engine.run.requests.ended({ failure: requireFailure(early, "end") });
    deadline.cancel();
    if (engine.view.status !== "idle") pricing.isPriced(engine.view);
    const outcome = engine.settled(early === "stopped");
    this.#close();
    if (!outcome) return work.outcome;
    work.outcome = outcome;
    // The run has ended, and what it found must not be lost to an error in whoever is told.
    callSafely(
      () => this.#onOutcome?.(outcome, work.info),
      (error) => warnings.warn(`onOutcome threw: ${error}`),
    );
    return outcome;
  }

  /** It is no longer used; another one may continue from its state. */
  close(): void {
    this.#services.deadline.cancel();
    this.#services.question.withdraw();
    this.#close();
  }

  #close(): void {
    const { engine, question, current, settlements } = this.#services;
    engine.isUndecided = false;
    question.withdrawIfClosed();
    current.work.isOver = true;
    settlements.leave(true);
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

// The engine checks each of them.
const optionalLimits = optional(
  list((limit) => limit as Limit),
  [],
);

function ownLimits({ limits }: GovernorSettings): readonly Limit[] {
  return optionalLimits(limits, "limits");
}

function servicesOf(options: AdapterOptions, host: RunHost): RunServices {
  const { ask, price, onWarning, pool, clock = systemClock, ...settings } = options;
  const { state } = host;
  const sources = requireSources(pool, "pool");
  const limits = [...ownLimits(settings), ...SharedPort.limitsOf(sources)];
  const engine = new TimedEngine({ ...settings, limits, canAsk: ask !== undefined, state }, clock);
  const member = newMember(host.name);
  const warnings = new Warnings(onWarning);
  const current = new CurrentWork(member, host, warnings, engine.view.request === "retry-due");
  const shared = new SharedPort(sources, engine, member, warnings);
  const question = new Question(engine, ask, shared, warnings);
  const deadline = new Deadline(engine, question, shared, current);
  return {
    engine,
    current,
    pricing: new Pricing(price, warnings, host.unpricedWarning),
    question,
    deadline,
    shared,
    settlements: new Settlements(shared, engine, deadline),
    comparable: host.comparable,
  };
}
