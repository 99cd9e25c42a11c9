import type { LimitSettings } from "../../core/governor/settings.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { createPool, type Pool } from "../../pools/pool.ts";
import { storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import {
  joinedPool,
  ownLimits,
  poolOf,
  type WantedPool,
  wantedPools,
  withLimitsOfOthers,
} from "./limits-of-run.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";

/** What a run is held to: limits of its own, and pools. */
export interface Budgets {
  readonly settings: LimitSettings;
  readonly pools: readonly Pool[];
  /** Is there a limit that needs prices? */
  readonly limitsCost: boolean;
  /** A pool in which questions can be asked: one that the run draws from, else one without limits. */
  poolForQuestions(): Promise<Pool>;
  close(): Promise<void>;
}

/** The pool in which runs ask that draw from none. */
const QUESTIONS = "runs";

/** How long the longest question stays open. */
function holdOf({ hold, profile }: RunOptions): number {
  return hold ?? profile?.waitsFor ?? 0;
}

/** Opens the pools of a run. The store is opened when it is needed, and created if it does not exist. */
export async function openBudgets(
  options: RunOptions,
  around: Surroundings,
  notices: Notices,
): Promise<Budgets> {
  const askFor = Math.max(1, holdOf(options));
  let opening: Promise<Store> | undefined;
  const open = () => {
    opening ??= around.makeStore(options.store);
    return opening;
  };
  const named = async (id: string): Promise<WantedPool> => {
    const [given] = wantedPools(options);
    if (given) return withLimitsOfOthers(given, await open());
    return joinedPool(id, await open(), (measures) => {
      if (measures.length > 0)
        notices.tell(`The pool ${id} limits ${measures.join(", ")}, which cannot be counted here.`);
    });
  };
  const close = async () => (await opening?.catch(() => undefined))?.close();
  try {
    const wanted = options.pool === undefined ? wantedPools(options) : [await named(options.pool)];
    const pools: Pool[] = [];
    for (const one of wanted) {
      const pool = poolOf(one, await open(), options, askFor);
      // Fails before the agent is started if the store cannot be used.
      await pool.read();
      pools.push(pool);
    }
    return {
      settings: ownLimits(options),
      pools,
      limitsCost: limitsCost(options, wanted),
      poolForQuestions: async () => pools[0] ?? createPool({ id: QUESTIONS, store: await open(), askFor }),
      close,
    };
  } catch (error) {
    await close();
    throw storeProblem(options.store, error);
  }
}

function limitsCost({ limits }: RunOptions, pools: readonly WantedPool[]): boolean {
  const maxima = [
    ...limits.filter(({ measure }) => measure === "cost").map(({ max }) => max),
    ...pools.map(({ limits }) => limits.cost ?? "unlimited"),
  ];
  return maxima.some((max) => max !== "unlimited");
}
