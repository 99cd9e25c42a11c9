import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Boundary, GovernorSettings, Max, Reply, Unpriced } from "turn-limit";
import type { ManagedPool } from "../core.ts";
import type { RefusedSource } from "../limits/other-boundaries.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { governorSettings } from "../settings/governor-settings.ts";
import type { LimitsOfSession } from "../settings/limits-in-force.ts";
import { askAbove } from "./agents-questions.ts";
import { type HandedDown, type HandedPrompt, handedTo, PARENT_VARIABLE } from "./handed-down.ts";
import { handedPeriod, ownBeside, periodsBeside, promptPools } from "./parents-budgets.ts";
import { claimNearlyUsed, type DrawnPeriod, periodPools } from "./period-pools.ts";
import { PersonsStore } from "./persons-store.ts";
import { type DrawnWindow, planPools, windowsBeside } from "./plan-pool.ts";

/** The limits that hold in a session and the pools it draws from: its own, and what the sessions above hand down. */
export class SessionBudgets {
  readonly session: string;
  /** The person's store, the same as above. */
  readonly store: PersonsStore;
  /** What the sessions above have handed down. */
  readonly above: HandedDown | undefined;
  readonly #damaged: readonly RefusedSource[];
  #values: LimitValues | undefined;
  #periods: readonly DrawnPeriod[] | undefined;
  #pools: readonly ManagedPool[] = [];
  #windows: readonly DrawnWindow[] = [];
  #plan: readonly ManagedPool[] = [];
  /** The provider of the model in use, whose subscription is limited. */
  provider: string | undefined;
  /** Resolves when the pools know of the last change. */
  #changed: Promise<void> = Promise.resolve();
  /** Which limits the person was told about by this session. */
  readonly #toldAbout = new Set<string>();

  /** A session starts: finds out what was handed down to it. `file`: the store of a session that stands on its own. */
  constructor(ctx: ExtensionContext, file: string) {
    this.session = ctx.sessionManager.getSessionId();
    const received = handedTo(ctx);
    this.above = received === "damaged" ? undefined : received;
    this.#damaged = received === "damaged" ? [{ source: PARENT_VARIABLE }] : [];
    this.store = new PersonsStore(this.above?.store ?? file);
    this.provider = ctx.model?.provider;
  }

  /** Its own limits for a prompt; none before it has its first. */
  get values(): LimitValues | undefined {
    return this.#values;
  }

  /** The limits for a period that hold in this session, those that are the same above included. */
  get periodLimits(): readonly PeriodLimit[] {
    return this.#periods?.filter(({ above }) => above === undefined) ?? [];
  }

  get pools(): readonly ManagedPool[] {
    return this.#pools;
  }

  /** The windows of a subscription that are limited, by their lengths. */
  get windows(): readonly string[] {
    return this.#windows.map(({ window }) => window);
  }

  /** Other limits hold from now on. Returns them as the run takes them. */
  apply(limits: LimitsOfSession): GovernorSettings & { pool: readonly ManagedPool[] } {
    const { values, refused, periodLimits, grace } = limits;
    const { prompts = [], periods = [] } = this.above ?? {};
    const before = this.#periods;
    this.#values = ownBeside(prompts, values);
    this.#periods = periodsBeside(periods, periodLimits, values, this.session);
    this.#windows = windowsBeside(this.above?.plan ?? [], values.plan);
    this.#plan = planPools(this.#windows, this.provider, this.store);
    this.#pools = [
      ...promptPools(prompts, values, this.store),
      ...periodPools(this.#periods, this.session, this.store),
      ...this.#plan,
    ];
    // What a session starts with is not new.
    if (before) this.#changed = this.#endExtensions(before, this.#periods);
    const settings = governorSettings(this.#values, grace, [...this.#damaged, ...refused]);
    return { ...settings, pool: this.#pools };
  }

  // A new maximum takes the place of what a person had allowed in addition to the old one.
  async #endExtensions(before: readonly PeriodLimit[], now: readonly PeriodLimit[]): Promise<void> {
    for (const { name, max } of now) {
      const earlier = before.find((limit) => limit.name === name);
      const pool = this.#poolOf(name);
      if (!pool || earlier?.max === max) continue;
      await (earlier ? pool.endExtension(name) : pool.endExtensionOfAnother(name)).catch(() => undefined);
    }
  }

  /** Resolves when the pools know of the last change of the limits. */
  changed(): Promise<void> {
    return this.#changed;
  }

  /** Is it a limit that others draw from, too? */
  isShared(limit: string): boolean {
    return this.#poolOf(limit) !== undefined;
  }

  #poolOf(name: string): ManagedPool | undefined {
    return this.#pools.find((pool) => pool.has(name));
  }

  /** The limits of cost for a period, and those that were handed down, for a model whose price is not known. */
  get sharedCosts(): { max: Max; unpriced: Unpriced }[] {
    const costs = this.periodLimits.filter(({ kind }) => kind === "cost");
    return [
      ...costs.map(({ max, options: { unpriced = "warn" } }) => ({ max, unpriced })),
      ...(this.above?.prompts ?? []).map(({ cost }) => cost),
    ];
  }

  /** Finds the limits that are nearly used up, so that the person should know, each once. */
  async nearlyUsed(standings: readonly Boundary[]): Promise<Boundary[]> {
    // What a sub-agent says is not shown.
    const pools = this.#pools.filter((pool) => !this.#plan.includes(pool));
    return this.above ? [] : claimNearlyUsed(pools, standings, this.#toldAbout);
  }

  /** Asks the person at the nearest session above that has one. A no if that session is gone. */
  async askAbove(ask: Ask, signal: AbortSignal, member: { id: string; name: string }): Promise<Reply> {
    const asks = this.above?.ask;
    const set = this.periodLimits.find(({ name }) => name === ask.limit)?.max;
    return asks ? askAbove(asks, this.store, ask, signal, { ...member, set }) : false;
  }

  /**
   * What the agents below get; nothing where there is nothing to hand down. `prompt`: what they draw from; `ask`: who asks
   * a person for them.
   */
  handedDown(prompt: HandedPrompt | undefined, ask: HandedDown["ask"]): HandedDown | undefined {
    const prompts = [...(this.above?.prompts ?? []), ...(prompt ? [prompt] : [])];
    const periods = (this.#periods ?? []).map((limit) => handedPeriod(limit, this.session));
    const plan = this.#windows.map(({ policies: _, ...window }) => window);
    if (prompts.length === 0 && periods.length === 0 && plan.length === 0 && !ask) return undefined;
    return {
      ...{ store: this.store.file, prompts, periods },
      ...(plan.length > 0 && { plan }),
      ...(ask && { ask }),
    };
  }
}
