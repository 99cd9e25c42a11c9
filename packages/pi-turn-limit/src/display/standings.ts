import type { Boundary, GovernorSettings, Totals } from "turn-limit";
import type { PromptBudget } from "../agents/prompt-budget.ts";
import type { DrawingAgent } from "../agents/prompt-pool.ts";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { createGovernor, type GovernorView, isOwn, type Run } from "../core.ts";
import { limitOf } from "../limits/limit-of.ts";
import type { ShownStandings } from "./counters.ts";
import type { Standing } from "./limit-words.ts";

const NONE = (): readonly Boundary[] => [];

/** Where the limits of a session stand: in the run that is under way or, of an idle agent, in the last one. */
export class Standings implements ShownStandings {
  readonly #run: Run;
  readonly #budgets: SessionBudgets;
  readonly #prompt: PromptBudget;
  /** Worked out when somebody asks for it: nobody looks at most runs once they are over. */
  #lastRun: () => readonly Boundary[] = NONE;

  /** `lastRun`: what lasted of it over a reload. */
  constructor(run: Run, budgets: SessionBudgets, prompt: PromptBudget, lastRun: readonly Boundary[] = []) {
    this.#run = run;
    this.#budgets = budgets;
    this.#prompt = prompt;
    if (lastRun.length > 0) this.#lastRun = () => lastRun;
    else this.remember();
  }

  /** Where the limits stood when the last run ended; none once a person has prompted again. */
  get lastRun(): readonly Boundary[] {
    return this.#lastRun();
  }

  get #isIdle(): boolean {
    return this.#run.view.status === "idle";
  }

  /** Is what is shown the usage of a run that is over? */
  get showsLastRun(): boolean {
    return this.#isIdle && this.lastRun.length > 0;
  }

  /** What the run has used, or the last one took. */
  get totals(): Totals | undefined {
    return this.#isIdle && !this.showsLastRun ? undefined : this.#run.view.totals;
  }

  /** The agents below that draw from the budget of the prompt. */
  get agents(): readonly DrawingAgent[] {
    return this.#prompt.agents;
  }

  /** Each limit with its usage; of an idle agent, as its next run finds it. */
  get current(): Standing[] {
    if (this.#isIdle)
      return this.#unused.map((unused) => this.#shared.find(({ limit }) => limit === unused.limit) ?? unused);
    return withAgents(this.#run.view.standings, this.agents.filter(({ isPresent }) => isPresent).length);
  }

  /** The same, but of an idle agent what the last run took. */
  get standings(): Standing[] {
    if (!this.showsLastRun) return this.current;
    const { view } = this.#run;
    const shared = this.#shared;
    const next = this.current;
    const { lastRun } = this;
    const known = [...next, ...lastRun];
    const limits = known.filter(
      (one, index) => known.findIndex(({ limit }) => limit === one.limit) === index,
    );
    return limits.map(({ limit, identity }) => {
      // A period goes on after the run, also by what other sessions do.
      const ofAll = shared.find((standing) => standing.limit === limit);
      if (ofAll) return ofAll;
      const last = lastRun.find((standing) => standing.limit === limit);
      const { max = "unlimited" } = last ?? {};
      const { max: nextMax = "unlimited" } = next.find((standing) => standing.limit === limit) ?? {};
      // Each round starts a limit over; what the run took is all of them.
      const used = Math.max(last?.used ?? 0, limitOf({ limit, identity }).total(view.totals));
      const changed = nextMax !== max && { nextMax };
      return { limit, identity, used, max, ...changed, ...(last?.unpriced && { unpriced: true }) };
    });
  }

  /** A run has ended. */
  remember(): void {
    const { view } = this.#run;
    if (view.totals.turns === 0) {
      this.forget();
      return;
    }
    const { settings, standings } = view;
    const shared = new Set(this.#shared.map(({ limit }) => limit));
    let lastRun: readonly Boundary[] | undefined;
    this.#lastRun = () => {
      lastRun ??= withMaxima(standings, settings, shared);
      return lastRun;
    };
  }

  /** A person prompted. */
  forget(): void {
    this.#lastRun = NONE;
  }

  /** The limits of periods, which go on when a run has ended. */
  get #shared(): Boundary[] {
    return this.#run.view.standings.filter(({ limit }) => this.#budgets.isShared(limit));
  }

  /** The limits as they are set, without what a person granted a run. */
  get #unused(): Boundary[] {
    return unused(this.#run.view.settings);
  }
}

function unused(settings: GovernorView["settings"]): Boundary[] {
  return createGovernor(settings as GovernorSettings).view.standings;
}

// What was granted ended with the run, unless it was for all that draw from the same budget.
function withMaxima(
  standings: readonly Boundary[],
  settings: GovernorView["settings"],
  shared: ReadonlySet<string>,
): Boundary[] {
  const set = new Map(unused(settings).map(({ limit, max }) => [limit, max]));
  return standings.map((standing) => {
    const { limit, max } = standing;
    return { ...standing, max: shared.has(limit) ? max : (set.get(limit) ?? max) };
  });
}

// Beside the last of the budgets that agents draw from.
function withAgents(standings: readonly Boundary[], agents: number): Standing[] {
  const isOfPrompt = ({ identity }: Boundary) =>
    isOwn(identity, "cost") || isOwn(identity, "tokens") || isOwn(identity, "time");
  const isOfPeriod = ({ identity }: Boundary) => identity.per !== undefined;
  const drawn = standings.findLast(isOfPrompt) ?? standings.findLast(isOfPeriod);
  return standings.map((standing) => (standing === drawn && agents > 0 ? { ...standing, agents } : standing));
}
