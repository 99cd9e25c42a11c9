import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, GovernorSettings, Max, Store, Unpriced } from "turn-limit";
import type { ManagedPool } from "../core.ts";
import type { PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { governorSettings } from "../settings/governor-settings.ts";
import {
  type HandedDown,
  type HandedPeriod,
  type HandedPrompt,
  handedTo,
  PARENT_VARIABLE,
} from "./handed-down.ts";
import { ParentsBudgets } from "./parents-budgets.ts";
import { claimNearlyUsed, PeriodPools } from "./period-pools.ts";
import { PersonsStore } from "./persons-store.ts";

/** The limits of a session, as its settings say. */
export interface LimitsOfSession {
  /** Those for a prompt. */
  readonly values: LimitValues;
  /** Where limits were set that cannot be used. */
  readonly refused: readonly string[];
  readonly periodLimits: readonly PeriodLimit[];
  /** When another extension wants the wrap-up, if one does. */
  grace(): number | undefined;
}

/** The limits that hold in a session and the pools it draws from: its own, and what the sessions above hand down. */
export class SessionBudgets {
  readonly session: string;
  /** What the sessions above have handed down. */
  readonly above: ParentsBudgets | undefined;
  readonly #damaged: readonly string[];
  readonly #store: PersonsStore;
  readonly #periodPools: PeriodPools;
  #values: LimitValues | undefined;
  #periodLimits: readonly PeriodLimit[] | undefined;
  #pools: readonly ManagedPool[] = [];
  /** Resolves when the pools know of the last change. */
  #changed: Promise<void> = Promise.resolve();
  /** Which limits the person was told about by this session. */
  readonly #toldAbout = new Set<string>();

  /** A session starts: finds out what was handed down to it. `file`: the store of a session that stands on its own. */
  constructor(ctx: ExtensionContext, file: string) {
    this.session = ctx.sessionManager.getSessionId();
    const received = handedTo(ctx);
    const handed = received === "damaged" ? undefined : received;
    this.#store = new PersonsStore(handed?.store ?? file);
    this.#periodPools = new PeriodPools(this.store);
    this.above = handed && new ParentsBudgets(handed, this.store);
    this.#damaged = received === "damaged" ? [PARENT_VARIABLE] : [];
  }

  /** The person's store, the same as above. */
  get store(): Store {
    return this.#store.store;
  }

  get file(): string {
    return this.#store.file;
  }

  /** Its own limits for a prompt; none before it has its first. */
  get values(): LimitValues | undefined {
    return this.#values;
  }

  get periodLimits(): readonly PeriodLimit[] {
    return this.#periodLimits ?? [];
  }

  get pools(): readonly ManagedPool[] {
    return this.#pools;
  }

  /** Other limits hold from now on. Returns them as the run takes them. */
  apply({
    values,
    refused,
    periodLimits,
    grace,
  }: LimitsOfSession): GovernorSettings & { pool: readonly ManagedPool[] } {
    const before = this.#periodLimits;
    this.#values = this.above?.own(values) ?? values;
    this.#periodLimits = this.above?.periodLimits(periodLimits, values, this.session) ?? periodLimits;
    this.#pools = [
      ...(this.above?.pools(values, this.session) ?? []),
      ...this.#periodPools.of(this.#periodLimits, this.session),
    ];
    // What a session starts with is not new.
    if (before) this.#changed = this.#endExtensions(before, this.#periodLimits);
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

  /** Does the boundary say that the store cannot be used? */
  isAboutStore({ identity }: Boundary): boolean {
    return identity.kind === "store";
  }

  /** The person goes on without the store. */
  acceptLoss(): void {
    this.#store.acceptLoss();
  }

  /** The limits of cost for a period, and those that were handed down, for a model whose price is not known. */
  get sharedCosts(): { max: Max; unpriced: Unpriced }[] {
    const costs = this.periodLimits.filter(({ kind }) => kind === "cost");
    return [
      ...costs.map(({ max, options: { unpriced = "warn" } }) => ({ max, unpriced })),
      ...(this.above?.costs ?? []),
    ];
  }

  /** Finds the limits of which so much is used that the person should know, each once. */
  async nearlyUsed(standings: readonly Boundary[]): Promise<Boundary[]> {
    // What a sub-agent says is not shown.
    return this.above ? [] : claimNearlyUsed(this.#pools, standings, this.#toldAbout);
  }

  /**
   * What the agents below get; nothing where there is nothing to hand down. `prompt`: what they draw from; `ask`: who asks
   * a person for them.
   */
  handedDown(prompt: HandedPrompt | undefined, ask: HandedDown["ask"]): HandedDown | undefined {
    const handed = this.above?.handedOn(this.session);
    const prompts = [...(handed?.prompts ?? []), ...(prompt ? [prompt] : [])];
    const periods = [
      ...(handed?.periods ?? []),
      ...this.periodLimits.flatMap((limit) => this.#handed(limit)),
    ];
    if (prompts.length === 0 && periods.length === 0 && !ask) return undefined;
    return { store: this.file, prompts, periods, ...(ask && { ask }) };
  }

  #handed({ kind, per, max, options }: PeriodLimit): HandedPeriod[] {
    if (max === "unlimited") return [];
    const { unpriced, cacheReads, cacheWrites } = options;
    return [
      {
        ...{ kind, per, max },
        ...(per === "session" && { session: this.session }),
        ...(unpriced && { unpriced }),
        ...(cacheReads !== undefined && { cacheReads }),
        ...(cacheWrites !== undefined && { cacheWrites }),
      },
    ];
  }

  /** The session ends. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
