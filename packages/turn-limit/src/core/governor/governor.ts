import { count, flag, isPlainObject, requireFields, text } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import type { StepCall } from "../limits/repeated-calls.ts";
import { requireUsage, type Usage } from "../meter/usage.ts";
import {
  optionalAdmission,
  optionalFinalTool,
  optionalFlag,
  optionalKind,
  optionalText,
  requireCall,
  requireFailure,
  requireNow,
} from "./checks.ts";
import type {
  Ask,
  CheckProgress,
  OverdueDecision,
  Reply,
  StepDecision,
  Stop,
  TurnDecision,
  Verdict,
  Yes,
} from "./decision.ts";
import { Engine, type GovernorOptions } from "./engine.ts";
import type { Outcome } from "./outcome.ts";
import type { Failure, TurnEnd, TurnStart } from "./run-state.ts";
import type { GovernorSettings } from "./settings.ts";
import type { GovernorState } from "./state.ts";
import type { GovernorView } from "./view.ts";

const START_FIELDS = ["priced", "as", "hears", "finalTool"];
const END_FIELDS = ["failure", "usage", "as", "admission"];

/**
 * Holds a run to its limits: events in, decisions out. Made by `createGovernor`. Deterministic: the same events give
 * the same decisions. It has no clock and never calls the host.
 */
export class Governor {
  readonly #engine: Engine;
  /** The facts about the run, to read. */
  readonly view: GovernorView;

  constructor(options: GovernorOptions) {
    this.#engine = new Engine(options);
    this.view = this.#engine.view;
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    return this.#engine.state;
  }

  /**
   * Changes the settings: the whole value, as `createGovernor` takes it. Only differences have an effect. Counters keep
   * their values; a limit that is new, or was unlimited, starts over. A changed maximum ends what a person granted for
   * it, and any changed limit takes back an earlier no.
   */
  configure(settings: GovernorSettings): void {
    this.#engine.configure(settings);
  }

  /** A person's prompt: a new run, and the only everyday event that starts the budgets over. */
  prompt(): void {
    this.#engine.prompt();
  }

  /** Starts the counters over, without a prompt. */
  reset(): void {
    this.#engine.reset();
  }

  /**
   * A turn is about to begin. A run that was not started by a person's prompt continues with what is left of the
   * budgets.
   */
  beforeTurn(turn?: TurnStart): TurnDecision {
    if (turn !== undefined) {
      requireFields(turn, "beforeTurn", START_FIELDS);
      optionalFlag(turn.priced, "beforeTurn.priced");
      optionalKind(turn.as, "as");
      optionalFlag(turn.hears, "beforeTurn.hears");
      optionalFinalTool(turn.finalTool, "beforeTurn.finalTool");
    }
    this.#requireTime();
    return this.#engine.turns.before(turn);
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no. With several
   * turns held for one question, give each the reply together with its `ask`: the first is decided by the reply, the
   * others again. A reply to a question that is no longer open decides nothing: a turn of this run that is still held
   * is decided again, and one of an earlier run must not begin. `turn`: what is held, as it was told to `beforeTurn`.
   * The same for what was found of the run's progress: what is not `true` or `{ progress }` is none.
   */
  answer(
    reply: Reply | Verdict | undefined,
    ask?: Ask | CheckProgress,
    turn?: Pick<TurnStart, "as" | "hears">,
  ): TurnDecision {
    if (ask !== undefined) {
      if (!isPlainObject(ask)) throw new InvalidLimit("ask", ask, "the question that was asked");
      count(1)(ask.id, "ask.id");
    }
    if (turn !== undefined) requireFields(turn, "answer", ["as", "hears"]);
    optionalKind(turn?.as, "as");
    optionalFlag(turn?.hears, "answer.hears");
    return this.#engine.turns.answer(reply, ask, turn);
  }

  /**
   * A person allows more of a limit without being asked by this run: it starts over as after a yes. A question that is open
   * about it is no longer needed. Throws `InvalidLimit` if there is no such limit, or for a bad reply.
   */
  allow(limit: string, reply: Yes): void {
    this.#engine.allow(limit, reply);
  }

  /** A tool call is about to begin, or one nested in it. Ask in the order in which the model made the calls. */
  beforeStep(call: StepCall = {}): StepDecision {
    requireCall(call, this.#engine);
    this.#requireTime();
    return this.#engine.calls.before(call);
  }

  /**
   * A tool call that was admitted does not run: a person, or a rule of the host, denied it. It takes no step. For hosts
   * that only know after {@link beforeStep} whether a call is approved; until then it holds its step. A call that is not
   * known by this id, has its result, or was admitted before a counter started over, is not taken back.
   */
  stepDenied({ id }: { id: string }): void {
    this.#engine.calls.denied(text(id, "stepDenied.id"));
  }

  /**
   * A tool call has its result, by which repeats are recognised. `failed`: it is an error. A call of the final tool that
   * failed is no answer.
   */
  stepEnded(step: { id?: string | undefined; result: unknown; failed?: boolean | undefined }): void {
    requireFields(step, "stepEnded", ["id", "result", "failed"]);
    const failed = optionalFlag(step.failed, "stepEnded.failed");
    this.#engine.calls.ended(optionalText(step.id, "stepEnded.id"), step.result, failed);
  }

  /** The turn in flight ended: answered, or with a failure. `usage` is what it took, if the host knows. */
  turnEnded(end: Failure | TurnEnd = {}): void {
    if (typeof end === "string") end = { failure: requireFailure(end, "turnEnded") };
    requireFields(end, "turnEnded", END_FIELDS);
    const { failure, usage } = end;
    optionalAdmission(end.admission, "turnEnded.admission");
    optionalKind(end.as, "turnEnded.as");
    if (failure !== undefined) requireFailure(failure, "turnEnded.failure");
    const checked = usage === undefined ? undefined : requireUsage(usage, "turnEnded.usage");
    this.#engine.run.requests.ended(end, checked);
  }

  /**
   * A turn that was admitted was never sent: it did not begin, and counts neither as a turn nor as a request. With
   * several turns under way, `admission` says which, as `view.admission` was when it was admitted; left out, it is the
   * last one. One that was sent, has ended, or was admitted before a counter started over, is not taken back.
   */
  turnAbandoned(turn: { admission?: number | undefined } = {}): void {
    requireFields(turn, "turnAbandoned", ["admission"]);
    const admission = optionalAdmission(turn.admission, "turnAbandoned.admission");
    this.#engine.turns.abandoned(admission ?? this.view.admission);
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    this.#engine.run.requests.discarded();
  }

  /** The run spent something besides its turns: on a compaction, or within a tool call. */
  spend(activity: "compaction" | "nested", usage: Usage): void {
    this.#engine.spend(activity, requireUsage(usage, "usage"));
  }

  /**
   * Tells the time, in milliseconds. With a time limit, call it before every other event: the governor has no clock.
   */
  timeIs(now: number): void {
    this.#engine.timeIs(requireNow(now, "time"));
  }

  /** Does the run wait for a person, for example to approve a tool call? That time does not count. */
  waiting(waiting: boolean): void {
    this.#engine.run.waiting = flag(waiting, "waiting");
  }

  /**
   * Checks whether the time is up in the middle of a turn. `undefined`: it is not, or a person is being asked already.
   * `canGoOn` is false for a host that cannot cut off what is running and go on after it, or that does not get to the
   * tools-free turn: then there will be none.
   */
  overdue(canGoOn = true): OverdueDecision | undefined {
    return this.#engine.turns.overdue(flag(canGoOn, "canGoOn"));
  }

  /**
   * A model request is really being sent. A stop: it is one too many, and the run must end at once. `admission`: which
   * one, as `view.admission` was when it was admitted.
   */
  requestSent(admission?: number): Stop | undefined {
    return this.#engine.turns.sent(optionalAdmission(admission, "admission"));
  }

  /** A tool call is really being executed. A stop: it is one too many, and the run must end at once. */
  stepExecuted(): Stop | undefined {
    return this.#engine.calls.executed();
  }

  /**
   * The agent is going to take another turn: what the model has to be told first, if anything. For hosts that deliver
   * messages before they ask {@link beforeTurn}; what is not taken here comes as its `wrap-up` decision.
   */
  takeWrapUp(): string | undefined {
    return this.#engine.turns.takeWrapUp();
  }

  /** A person wants the agent to wrap up: it is told before its next turn, if it takes one. Is there a run to wrap up? */
  requestWrapUp(): boolean {
    return this.#engine.run.requestWrapUp();
  }

  /**
   * The agent is idle again: why, and what the run took. `undefined` if no run was under way. `byHostLimit`: the agent
   * did not finish; a limit of the host's own ended the run.
   */
  settled(byHostLimit = false): Outcome | undefined {
    return this.#engine.settled(flag(byHostLimit, "byHostLimit"));
  }

  // Throws if there is a time limit and the time was never told.
  #requireTime(): void {
    if (this.#engine.lacksTime)
      throw new Error("A time limit needs the time: call timeIs(Date.now()) before each other event.");
  }
}

/**
 * Makes a governor, which holds a run to its limits. Tell it what happens, and do what it decides; it never calls the
 * host.
 *
 * @example
 * const governor = createGovernor({ turns: 25, steps: 40 });
 * governor.prompt();
 * while (work.isLeft && governor.beforeTurn().kind === "proceed") {
 *   await callTheModel();
 *   governor.turnEnded();
 * }
 * const outcome = governor.settled();
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  return new Governor(options);
}
