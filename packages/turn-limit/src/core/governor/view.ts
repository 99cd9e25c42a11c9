import type { Boundary } from "../limits/boundary.ts";
import { endsRun } from "../limits/policy.ts";
import { Difference, type Totals, usageBetween } from "../meter/meter.ts";
import type { Stop } from "./decision.ts";
import { type Outcome, outcomeKind } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import type { Question, RequestStatus, RunStatus } from "./run.ts";
import type { CompleteSettings } from "./settings.ts";

let facts: PropertyDescriptorMap | undefined;

/** The facts about a run, as they are at the moment of reading. Changing them changes nothing. */
export class GovernorView {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
    // Properties of its own, so that it can be spread and turned into JSON.
    facts ??= factsOf(GovernorView.prototype);
    Object.freeze(Object.defineProperties(this, facts));
  }

  /** Where the run stands. */
  get status(): RunStatus {
    return this.#parts.run.state.status;
  }

  /** The status of its last request. */
  get request(): RequestStatus {
    return this.#parts.run.state.request;
  }

  /** What a person is being asked about. */
  get question(): Question | null {
    return copied(this.#parts.run.state.question);
  }

  /** Each limit with its usage; turns always, and first. */
  get standings(): Boundary[] {
    return this.#parts.budgets.standings(this.#parts.isUnpriced);
  }

  /** What was used since the last prompt. */
  get totals(): Totals {
    return new Difference(this.#parts.prompted, this.#parts.meter.current).toJSON();
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return copied(this.#parts.run.state.stop);
  }

  /** Is the tools-free last turn due or under way? */
  get synthesizing(): boolean {
    return this.#parts.run.state.synthesis !== null;
  }

  /** Would a run that was not started by a person's prompt end before its first turn, without a question? */
  get exhausted(): boolean {
    // What is left of a shared budget is not known before it is asked for.
    const reached = this.#parts.ownReached("turn");
    return reached !== undefined && endsRun(reached.action);
  }

  /** Is there a cost limit, and something spent, or about to be, whose price is not known? */
  get unpriced(): boolean {
    return this.#parts.isUnpriced && this.#parts.budgets.measure("cost");
  }

  /** Is there a limit of tokens or cost, and a provider that does not report usage? */
  get unreported(): boolean {
    const { meter, opened, budgets } = this.#parts;
    if (this.request !== "answered" || meter.current.reports > opened.reports) return false;
    return budgets.measure("tokens") || budgets.measure("cost");
  }

  /** Did the host say that it waits for a person? */
  get waiting(): boolean {
    return this.#parts.run.state.waiting;
  }

  /** Milliseconds until `overdue` has something to say, if the turn under way takes that long. */
  get timeLeft(): number | undefined {
    const { run, budgets } = this.#parts;
    if (this.status !== "running" || run.waitsForPerson || run.isLastTurnDueByTime) return undefined;
    return budgets.shortestTime?.left;
  }

  /** Was the model told to wrap up in this round? */
  get wrapUpSent(): boolean {
    return this.#parts.wrapUp.state.sent;
  }

  /** How the run would end if it settled now; `undefined` if there is none. */
  get outcome(): Outcome | undefined {
    const { run, wrapUp, meter, opened, settings } = this.#parts;
    const { status, rounds, intervened, stop, synthesis } = run.state;
    if (status === "idle") return undefined;
    const { limit, why } = stop ?? synthesis ?? {};
    const { current } = meter;
    const usage = usageBetween(opened, current);
    return {
      kind: outcomeKind(run.state, wrapUp.state.sentInRun),
      ...(limit !== undefined && { limit }),
      ...(why !== undefined && { why }),
      turns: current.turns - opened.turns,
      rounds,
      steps: current.steps - opened.steps,
      intervened,
      ...(meter.knowsTime && { time: current.time - opened.time }),
      ...(usage && { usage }),
      ...(this.unpriced && { unpriced: true }),
      maxTurns: settings.turns.max,
      maxSteps: settings.steps.max,
    };
  }

  /** The settings that hold, complete. */
  get settings(): CompleteSettings {
    return this.#parts.settings;
  }
}

function copied<T extends object>(value: T | null): T | null {
  return value && { ...value };
}

function factsOf(prototype: object): PropertyDescriptorMap {
  const getters = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { get }]) => get);
  return Object.fromEntries(
    getters.map(([name, { get }]) => [name, { get, enumerable: true }]),
  ) as PropertyDescriptorMap;
}
