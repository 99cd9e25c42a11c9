import type { Max } from "../core/limits/boundary.ts";
import type { Unpriced } from "../core/limits/kinds.ts";
import type { Period } from "../pools/ledger/period.ts";
import { measureOf } from "../pools/listing/typed-replies.ts";
import type { Pool } from "../pools/pool.ts";
import { cannotBeDone } from "./command-error.ts";
import type { Price } from "./given-prices.ts";
import { exampleOf } from "./pool-measures.ts";
import { shellWord } from "./stores.ts";
import { needsPrices, type RunMeasure, type WantedLimit } from "./wanted-limits.ts";

/** How much is allowed of each thing that is limited. */
export type Maxima = Readonly<Partial<Record<RunMeasure, Max>>>;

/** Limits that hold for the same time: a period, or without one. */
export interface LimitsOfPeriod {
  readonly per?: Period;
  readonly maxima: Maxima;
  /** Those that are waited for until they start over. */
  readonly waits?: readonly RunMeasure[];
}

/** The limits, by how long they hold. */
export function byPeriod(limits: readonly WantedLimit[]): LimitsOfPeriod[] {
  return [...new Set(limits.map(({ per }) => per))].map((per) => {
    const together = limits.filter((limit) => limit.per === per);
    const maxima = Object.fromEntries(together.map(({ measure, max }) => [measure, max]));
    const waits = together.flatMap((limit) => (limit.waits ? [limit.measure] : []));
    return { ...(per && { per }), maxima, ...(waits.length > 0 && { waits }) };
  });
}

/** The settings of limits. `policy`: what is done when one of them is reached that is not waited for. */
export function settingsOf(
  { maxima, waits = [] }: Pick<LimitsOfPeriod, "maxima" | "waits">,
  policy: object,
  unpriced: Unpriced,
): Record<string, { max: Max }> {
  const entries = Object.entries(maxima) as [RunMeasure, Max][];
  return Object.fromEntries(
    entries.map(([measure, max]) => {
      const own = waits.includes(measure) ? WAIT : policy;
      return [measure, { max, ...own, ...(needsPrices(measure) && { unpriced }) }];
    }),
  );
}

const WAIT = { onExhausted: "wait", headless: "stop" } as const;

const PRICES = "@pydantic/genai-prices";

/**
 * The prices of models: those that were given, else those of the list, if the package that keeps it is installed. It must
 * be, if one of the limits needs prices and none is given.
 */
export async function loadPrice(
  limits: readonly Maxima[],
  given: Price | undefined,
): Promise<Price | undefined> {
  const listed = await listedPrice(given ? [] : limits);
  if (!given || !listed) return given ?? listed;
  return (usage, model) => given(usage, model) ?? listed(usage, model);
}

async function listedPrice(limits: readonly Maxima[]): Promise<Price | undefined> {
  try {
    return (await import("../prices/index.ts")).price;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const all = limits.flatMap((maxima) => Object.entries(maxima) as [RunMeasure, Max][]);
    if (!all.some(([measure, max]) => needsPrices(measure) && max !== "unlimited")) return undefined;
    throw cannotBeDone(
      `A cost limit needs the prices of ${PRICES}, which is not installed. Install it: npm install ${PRICES}. With npx: ` +
        `npx --package turn-limit --package ${PRICES} turn-limit …. Or give the prices of your models in dollars per ` +
        "million tokens: --price MODEL=IN/OUT.",
    );
  }
}

/** What a person can do about a model without a price. */
export function howToPrice(model = "MODEL"): string {
  return (
    `Give its price in dollars per million tokens, --price ${shellWord(model)}=IN/OUT, or a token limit, --max-tokens, ` +
    "which holds alone then. --unpriced warn lets it pass."
  );
}

/** What is done about a model without a price, unless it is said: the token limit holds alone, if there is one. */
export const UNPRICED_BY_DEFAULT: Unpriced = "tokens";

/** The command that allows more of a limit of these pools. `inStore`: its option for their store. */
export function howToExtend(limit: string, pools: readonly Pool[], inStore: string): string | undefined {
  for (const { id, sharedLimits } of pools) {
    const identity = sharedLimits.find(({ name }) => name === limit)?.identity;
    if (identity?.kind === "freeze")
      return `To go on: npx turn-limit pools unfreeze ${shellWord(id)}${inStore}`;
    if (!identity || identity.kind === "store") continue;
    const measure = measureOf({ limit, identity });
    const [pool, what, more] = [id, measure, exampleOf(measure)].map(shellWord);
    return `To allow more: npx turn-limit pools extend ${pool} ${what} ${more}${inStore}`;
  }
  return undefined;
}
