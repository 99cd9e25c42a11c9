import { kindOf } from "../limits/kinds.ts";
import { type Activity, countedFor } from "../measures/measures.ts";
import type { Usage } from "../meter/usage.ts";
import type { Budgets } from "./budgets.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { Admission, RequestStatus, RunState, TurnEnd } from "./run-state.ts";
import type { Told } from "./telling.ts";

/** The requests of a run: turns, the same once more, and those besides the turns, from when they begin to their end. */
export class Requests {
  readonly #budgets: Budgets;
  readonly #state: RunState;
  readonly #open: OpenRequests;

  constructor(budgets: Budgets, state: RunState, open: OpenRequests) {
    this.#budgets = budgets;
    this.#state = state;
    this.#open = open;
  }

  /**
   * A request begins. `isCovered`: the turn limit admits it; otherwise it does not apply to it. `tells`: the model is
   * told to wrap up in it.
   */
  begin(activity: Activity, isCovered = false, tells = false): void {
    const state = this.#state;
    const budgets = this.#budgets;
    const open = this.#open;
    const { request } = state;
    const isNew = countedFor(activity).turns;
    if (isCovered) budgets.audit.admitted("requests", budgets.lists.turns.max);
    else budgets.audit.exempted("requests");
    // The request that is made again while it is in flight goes on as this one.
    if (activity === "retry" && request === "in-flight") {
      const replaced = open.latest(false);
      this.#wasNotRead(open.at(replaced));
      open.take(replaced);
    }
    state.admissions += 1;
    open.add({
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
    if (activity !== "aside") state.delivered = false;
    // Something else may be held meanwhile.
    if (state.status !== "asking") state.held = false;
    if (activity !== "aside" || this.#hasAsidesOnly) state.request = "in-flight";
    budgets.meter.turn(activity);
    budgets.begun();
    if (isNew) budgets.lists.repeats?.turnBegan();
  }

  /** In the request with this number the model is told of these shares. */
  tells(admission: number, { rounds, shares }: Told): void {
    const open = this.#open;
    const telling = open.at(open.placeOf(admission));
    if (telling) telling.told = { rounds, shares };
  }

  /** A request is really being sent: this one, or the latest that was not sent yet. */
  sent(admission?: number): void {
    const open = this.#open;
    const sent = admission === undefined ? open.latestUnsent : open.at(open.placeOf(admission));
    if (sent) sent.sent = true;
  }

  /** A request that was admitted is not sent: it never began. Is it taken back? */
  abandoned(admission: number): boolean {
    const state = this.#state;
    const budgets = this.#budgets;
    const { synthesis } = state;
    const place = this.#open.placeOf(admission);
    const abandoned = this.#open.at(place);
    // What was admitted before a counter started over is not in it, and cannot be taken back.
    if (!abandoned || abandoned.sent || abandoned.restarts !== budgets.restarts) return false;
    const { activity, exempt, tells, request, before } = abandoned;
    this.#open.take(place);
    this.#setBefore(place, request, before);
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
    this.#wasNotRead(abandoned);
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
    const { meter, lists } = this.#budgets;
    const open = this.#open;
    const { status, request } = state;
    const isAside = (as ?? state.activity) === "aside";
    const place = admission === undefined ? open.latest(isAside) : open.placeOf(admission);
    const ended = open.at(place);
    const activity = ended?.activity ?? as ?? state.activity;
    if (usage && status !== "idle") meter.answer(activity, usage);
    const isKnown = admission !== undefined && place >= 0;
    // Without its number, the end of a turn that comes late is no longer believed.
    if (admission === undefined ? status !== "running" : !isKnown) return;
    const isWanted = isKnown || request === "in-flight" || request === "retry-due";
    if (!isWanted && !failure && activity !== "aside") return;
    if (failure) this.#wasNotRead(ended);
    open.take(place);
    if (status !== "running") return;
    if (activity === "aside") {
      // It is never answered as a turn is, and says nothing of how the turns went.
      if (this.#hasAsidesOnly) this.#setStatus(place, failure ?? "answered");
      return;
    }
    // Only a request that was still wanted can be made again.
    this.#setStatus(place, failure === "failed" && isWanted ? "retry-due" : (failure ?? "answered"));
    // An answer to a turn that began before the counter was reset belongs to no round.
    if (!failure && this.#budgets.turnsCompleted < this.#budgets.turnsUsed) meter.completed();
    if (request === "in-flight" && state.request === "retry-due") lists.repeats?.turnDiscarded();
  }

  /** The last answer was thrown away, and will be asked for again. */
  discarded(): void {
    const state = this.#state;
    if (state.status !== "running" || state.request !== "answered") return;
    state.request = "retry-due";
    if (this.#budgets.turnsCompleted > 0) this.#budgets.meter.discarded();
    this.#budgets.lists.repeats?.turnDiscarded();
  }

  // What it told of what is left is told again.
  #wasNotRead(request: Admission | undefined): void {
    if (request?.told) this.#budgets.untold(request.told);
  }

  // A request ended that was at this place. It is what was before those that began after it, up to the next turn.
  #setStatus(place: number, status: RequestStatus): void {
    this.#state.request = status;
    if (place < 0) return;
    for (let later = place, next = this.#open.at(later); next; later += 1, next = this.#open.at(later)) {
      next.request = status;
      if (next.activity !== "aside") break;
    }
  }

  // What the last request was before the one that began after it, if there is one, and otherwise now.
  #setBefore(place: number, request: RequestStatus, activity: Activity): void {
    const state = this.#state;
    const next = this.#open.at(place);
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
