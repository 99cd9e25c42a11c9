import { flag, isPlainObject } from "../core/checks.ts";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import { requireFailure } from "../core/governor/arguments.ts";
import type { RefuseAndSynthesize, Stop, Yes } from "../core/governor/decision.ts";
import { Engine } from "../core/governor/engine.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { Failure } from "../core/governor/run.ts";
import type { GovernorSettings } from "../core/governor/settings.ts";
import type { GovernorState } from "../core/governor/state.ts";
import type { GovernorView } from "../core/governor/view.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import { AgentTurns, type SubAgent, type TurnRequest } from "./agent-turns.ts";
import { CallGate } from "./call-gate.ts";
import { systemClock } from "./clock.ts";
import { Deadline } from "./deadline.ts";
import { type AdapterOptions, requireAdapterOptions } from "./options.ts";
import { Pricing } from "./pricing.ts";
import { Question } from "./question.ts";
import { newMember, type RunStart } from "./run-info.ts";
import { Settlements, type SharedOfRun } from "./settlements.ts";
import type { BudgetSource } from "./shared-budgets.ts";
import { requireSources, SharedPort } from "./shared-port.ts";
import type { Turn, TurnStop } from "./turn.ts";
import { TurnGate } from "./turn-gate.ts";
import { Warnings } from "./warnings.ts";
import { CurrentWork } from "./work.ts";

/** What a host does in its own way. */
export interface RunHost {
  /**
   * Cuts off what is running: the run must end, or go on with the tools-free turn. Default: tool calls that
   * {@link Call.execute} runs get the reason as their result; if there are none, {@link Run.signal} is aborted.
   */
  cutOff?: (decision: Stop | RefuseAndSynthesize) => void;
  /** Can the run go on with the tools-free turn after the cut-off? Default: only if tool calls were cut off. */
  canGoOn?: () => boolean;
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
 * What every host needs around a governor: the clock, the question, the deadline, prices and warnings. It hands out
 * turns. An adapter translates the hooks of its host into these calls. One `Run` holds one agent: a prompt after the
 * other.
 *
 * @example
 * const run = new Run({ turns: 25, ask });
 * run.begin(); // a person's prompt
 * const turn = await run.nextTurn({ signal }); // before each request
 * if (turn.kind !== "stop") turn.answered({ usage }); // after it
 * const outcome = run.end(); // the agent is idle again
 */
export class Run {
  /** The budgets that it draws from together with others. */
  readonly shared: SharedOfRun;
  readonly #engine: Engine;
  readonly #onOutcome: AdapterOptions["onOutcome"];
  readonly #canAsk: boolean;
  readonly #current: CurrentWork;
  readonly #warnings: Warnings;
  readonly #pricing: Pricing;
  readonly #question: Question;
  readonly #deadline: Deadline;
  readonly #settlements: Settlements;
  readonly #port: SharedPort;
  readonly #turns: AgentTurns;
  #sources: readonly BudgetSource[];
  #outcome: Outcome | undefined;

  /** A run with these limits, for a host that does some things in its own way. Throws `InvalidLimit` for bad options. */
  constructor(options: AdapterOptions, host: RunHost = {}) {
    const {
      ask,
      onOutcome,
      price,
      onWarning,
      pool,
      clock = systemClock,
      ...settings
    } = requireAdapterOptions(options);
    this.#onOutcome = onOutcome;
    this.#canAsk = ask !== undefined;
    this.#sources = requireSources(pool, "pool");
    const engine = new Engine({
      ...settings,
      limits: [...(settings.limits ?? []), ...SharedPort.limitsOf(this.#sources)],
      canAsk: this.#canAsk,
      ...(host.state !== undefined && { state: host.state }),
    });
    const member = newMember(host.name);
    const warnings = new Warnings(onWarning);
    const shared = new SharedPort(this.#sources, engine, member, warnings);
    const current = new CurrentWork(member, host.cutOff);
    const pricing = new Pricing(price, warnings, host.unpricedWarning);
    const question = new Question(engine, ask, shared, warnings);
    const deadline = new Deadline(engine, clock, question, shared, warnings, current, host.canGoOn);
    const settlements = new Settlements(member, shared, engine, deadline);
    const calls = new CallGate(engine, deadline, shared, host.comparable);
    const gate = new TurnGate(engine, deadline, question, shared, pricing, calls, settlements);
    this.#turns = new AgentTurns(gate, current, "prompted");
    if (host.state !== undefined) this.#turns.resumed(engine.view.request === "retry-due");
    this.#engine = engine;
    this.shared = settlements;
    this.#port = shared;
    this.#current = current;
    this.#warnings = warnings;
    this.#pricing = pricing;
    this.#question = question;
    this.#deadline = deadline;
    this.#settlements = settlements;
  }

  /** The facts about the run, to read. What they say of the time is up to date. */
  get view(): GovernorView {
    this.#deadline.tellTime();
    return this.#engine.view;
  }

  /**
   * The turn under way, in which calls are made. Where none was admitted it is one whose request is not known here: it was
   * sent before the run was saved, or the host did not ask.
   */
  get turn(): Turn {
    return this.#turns.turn;
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Aborted when the run must end in the middle of a request. To be put beside the caller's own signal. */
  get signal(): AbortSignal {
    return this.#current.work.signalOf("prompted");
  }

  /** Everything that is known of it, as plain data, for a run that goes on from it. */
  get state(): GovernorState {
    return this.#engine.state;
  }

  /** A person's prompt: a new run. One that is still open is ended first. */
  begin(start?: RunStart): void {
    this.end(this.#engine.view.request === "in-flight" ? "failed" : undefined);
    this.#newRun(start);
    this.#change(() => this.#engine.prompt());
  }

  /**
   * The run of the saved state goes on, instead of {@link begin}: until now it waited for a person, which takes no time.
   */
  resume(start?: RunStart): void {
    this.#current.begin(start);
    this.#turns.resumed(this.#engine.view.request === "retry-due");
    this.#engine.waiting(true);
    this.waiting(false);
  }

  /**
   * The next turn, after asking the person if necessary, or where the run must end. Several turns may wait for one reply:
   * each is decided afterwards, one by one.
   */
  nextTurn(request?: TurnRequest): Promise<Turn | TurnStop> {
    if (this.#engine.view.status === "idle") this.#forgetLast();
    return this.#turns.nextTurn(request);
  }

  /**
   * An agent that works for this run within a tool call, on the same budget. Where the run ends without a question, or has
   * ended, it has to stop, and no more: the tools-free turn, and the limit's error, are left to the agent that was prompted.
   */
  subAgent(): SubAgent {
    return this.#turns.subAgent();
  }

  /**
   * The run spent something besides its turns: on a compaction, or within a tool call. `settled`: another member of the
   * same pools has settled it.
   */
  spend(
    activity: "compaction" | "nested",
    usage: Usage,
    { model, settled = false }: { model?: Model | undefined; settled?: boolean } = {},
  ): void {
    this.#deadline.tellTime();
    const spend = () => this.#engine.spend(activity, this.#pricing.priced(usage, model));
    if (settled) this.#port.settledByAnother(spend);
    else spend();
    this.#pricing.warnIfUnpriced(this.#engine.view);
  }

  /**
   * A person allows more of a limit without being asked by this run, for example because a sub-agent asked: a new round of
   * the run's own limit, or more of a pool for everyone.
   */
  async allow(limit: string, reply: Yes): Promise<void> {
    if (!this.#port.has(limit)) return this.#change(() => this.#engine.allow(limit, reply));
    await this.#port.allowNow(limit, reply);
    this.#deadline.watch();
  }

  /**
   * Does the run wait for a person for another reason than a limit? That time does not count. `didWait: false`: it turns
   * out that it did not, so the time since then counts.
   */
  waiting(waiting: boolean, { didWait = true } = {}): void {
    if (didWait) this.#deadline.tellTime();
    this.#engine.waiting(flag(waiting, "waiting"));
    if (!waiting && didWait) this.#deadline.watch();
  }

  /** Changes the limits, also for work that is under way: the whole value, as in the options. */
  configure(settings: RunSettings): void {
    if (!isPlainObject(settings)) throw new InvalidLimit("settings", settings, "an object with limits");
    const { pool, ...given } = settings as RunSettings;
    const sources = pool === undefined ? this.#sources : requireSources(pool, "pool");
    // Settings that were read off the view have the limits of the pools in them.
    const own = (given.limits ?? []).filter((limit) => !("shared" in limit && limit.shared));
    const limits = [...own, ...SharedPort.limitsOf(sources)];
    this.#change(() => this.#engine.configure({ ...given, canAsk: given.canAsk ?? this.#canAsk, limits }));
    if (pool === undefined) return;
    this.#sources = sources;
    this.#port.change(sources);
  }

  /** The agent is idle again. `"stopped"`: by a limit of the host's own. Safe to call more than once. */
  end(early?: Failure | "stopped"): Outcome | undefined {
    this.#deadline.tellTime();
    if (early && early !== "stopped") this.#engine.turnEnded({ failure: requireFailure(early, "end") });
    this.#deadline.cancel();
    const outcome = this.#engine.settled(early === "stopped");
    this.#close();
    if (!outcome) return this.#outcome;
    this.#outcome = outcome;
    // The run has ended, and what it found must not be lost to an error in whoever is told.
    try {
      this.#onOutcome?.(outcome, this.#current.work.info);
    } catch (error) {
      this.#warnings.warn(`onOutcome threw: ${error}`);
    }
    return outcome;
  }

  /** It is no longer used; another one may continue from its state. */
  close(): void {
    this.#deadline.cancel();
    this.#question.withdraw();
    this.#close();
  }

  #close(): void {
    this.#question.withdrawIfClosed();
    this.#current.work.isOver = true;
    this.#settlements.leave();
  }

  #newRun(start?: RunStart): void {
    this.#forgetLast();
    this.#current.begin(start);
    this.#deadline.turnComes();
  }

  #forgetLast(): void {
    this.#outcome = undefined;
    this.#warnings.clear();
  }

  // The question and the timer may have to change, too.
  #change(change: () => void): void {
    this.#deadline.tellTime();
    change();
    this.#question.withdrawIfClosed();
    this.#deadline.timeMayHaveChanged();
  }
}
