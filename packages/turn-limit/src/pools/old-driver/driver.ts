import { isInvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { LimitExceeded } from "../../core/errors/limit-exceeded.ts";
import {
  type Ask,
  limitError,
  notBegun,
  type Proceed,
  type RefuseAndSynthesize,
  type Reply,
  type Stop,
  type Synthesize,
  type TurnDecision,
  type WrapUp,
  type Yes,
} from "../../core/governor/decision.ts";
import { type Governor, sharedDesk, type TurnStart } from "../../core/governor/governor.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { Failure, RequestKind, TurnEnd } from "../../core/governor/run.ts";
import type { GovernorSettings } from "../../core/governor/settings.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import { cutOff, notRun, notRunAnymore } from "../../core/governor/wording.ts";
import { type Boundary, isOwn, isReached } from "../../core/limits/boundary.ts";
import type { StepCall } from "../../core/limits/repeated-calls.ts";
import type { Model } from "../../core/meter/model.ts";
import { requirePrice, requireUsage, type Usage } from "../../core/meter/usage.ts";
import { type Clock, systemClock } from "../../run/clock.ts";
import { OpenQuestion } from "../../run/open-question.ts";
import { type AdapterOptions, requireAdapterOptions } from "../../run/options.ts";
import { processName, type RunInfo, runInfo } from "../../run/run-info.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import type { PoolDefinition } from "../pool-definition.ts";
import { DrivenGovernor } from "./driven-governor.ts";
import { limitsOfPools, type Reservation, RunPools, requirePools } from "./run-pools.ts";
import { type Executed, Work } from "./work.ts";

/** A decision for which no reply is needed any more. */
export type Admission = Proceed | WrapUp | Synthesize | Stop;

/** What a host does in its own way. */
export interface DriverHost {
  /**
   * Cuts off what is running: the run must end, or go on with the tools-free turn. Default: tool calls that
   * {@link Driver.execute} runs get the reason as their result; if there are none, {@link Driver.signal} is aborted.
   */
  cutOff?: (decision: Stop | RefuseAndSynthesize) => void;
  /**
   * Can the run go on with the tools-free turn after the cut-off? Default: only if it was tool calls that were cut off.
   */
  canGoOn?: () => boolean;
  /** What a person is told when the model has no price. Default: what to do about it with the options. */
  unpricedWarning?: () => string;
  /** Continue from an earlier governor's state. */
  state?: GovernorState | undefined;
  /** What the run is called in the pools it draws from, for people to read. Default: the script and the number of the process. */
  name?: string | undefined;
}

/** Runs a tool call, with the signal that is aborted when it is cut off, if it may be. */
type RunCall<Result> = (cutOff: AbortSignal | undefined) => PromiseLike<Result> | Result;

/** No reply, but room: somebody else allowed more. */
const ROOM: unique symbol = Symbol("room");

const OVER = "Not run: the run is over.";

const UNPRICED =
  "The model has no price, so what the run costs is not known, and the cost limit cannot hold it. " +
  'Say what it costs with "price", or what to do about it with "cost.unpriced".';

const UNREPORTED =
  "Nothing was reported of what the answers take, so limits of tokens and of cost cannot hold the run.";

/**
 * What every host needs around a governor: the clock and its timer, the question and the turns that wait for it,
 * cutting off what hangs, prices and warnings. An adapter translates the hooks of its host into these calls.
 *
 * @example
 * const driver = new Driver({ turns: 25, ask });
 * driver.begin(); // a person's prompt
 * const admission = await driver.admitTurn(signal); // before each request
 * driver.turnEnded({ usage }); // after it
 * const outcome = driver.end(); // the agent is idle again
 */
export class Driver {
  /** What decides: its view has the facts about the run. Changes made to it directly reach the driver, too. */
  get governor(): Governor {
    return this.#governor;
  }

  /** Who it is in the pools it draws from. The name may be changed: others see it from the next turn on. */
  readonly member: { readonly id: string; name: string };
  readonly #governor: DrivenGovernor;
  readonly #options: Pick<AdapterOptions, "ask" | "onOutcome" | "price" | "onWarning">;
  #pools: readonly PoolDefinition[];
  readonly #runPools: RunPools;
  readonly #host: DriverHost;
  readonly #clock: Clock;
  #work = new Work();
  #cutOffBy: Boundary | undefined;
  // Cancels the timer that is set.
  #timer: (() => void) | undefined;
  #question: OpenQuestion | undefined;
  #outcome: Outcome | undefined;
  #run: RunInfo | undefined;
  readonly #warned = new Set<string>();
  #rests = false;
  #awaitsLastTurn = false;
  #closed = false;
  #runs = 0;

  /** A driver with these limits, for a host that does some things in its own way. Throws `InvalidLimit` for bad options. */
  constructor(options: AdapterOptions, host: DriverHost = {}) {
    const given = requireAdapterOptions(options);
    const { ask, onOutcome, price, onWarning, pool, clock = systemClock, ...settings } = given;
    this.#options = { ask, onOutcome, price, onWarning };
    this.#host = host;
    this.#clock = clock;
    this.#pools = requirePools(pool, "pool");
    const governor = new DrivenGovernor(
      { ...settings, canAsk: ask !== undefined, ...(host.state !== undefined && { state: host.state }) },
      {
        make: (change) => this.#make(change),
        poolLimits: () => limitsOfPools(this.#pools),
        stepDenied: (reserved) => this.#runPools.callDenied(reserved),
      },
    );
    this.#governor = governor;
    const id = crypto.randomUUID();
    this.member = { id, name: host.name ?? processName() };
    const events = {
      warn: (message: string) => this.warn(message),
      tells: () => this.#tellTime(),
      heard: () => this.#watchTimeOfTurn(),
    };
    this.#runPools = new RunPools(this.#pools, sharedDesk(governor), events, this.member);
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Which run is under way, or was last. */
  get run(): RunInfo {
    this.#run ??= runInfo(this.member);
    return this.#run;
  }

  /** Aborted when the run must end in the middle of a request. To be put beside the caller's own signal. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Can the run be cut off in the middle of a turn, as things stand? Without a time limit it is not. */
  get mayCutOff(): boolean {
    return this.governor.view.timeLeft !== undefined;
  }

  /** The error that the host's call must reject with, if a limit that raises is ending the run. Else `undefined`. */
  get raisedError(): LimitExceeded | undefined {
    const { stop } = this.governor.view;
    return stop ? limitError(stop) : undefined;
  }

  /**
   * Changes the limits, also for work that is under way: the whole value, as in the options. Pools stay as they are if
   * they are left out.
   */
  configure(settings: Omit<GovernorSettings, "canAsk"> & Pick<AdapterOptions, "pool">): void {
    const { pool, ...limits } = settings;
    if (pool !== undefined) {
      const pools = requirePools(pool, "pool");
      const before = this.#pools;
      this.#pools = pools;
      try {
        this.governor.configure(limits);
      } catch (error) {
        this.#pools = before;
        throw error;
      }
      this.#runPools.change(pools);
    } else this.governor.configure(settings);
  }

  /** Would a model without a price end the run? Then {@link admitTurn} is to be told of one by `priced: false`. */
  get stopsUnpriced(): boolean {
    return this.#governor.view.stopsUnpriced;
  }

  /** How many members draw from each pool, by its id, as far as is known. */
  get agents(): ReadonlyMap<string, number> {
    return this.#runPools.agents;
  }

  /** Does the run draw from pools? */
  get drawsFromPools(): boolean {
    return this.#pools.length > 0;
  }

  /** Tells the pools what was used. Without it, that is told together with the next reservation. */
  async settlePools(): Promise<void> {
    if (this.#pools.length === 0) return;
    this.#tellTime();
    await this.#runPools.inTurn(() => this.#runPools.settle());
    this.#watchTimeOfTurn();
  }

  /** Finds out where the pools stand, while no run is under way. */
  async lookAtPools(): Promise<void> {
    if (this.#pools.length > 0) await this.#runPools.inTurn(() => this.#runPools.look());
  }

  /**
   * Resolves when the pools have been told everything: to be awaited after {@link end}, before the host's call resolves.
   * `undefined` if there is no pool, and so nothing to wait for.
   */
  poolsSettled(): Promise<void> | undefined {
    return this.#runPools.isIdle ? undefined : this.#runPools.done();
  }

  /** A person's prompt: a new run. One that is still open is ended first. */
  begin(run?: Partial<RunInfo>): void {
    this.end(this.governor.view.request === "in-flight" ? "failed" : undefined);
    this.#newRun(run && runInfo(this.member, run));
    this.governor.prompt();
  }

  /**
   * The run of the saved state goes on, instead of {@link begin}. Until now it waited for a person, which takes no time.
   */
  resume(run?: Partial<RunInfo>): void {
    this.#run = run && runInfo(this.member, run);
    this.governor.waiting(true);
    this.waiting(false);
  }

  /**
   * Whether the next turn may begin, after asking the person if necessary. Several turns may wait for one reply: each is
   * decided afterwards, one by one. `signal` ends the wait.
   */
  admitTurn(signal?: AbortSignal, turn: TurnStart = {}): Promise<Admission> {
    return this.#admit(signal, turn);
  }

  /**
   * The same for a turn of a sub-agent, which works within a tool call on the budget of the same run. Where a person is
   * asked, it waits for the reply as any turn does. Where the run ends without a question, or has ended, the sub-agent
   * has to stop, and no more: the tools-free turn, or the limit's error, is left to the agent that was prompted.
   *
   * @example
   * const admission = await (isSubAgent ? driver.admitSubAgentTurn(signal) : driver.admitTurn(signal));
   */
  admitSubAgentTurn(signal?: AbortSignal, turn: TurnStart = {}): Promise<Admission> {
    return this.#admit(signal, turn, () => this.#endOfRun(turn.as ?? "turn"));
  }

  /**
   * Why a tool call must not run, for the model to read, or `undefined` if it may. Ask in the order in which the model made
   * the calls: they are decided in that order. It has to be awaited only if the run draws from a pool that counts calls.
   */
  refusal(call?: StepCall): string | undefined | Promise<string | undefined> {
    if (!this.#runPools.countsCalls) return this.#refusal(call);
    const run = this.#runs;
    return this.#runPools.inTurn(async () => {
      this.#tellTime();
      const reserved = await this.#runPools.reserveCall(call?.tool);
      const held = reserved ? undefined : this.#closedGate;
      if (held) return notRun(held);
      // The run may have ended meanwhile: the call is no step of the next one.
      const reason = run === this.#runs ? this.#refusal(call) : OVER;
      if (reason !== undefined) await this.#runPools.giveBackCall(reserved);
      else this.#governor.admitted(call?.id, reserved);
      return reason;
    });
  }

  // Why a pool grants nothing, other than that nothing is left.
  get #closedGate(): Boundary | undefined {
    const isGate = ({ limit, why }: Boundary) => why !== undefined && this.#runPools.has(limit);
    return this.governor.view.standings.find(isGate);
  }

  #refusal(call: StepCall | undefined): string | undefined {
    this.#tellTime();
    const decision = this.governor.beforeStep(call);
    return decision.kind === "proceed" ? undefined : decision.reason;
  }

  /**
   * Runs a tool call that may run: its result, or why it was cut off, if the time is up before it has one. If there is a
   * time limit, `run` is given a signal, which is aborted then for the same reason.
   */
  async execute<Result>(call: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    const stop = this.#cutOffBy ? undefined : this.governor.stepExecuted();
    if (stop) return { kind: "cut-off", reason: this.#overrun(stop) };
    return this.executeAgain(call, run);
  }

  /** The same for a call that is made again, because it waited for a person or is retried: it is still the same step. */
  async executeAgain<Result>(call: StepCall, run: RunCall<Result>): Promise<Executed<Result>> {
    // Admitted before the time was up, and too late to begin.
    if (this.#cutOffBy) return { kind: "cut-off", reason: notRunAnymore(this.#cutOffBy) };
    const cut = this.mayCutOff ? new AbortController() : undefined;
    try {
      const executed = await this.#work.call(run(cut?.signal));
      if (executed.kind === "cut-off") cut?.abort(new Error(executed.reason));
      this.stepEnded(call, executed.kind === "result" ? executed.result : executed.reason);
      return executed;
    } catch (error) {
      // An error is a result too: the model reads it, and repeats are recognised by it.
      this.stepEnded(call, String(error));
      throw error;
    }
  }

  /** A tool call has its result, where the host runs it by itself. */
  stepEnded({ id }: StepCall, result: unknown): void {
    this.#tellTime();
    this.governor.stepEnded({ id, result });
  }

  /** A request is really being sent: one more than was admitted ends the run at once. */
  requestSent(): void {
    const stop = this.governor.requestSent();
    if (stop) this.#overrun(stop);
  }

  /**
   * The turn in flight ended: answered, or with a failure. `usage` is what it took, if the host knows, and `model` what
   * answered.
   */
  turnEnded(end?: Failure | TurnEnd, model?: Model): void {
    this.#tellTime();
    const usage = typeof end === "object" && end?.usage ? this.#priced(end.usage, model) : undefined;
    this.governor.turnEnded(usage ? { ...(end as TurnEnd), usage } : end);
    this.#runPools.turnEnded();
    this.#warnOfUnpriced();
  }

  /** The run spent something besides its turns. */
  spend(activity: "compaction" | "nested", usage: Usage, model?: Model): void {
    this.#tellTime();
    this.governor.spend(activity, this.#priced(usage, model));
    this.#warnOfUnpriced();
  }

  /**
   * Another member of the same pools, which works for this run, has used this. It counts for the run's own limits, and not
   * for the pools: that member tells them.
   *
   * @example
   * driver.spendByMember({ input: 1_200, output: 80, cost: 0.02 }); // a sub-agent in a process of its own
   */
  spendByMember(usage: Usage): void {
    const desk = sharedDesk(this.#governor);
    const before = desk.reading;
    this.spend("nested", usage);
    this.#runPools.toldByAnother(before, desk.reading);
  }

  /**
   * A person allows more of a limit without being asked by this run, for example because a sub-agent asked: a new round of
   * the run's own limit, or more of a pool for everyone.
   *
   * @example
   * await driver.allow("cost", true); // as a yes to the run's own question
   */
  async allow(limit: string, reply: Yes): Promise<void> {
    if (this.#runPools.has(limit)) {
      await this.#runPools.inTurn(async () => {
        await this.#runPools.allow(limit, reply);
        await this.#runPools.settle();
      });
      this.watchTime();
    } else this.governor.allow(limit, reply);
  }

  /** Does the run wait for a person for another reason than a limit? That time does not count. */
  waiting(waiting: boolean): void {
    this.#tellTime();
    this.governor.waiting(waiting);
    if (!waiting) this.watchTime();
  }

  /** Tells what a person should know, once in a run. */
  warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    (this.#options.onWarning ?? warnOnce)(message);
  }

  /** The agent is idle again. `"stopped"`: by a limit of the host's own. Safe to call more than once. */
  end(early?: Failure | "stopped"): Outcome | undefined {
    if (early && early !== "stopped") this.turnEnded(early);
    this.#cancelTimer();
    this.#tellTime();
    const outcome = this.governor.settled(early === "stopped");
    this.#withdrawClosed();
    this.#runs += 1;
    if (this.#pools.length > 0) this.#runPools.leave();
    if (!outcome) return this.#outcome;
    this.#outcome = outcome;
    this.#tell(outcome);
    return outcome;
  }

  /** The driver is no longer used; another one may continue from the governor's state. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    if (this.#pools.length > 0) this.#runPools.leave();
    this.#question?.withdraw();
  }

  /** The agent takes no further turn by itself: what the host does after that is not cut off. */
  rest(): void {
    this.#rests = true;
    this.watchTime();
    if (this.#pools.length > 0) this.#runPools.leave();
  }

  /** Sets the timer to what is left of a time limit. Only needed after a saved state was restored. */
  watchTime(): void {
    if (this.#awaitsLastTurn) return;
    const { timeLeft } = this.governor.view;
    if (this.#rests || timeLeft === undefined) this.#cancelTimer();
    else this.#setTimer(timeLeft, () => void this.#timeIsUp().catch((error) => this.#fail(error)));
  }

  // `mustStop`: of a sub-agent, where the turn must not begin, if that does not end the run.
  async #admit(
    signal: AbortSignal | undefined,
    turn: TurnStart,
    mustStop?: () => Boundary | undefined,
  ): Promise<Admission> {
    this.#tellTime();
    const end = mustStop?.();
    if (end) return notBegun(end);
    const priced = this.#isPriced(turn);
    const { as } = turn;
    if (as !== "aside") this.#rests = this.#awaitsLastTurn = false;
    // A run that was not started by a prompt.
    if (this.governor.view.status === "idle") this.#newRun();
    let decision = await this.#decide(signal, as, () => this.governor.beforeTurn({ priced, as }));
    while (decision.kind === "ask") {
      const asked = decision;
      const reply = await this.#replyTo(asked, signal);
      // The question stays unanswered, so the run will have been aborted, not declined.
      if (signal?.aborted || this.#closed) return notBegun(asked);
      this.#tellTime();
      const isOpen = this.governor.view.question?.id === asked.id;
      const end = isOpen ? undefined : mustStop?.();
      if (end) return notBegun(end);
      const again = () => this.governor.beforeTurn({ priced, as });
      if (reply === ROOM) decision = await this.#decide(signal, as, again);
      else
        decision = await this.#decide(
          signal,
          as,
          () => this.#answer(reply, asked, mustStop && this.#leavesAnswer(reply, asked) ? "aside" : as),
          isOpen ? { asked, reply } : undefined,
        );
    }
    this.watchTime();
    return decision;
  }

  // Is nobody there, so that the last answer is due? A sub-agent leaves it to the agent that was prompted.
  #leavesAnswer(reply: Reply | undefined, { id }: Ask): boolean {
    if (reply !== "unanswered" || this.governor.view.question?.id !== id) return false;
    return sharedDesk(this.#governor).endsInAnswerAlone;
  }

  // Decides about a turn, with what the pools say. `replied`: a person may have allowed more.
  #decide(
    signal: AbortSignal | undefined,
    as: RequestKind | undefined,
    decide: () => TurnDecision,
    replied?: { asked: Ask; reply: Reply | undefined },
  ): Promise<TurnDecision> | TurnDecision {
    const runPools = this.#runPools;
    if (this.#pools.length === 0) return decide();
    const run = this.#runs;
    const notBegin = () => {
      const [turns] = this.governor.view.standings;
      return notBegun(replied?.asked ?? (turns as Boundary));
    };
    const decided = runPools.inTurn(async () => {
      // Several turns may wait for one reply: what it allows, it allows once.
      const said = replied && this.governor.view.question?.id === replied.asked.id ? replied : undefined;
      const isNo = said && !this.#isYes(said.asked.limit, said.reply);
      let reserved: Reservation | undefined;
      if (!isNo) reserved = await runPools.reserveTurn(as, said?.asked.limit);
      if (said && !isNo && !reserved && runPools.has(said.asked.limit)) {
        await runPools.allow(said.asked.limit, said.reply as Reply);
        reserved = await runPools.reserveTurn(as, said.asked.limit);
      }
      if (this.#closed || signal?.aborted || run !== this.#runs) {
        await runPools.giveBackTurn(reserved);
        return notBegin();
      }
      this.#tellTime();
      const decision = decide();
      const begins = decision.kind !== "ask" && decision.kind !== "stop";
      if (begins) await runPools.begun(reserved);
      else await runPools.giveBackTurn(reserved);
      return decision;
    });
    // Whoever aborts does not wait for a store. What it grants meanwhile is given back.
    return signal ? untilAborted(signal, decided, notBegin) : decided;
  }

  #make(change: () => void): void {
    this.#tellTime();
    change();
    this.#withdrawClosed();
    this.#watchTimeOfTurn();
  }

  // How much time is left may have changed.
  #watchTimeOfTurn(): void {
    const { status, request } = this.governor.view;
    if (status !== "running") return;
    // Before the first request there is nothing to cut off.
    if (request === "none") this.#cancelTimer();
    else this.watchTime();
  }

  // Where the run ends, or has ended, other than by a decision that every turn gets.
  #endOfRun(kind: RequestKind): Boundary | undefined {
    const { stop, synthesizing, standings } = this.governor.view;
    const isExhausted = sharedDesk(this.#governor).isExhausted(kind);
    if (stop || !(isExhausted || synthesizing || this.#outcome)) return undefined;
    return standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
  }

  #setTimer(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#timer = this.#clock.after(ms, callback);
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #newRun(run?: RunInfo): void {
    this.#run = run;
    this.#outcome = undefined;
    this.#warned.clear();
    this.#rests = this.#awaitsLastTurn = false;
    this.#work = new Work();
    this.#cutOffBy = undefined;
  }

  #tellTime(): void {
    this.governor.timeIs(this.#clock.now());
  }

  async #timeIsUp(): Promise<void> {
    this.#tellTime();
    const decision = this.governor.overdue(this.#canGoOn);
    if (!decision) return this.watchTime();
    if (decision.kind === "synthesize") this.#watchForLastTurn(Number(decision.max));
    if (decision.kind !== "ask") return this.#cutOff(decision);
    // The pool has to know that its time is up: else there would seem to be room.
    if (this.#runPools.has(decision.limit)) await this.settlePools();
    const reply = await this.#replyTo(decision, undefined);
    if (!this.#isOpenInTurn(decision)) return;
    this.#tellTime();
    if (reply === ROOM) return this.#timeAllowedElsewhere(decision);
    if (this.#runPools.has(decision.limit) && this.#isYes(decision.limit, reply)) {
      await this.#runPools.inTurn(async () => {
        await this.#runPools.allow(decision.limit, reply as Reply);
        await this.#runPools.settle();
      });
      if (!this.#isOpenInTurn(decision)) return;
    }
    const after = this.#answer(reply, decision);
    if (after.kind === "synthesize") this.#cutOffForAnswer(after);
    else if (after.kind === "stop") this.#cutOff(after);
    else this.watchTime();
  }

  get #canGoOn(): boolean {
    return this.#host.canGoOn?.() ?? this.#work.hasCalls;
  }

  // Nobody replied in the middle of a turn, and the last answer is due.
  #cutOffForAnswer(due: Synthesize): void {
    const stop = this.#canGoOn ? undefined : this.governor.overdue(false);
    if (!stop) this.#watchForLastTurn(Number(due.max));
    this.#cutOff(stop?.kind === "stop" ? stop : { ...due, reason: cutOff(due) });
  }

  // Somebody else allowed more. It may be used up again by now: then the question is asked again.
  async #timeAllowedElsewhere(asked: Ask): Promise<void> {
    await this.settlePools();
    if (this.#isOpenInTurn(asked) && this.governor.view.timeLeft !== 0) this.#answer(true, asked);
    this.watchTime();
  }

  // Otherwise the question is no longer open, or a turn is held for it by now and will be decided by the reply.
  #isOpenInTurn({ id }: Ask): boolean {
    const { question, status } = this.governor.view;
    return !this.#closed && question?.id === id && status === "running";
  }

  // Does the reply allow something? A bad one does not.
  #isYes(limit: string, reply: Reply | undefined): boolean {
    try {
      const said = this.#runPools.checkedReply(limit, reply);
      return said !== false && said !== "unanswered";
    } catch {
      return false;
    }
  }

  // The host may have something else to do before the tools-free turn, and that may hang, too.
  #watchForLastTurn(ms: number): void {
    this.#awaitsLastTurn = true;
    this.#setTimer(ms, () => {
      this.#tellTime();
      const decision = this.governor.overdue(false);
      if (decision?.kind === "stop") this.#cutOff(decision);
    });
  }

  #cutOff(decision: Stop | RefuseAndSynthesize): void {
    this.#cutOffBy = decision;
    if (this.#host.cutOff) this.#host.cutOff(decision);
    else this.#work.cutOff(decision.kind === "stop" ? cutOff(decision) : decision.reason);
  }

  #overrun(stop: Stop): string {
    const reason = `Not run: more was ${isOwn(stop.identity, "steps") ? "executed" : "sent"} than the limits admit.`;
    if (!this.#host.cutOff) this.#work.abort(reason);
    this.#cutOff(stop);
    return reason;
  }

  // The run has ended, and what it found must not be lost to an error in whoever is told.
  #tell(outcome: Outcome): void {
    try {
      this.#options.onOutcome?.(outcome, this.run);
    } catch (error) {
      this.warn(`onOutcome threw: ${error}`);
    }
  }

  // A limit that cannot be looked at must not be one that is off: the run ends.
  #fail(error: unknown): void {
    this.#work.abort(`The time limit could not be looked at: ${error}`);
    try {
      this.warn(`The time limit could not be looked at, so the run was aborted: ${error}`);
    } catch {
      // There is nobody left to tell.
    }
  }

  #priced(given: Usage, model: Model | undefined): Usage {
    const usage = requireUsage(given, "usage");
    const cost = usage.cost ?? this.#options.price?.(usage, model);
    return cost === undefined ? usage : { ...usage, cost: requirePrice(cost, "price") };
  }

  #warnOfUnpriced(): void {
    if (this.governor.view.unpriced) this.warn(this.#host.unpricedWarning?.() ?? UNPRICED);
  }

  // What a provider does not report cannot be limited, and must not go unnoticed.
  #isPriced({ priced = true }: TurnStart): boolean {
    if (!this.governor.view.unreported) return priced;
    this.warn(UNREPORTED);
    return false;
  }

  // One question at a time: all turns wait for the same one.
  async #replyTo(ask: Ask, signal: AbortSignal | undefined): Promise<Reply | typeof ROOM | undefined> {
    if (this.#question?.id !== ask.id || this.#question.isWithdrawn) {
      this.#question?.withdraw();

      this.#question = new OpenQuestion(ask, this.run, this.#options.ask);
    }
    const question = this.#question;
    // The person may already have raised the limit.
    this.#withdrawClosed();
    if (!this.#runPools.has(ask.limit)) return question.reply(signal);
    // Somebody else may allow more meanwhile.
    const settled = new AbortController();
    // In the middle of a turn the pool does not know yet what is used up, so there would seem to be room.
    const told = ask.midTurn ? this.#runPools.inTurn(() => this.#runPools.settle()) : Promise.resolve();
    const room = told.then(() => this.#runPools.untilRoom(ask.limit, settled.signal));
    const reply = question.reply(signal);
    const elsewhere: Promise<Reply | typeof ROOM | undefined> = room.then(async (isRoom) =>
      isRoom ? ROOM : await reply,
    );
    const first = await Promise.race([reply, elsewhere]);
    settled.abort();
    if (first === ROOM) question.withdraw();
    return first;
  }

  // A bad reply is a no.
  #answer(reply: Reply | undefined, ask: Ask, as?: RequestKind): TurnDecision {
    try {
      return this.governor.answer(reply ?? false, ask, { as });
    } catch (error) {
      if (!isInvalidLimit(error) || !error.setting.startsWith("reply")) throw error;
      this.warn(`${error.message}. It is taken for a no.`);
      return this.governor.answer(false, ask, { as });
    } finally {
      this.#withdrawClosed();
    }
  }

  #withdrawClosed(): void {
    if (!this.#question || this.governor.view.question?.id === this.#question.id) return;
    this.#question.withdraw();
    this.#question = undefined;
  }
}

const warnings = new Set<string>();

/** Writes to the console, each message once. */
function warnOnce(message: string): void {
  if (warnings.has(message)) return;
  warnings.add(message);
  console.warn(`turn-limit: ${message}`);
}
