import { kindOf } from "../limits/kinds.ts";
import { type Activity, countedFor } from "../measures/measures.ts";
import type { Usage } from "../meter/usage.ts";
import type { Budgets } from "./budgets.ts";
import type { Admission, RequestStatus, RunState, TurnEnd } from "./run.ts";

// A host that does not say when a turn ends must not pile them up.
const MOST_OPEN = 64;

/** The requests of a run: turns, the same once more, and those besides the turns, from when they begin to their end. */
export class Requests {
  readonly #budgets: Budgets;
  readonly #state: RunState;

  constructor(budgets: Budgets, state: RunState) {
    this.#budgets = budgets;
    this.#state = state;
  }

  /**
   * A request begins. `isCovered`: the turn limit admits it; otherwise it does not apply to it. `tells`: the model is
   * told to wrap up in it.
   */
  begin(activity: Activity, isCovered = false, tells = false): void {
    const state = this.#state;
    const budgets = this.#budgets;
    const { open, request } = state;
    const isNew = countedFor(activity).turns;
    if (isCovered) budgets.audit.admitted("requests", budgets.turns.max);
    else budgets.audit.exempted("requests");
    // The request that is made again while it is in flight goes on as this one.
    if (activity === "retry" && request === "in-flight") take(open, latest(open, false));
    if (open.length === MOST_OPEN) open.shift();
    state.admissions += 1;
    open.push({
      id: state.admissions,
      activity,
      exempt: !isCovered,
      tells,
      sent: false,
      restarts: budgets.restarts,
      request,
      before: state.activity,
    });
    if (isNew && (budgets.turnsUsed === 0 || state.rounds === 0)) state.rounds += 1;
    state.activity = activity;
    // Something else may be held meanwhile.
    if (state.status !== "asking") state.held = false;
    if (activity !== "aside" || this.#hasAsidesOnly) state.request = "in-flight";
    budgets.meter.turn(activity);
    budgets.begun();
    if (isNew) budgets.repeats?.turnBegan();
  }

  /** A request is really being sent: this one, or the latest that was not sent yet. */
  sent(admission?: number): void {
    const { open } = this.#state;
    const sent = open.findLast(({ id, sent }) => (admission === undefined ? !sent : id === admission));
    if (sent) sent.sent = true;
  }

  /** A request that was admitted is not sent: it never began. Is it taken back? */
  abandoned(admission: number): boolean {
    const state = this.#state;
    const budgets = this.#budgets;
    const { open, synthesis } = state;
    const index = open.findIndex(({ id }) => id === admission);
    const abandoned = open[index];
    // What was admitted before a counter started over is not in it, and cannot be taken back.
    if (!abandoned || abandoned.sent || abandoned.restarts !== budgets.restarts) return false;
    const { activity, exempt, tells, request, before } = abandoned;
    take(open, index);
    this.#setBefore(index, request, before);
    budgets.meter.withdrawn(activity);
    budgets.audit.withdrawn("requests", exempt);
    if (countedFor(activity).turns && (budgets.turnsUsed === 0 || budgets.turnsOfRun === 0))
      state.rounds -= 1;
    // The last turn is still to come, if there is something to answer from.
    if (synthesis && activity === "synthesis") {
      synthesis.begun = false;
      if (kindOf(synthesis.identity)?.measure === "time") synthesis.byTime = true;
    }
    if (!synthesis?.begun && !budgets.hasEvidence) state.synthesis = null;
    // So is what the model was to be told in it.
    if (tells) {
      state.wrapUpSent = state.wrapUpSentInRun = false;
      state.wrapUpRequested = true;
    }
    return true;
  }

  /** A turn, or a request besides the turns, ended. */
  ended({ failure, as, admission }: TurnEnd, usage?: Usage): void {
    const state = this.#state;
    const { meter, repeats } = this.#budgets;
    const { status, request, open } = state;
    const isAside = (as ?? state.activity) === "aside";
    const index =
      admission === undefined ? latest(open, isAside) : open.findIndex(({ id }) => id === admission);
    const activity = open[index]?.activity ?? as ?? state.activity;
    if (usage && status !== "idle") meter.answer(activity, usage);
    const isKnown = admission !== undefined && index >= 0;
    // Without its number, the end of a turn that comes late is no longer believed.
    if (admission === undefined ? status !== "running" : !isKnown) return;
    const isWanted = isKnown || request === "in-flight" || request === "retry-due";
    if (!isWanted && !failure && activity !== "aside") return;
    take(open, index);
    if (status !== "running") return;
    if (activity === "aside") {
      // It is never answered as a turn is, and says nothing of how the turns went.
      if (this.#hasAsidesOnly) this.#setStatus(index, failure ?? "answered");
      return;
    }
    // Only a request that was still wanted can be made again.
    this.#setStatus(index, failure === "failed" && isWanted ? "retry-due" : (failure ?? "answered"));
    // An answer to a turn that began before the counter was reset belongs to no round.
    if (!failure && this.#budgets.turnsCompleted < this.#budgets.turnsUsed) meter.completed();
    if (request === "in-flight" && state.request === "retry-due") repeats?.turnDiscarded();
  }

  /** The last answer was thrown away, and will be asked for again. */
  discarded(): void {
    const state = this.#state;
    if (state.status !== "running" || state.request !== "answered") return;
    state.request = "retry-due";
    if (this.#budgets.turnsCompleted > 0) this.#budgets.meter.discarded();
    this.#budgets.repeats?.turnDiscarded();
  }

  // A request ended that was at this place. It is what was before those that began after it, up to the next turn.
  #setStatus(index: number, status: RequestStatus): void {
    const { open } = this.#state;
    this.#state.request = status;
    for (let place = index < 0 ? open.length : index; place < open.length; place += 1) {
      const next = open[place] as Admission;
      next.request = status;
      if (next.activity !== "aside") break;
    }
  }

  // What the last request was before the one that began after it, if there is one, and otherwise now.
  #setBefore(index: number, request: RequestStatus, activity: Activity): void {
    const state = this.#state;
    const next = state.open[index];
    if (next) {
      next.request = request;
      next.before = activity;
      return;
    }
    // While a turn is held, the one before it is over.
    state.request = request === "in-flight" && state.status === "asking" ? "answered" : request;
    state.activity = activity;
  }

  // Was there no turn so far?
  get #hasAsidesOnly(): boolean {
    return this.#state.rounds === 0;
  }
}

/** Where the latest request is that is, or is not, one besides the turns. */
function latest(open: readonly Admission[], isAside: boolean): number {
  let index = open.length - 1;
  while (index >= 0 && (open[index]?.activity === "aside") !== isAside) index -= 1;
  return index;
}

function take(open: Admission[], index: number): void {
  // Almost always it is the only one.
  if (index === open.length - 1) open.pop();
  else if (index >= 0) open.splice(index, 1);
}
