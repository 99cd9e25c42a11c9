import type { Boundary } from "../limits/boundary.ts";
import { endsRun } from "../limits/policy.ts";
import { Difference, type Totals, usageBetween } from "../meter/meter.ts";
import type { Budgets } from "./budgets.ts";
import type { Stop } from "./decision.ts";
import { type Outcome, outcomeKind } from "./outcome.ts";
import type { RunMachine } from "./run-machine.ts";
import type { Question, RequestStatus, RunStatus } from "./run-state.ts";
import type { CompleteSettings } from "./settings.ts";

/** The facts about a run, as they are at the moment of reading. Changing them changes nothing. */
export class GovernorView {
  readonly #budgets: Budgets;
  readonly #run: RunMachine;

  /** @internal */
  constructor(budgets: Budgets, run: RunMachine) {
    this.#budgets = budgets;
    this.#run = run;
  }

  /** Where the run stands. */
  get status(): RunStatus {
    return this.#run.state.status;
  }

  /** The status of its last request. */
  get request(): RequestStatus {
    return this.#run.state.request;
  }

  /** The number of the last request that was admitted, with which the host can say later which one it means. */
  get admission(): number {
    return this.#run.state.admissions;
  }

  /** What a person is being asked about. */
  get question(): Question | null {
    const { question } = this.#run.state;
    return question?.turns === undefined ? copied(question) : null;
  }

  /** Which limit is at its boundary while the host finds out whether the run got somewhere. */
  get check(): Question | null {
    const { question } = this.#run.state;
    return question?.turns === undefined ? null : copied(question);
  }

  /** Each limit with its usage; turns always, and first. */
  get standings(): Boundary[] {
    return this.#budgets.standings;
  }

  /** What was used since the last prompt. */
  get totals(): Totals {
    return new Difference(this.#budgets.prompted, this.#budgets.meter.current).toJSON();
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return copied(this.#run.state.stop);
  }

  /** When this limit starts over by itself, in milliseconds since 1970, if it does and that is known. */
  startsOver(limit: string): number | undefined {
    return this.#budgets.lists.get(limit)?.waits.until;
  }

  /** Is the tools-free last turn due or under way? */
  get synthesizing(): boolean {
    return this.#run.state.synthesis !== null;
  }

  /** Would a run that was not started by a person's prompt end before its first turn, without a question? */
  get exhausted(): boolean {
    // What is left of a shared budget is not known before it is asked for.
    const reached = this.#budgets.reached("turn", "own");
    return reached !== undefined && endsRun(reached.action);
  }

  /** Is there a cost limit, and something spent, or about to be, whose price is not known? */
  get unpriced(): boolean {
    return this.#budgets.isUnpriced && this.#budgets.lists.hold("cost");
  }

  /** Would a model without a price end the run? Then it has to be said before a turn that the model has none. */
  get stopsUnpriced(): boolean {
    return this.#budgets.lists.stopUnpriced;
  }

  /** Is there a limit of tokens or cost, and a provider that does not report usage? */
  get unreported(): boolean {
    const { meter, opened } = this.#budgets;
    if (this.request !== "answered" || meter.current.reports > opened.reports) return false;
    return this.#budgets.lists.measure("tokens") || this.#budgets.lists.measure("cost");
  }

  /** Did the host say that it waits for a person? */
  get waiting(): boolean {
    return this.#run.state.waiting;
  }

  /** Milliseconds until `overdue` has something to say, if the turn under way takes that long. */
  get timeLeft(): number | undefined {
    return this.#run.timeLeft;
  }

  /** Was the model told to wrap up in this round? */
  get wrapUpSent(): boolean {
    return this.#run.state.wrapUpSent;
  }

  /** How the run would end if it settled now; `undefined` if there is none. */
  get outcome(): Outcome | undefined {
    const { meter, opened, settings } = this.#budgets;
    const { status, rounds, intervened, extensions, stop, synthesis } = this.#run.state;
    if (status === "idle") return undefined;
    const { limit, identity, why } = stop ?? synthesis ?? {};
    const { current } = meter;
    const usage = usageBetween(opened, current);
    return {
      kind: outcomeKind(this.#run.state),
      ...(limit !== undefined && { limit }),
      ...(identity && { identity }),
      ...(why !== undefined && { why }),
      turns: current.turns - opened.turns,
      rounds,
      steps: current.steps - opened.steps,
      intervened,
      ...(extensions.length > 0 && { extensions: extensions.map((one) => ({ ...one })) }),
      ...(meter.knowsTime && { time: current.time - opened.time }),
      ...(usage && { usage }),
      ...(this.unpriced && { unpriced: true }),
      maxTurns: settings.turns.max,
      maxSteps: settings.steps.max,
    };
  }

  /** The settings that hold, complete. */
  get settings(): CompleteSettings {
    return this.#budgets.settings;
  }
}

let facts: PropertyDescriptorMap | undefined;

/** The view as it is handed out: with properties of its own, so that it can be spread and turned into JSON. */
export function handedOut(view: GovernorView): GovernorView {
  facts ??= factsOf(GovernorView.prototype);
  Object.freeze(Object.defineProperties(view, facts));
  return view;
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
