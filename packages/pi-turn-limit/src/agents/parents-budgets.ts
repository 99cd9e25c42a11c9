import type { Ask, Max, Reply, Store } from "turn-limit";
import { joinPool, type ManagedPool, managedPool } from "../core.ts";
import { nameWithPeriod, type PeriodLimit, type PeriodOptions } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { askAbove } from "./agents-questions.ts";
import type { HandedDown, HandedPeriod, HandedPrompt } from "./handed-down.ts";
import { poolOf, REMEMBERED } from "./period-pools.ts";

/** How long an agent may be silent before what it holds counts as used. */
const LEASE = 10_000;
const DAY = 86_400_000;

/** What a session draws from the budgets of those above it, whatever its own settings say. */
export class ParentsBudgets {
  readonly #handed: HandedDown;
  readonly #store: Store;
  #pools: { readonly key: string; readonly pools: ManagedPool[] } = { key: "", pools: [] };

  constructor(handed: HandedDown, store: Store) {
    this.#handed = handed;
    this.#store = store;
  }

  /**
   * The pools to draw from, with the policies of this session, beside those of its own periods. The same policies have the
   * same pools.
   */
  pools(values: LimitValues, session: string): ManagedPool[] {
    const options = [
      ...this.#handed.prompts.map((prompt) => promptOptions(prompt, values)),
      ...sessionsIn(this.handedOn(session).periods).map(([session, limits]) => ({
        id: poolOf("session", session),
        keepFor: REMEMBERED,
        identity: { pool: poolOf("session", session), per: "session" },
        ...Object.fromEntries(
          limits.map((limit) => [limit.kind, { max: limit.max, ...optionsOf(limit, values) }]),
        ),
      })),
    ];
    const key = JSON.stringify(options);
    if (key === this.#pools.key) return this.#pools.pools;
    const store = this.#store;
    const isOpen = (index: number) => this.#handed.prompts[index]?.isOpen === true;
    const pools = options.map((one, index) =>
      isOpen(index) ? joinPool({ ...one, store }) : managedPool({ ...one, store }),
    );
    this.#pools = { key, pools };
    return pools;
  }

  /** The session's own limits, without those that are no lower than what was handed down: they would never be reached. */
  own(values: LimitValues): LimitValues {
    const { tokens, cost, time } = values;
    const handed = (kind: "tokens" | "cost" | "time") =>
      lowest(this.#handed.prompts.map((prompt) => prompt[kind]?.max ?? "unlimited"));
    return {
      ...values,
      tokens: { ...tokens, max: unlessLower(tokens.max, handed("tokens")) },
      cost: { ...cost, max: unlessLower(cost.max, handed("cost")) },
      time: { ...time, max: unlessLower(time.max, handed("time")) },
    };
  }

  /**
   * The limits for a period, the session's own and those that were handed down: of two, the lower one. It may be one of the
   * sessions above that goes on here: then it is the same budget.
   */
  periodLimits(own: readonly PeriodLimit[], values: LimitValues, session: string): PeriodLimit[] {
    const periods = this.#handed.periods.filter((limit) => isFor(session, limit));
    const handed = (kind: string, per: string, limits: readonly HandedPeriod[]) =>
      lowest(limits.filter((limit) => limit.kind === kind && limit.per === per).map(({ max }) => max));
    const needed = own.filter(
      ({ kind, per, max }) =>
        per !== "session" ||
        handed(kind, per, periods) !== "unlimited" ||
        unlessLower(max, handed(kind, per, this.#handed.periods)) !== "unlimited",
    );
    const lower = needed.map((limit) => ({
      ...limit,
      max: lowest([limit.max, handed(limit.kind, limit.per, periods)]),
    }));
    const added = periods
      .filter(({ kind, per }) => !lower.some((own) => own.kind === kind && own.per === per))
      .map((limit) => {
        const { kind, per, max } = limit;
        return { name: nameWithPeriod(kind, per), kind, per, max, options: optionsOf(limit, values) };
      });
    return [...lower, ...added];
  }

  /** The limits of cost that were handed down, for a model whose price is not known. */
  get costs(): readonly HandedPrompt["cost"][] {
    return this.#handed.prompts.map(({ cost }) => cost);
  }

  /** What was handed down, to be handed on beside this session's own limits for a period. */
  handedOn(session: string): HandedDown {
    const periods = this.#handed.periods.filter((limit) => !isFor(session, limit));
    return { ...this.#handed, periods };
  }

  /** The session above that can ask a person, if there is one. */
  get asks(): HandedDown["ask"] {
    return this.#handed.ask;
  }

  /**
   * Asks the person at the nearest session above that has one. A no if that session is gone. `set`: what a limit for a
   * period is set to here, which may be less than above.
   */
  async ask(ask: Ask, signal: AbortSignal, who: { id: string; name: string }, set?: Max): Promise<Reply> {
    const { asks } = this;
    return asks ? askAbove(asks, this.#store, ask, signal, { ...who, set }) : false;
  }
}

// How much an open pool admits, its owner says.
function promptOptions({ pool, isOpen, tokens, cost, time }: HandedPrompt, values: LimitValues) {
  const byOwner = isOpen && { max: "unlimited" as const };
  return {
    id: pool,
    lease: LEASE,
    ...(!isOpen && { keepFor: DAY }),
    tokens: { ...tokens, ...policiesOf("tokens", values), ...byOwner },
    cost: { ...cost, ...policiesOf("cost", values), ...byOwner },
    ...(time && { time: { ...time, ...policiesOf("time", values), ...byOwner } }),
  };
}

function optionsOf(
  { kind, unpriced, cacheReads, cacheWrites }: HandedPeriod,
  values: LimitValues,
): PeriodOptions {
  return {
    ...policiesOf(kind, values),
    ...(unpriced && { unpriced }),
    ...(cacheReads !== undefined && { cacheReads }),
    ...(cacheWrites !== undefined && { cacheWrites }),
  };
}

function policiesOf<Kind extends HandedPeriod["kind"]>(
  kind: Kind,
  values: LimitValues,
): Pick<LimitValues[Kind], "onExhausted" | "headless"> {
  const { onExhausted, headless } = values[kind];
  return { onExhausted, headless };
}

// Does a limit for a period hold for this session as its own does?
function isFor(session: string, limit: HandedPeriod): boolean {
  return limit.per !== "session" || limit.session === session;
}

function sessionsIn(periods: readonly HandedPeriod[]): [string, HandedPeriod[]][] {
  const sessions = new Map<string, HandedPeriod[]>();
  for (const limit of periods)
    if (limit.session !== undefined)
      sessions.set(limit.session, [...(sessions.get(limit.session) ?? []), limit]);
  return [...sessions];
}

function lowest(maxima: readonly Max[]): Max {
  const numbers = maxima.filter((max) => max !== "unlimited");
  return numbers.length === 0 ? "unlimited" : Math.min(...numbers);
}

function unlessLower(own: Max, handed: Max): Max {
  return own !== "unlimited" && (handed === "unlimited" || own < handed) ? own : "unlimited";
}

const LONGEST = 60;

/** A task in a few words: its first line, cut short. */
export function taskName(prompt: string): string {
  const [line = ""] = prompt
    .replace(/^Task: /, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const characters = [...line];
  return characters.length > LONGEST
    ? `${characters
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`
    : line;
}
