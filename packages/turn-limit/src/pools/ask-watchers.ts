import type { Reply } from "../core/governor/decision.ts";
import { pause } from "../run/until-aborted.ts";
import type { PeriodSpan } from "./ledger/period.ts";
import type { PoolQuestion } from "./ledger/pool-state.ts";
import { keyed, type PoolDefinition } from "./pool-definition.ts";

type Question = Omit<PoolQuestion, "asked" | "reply" | "until">;

/** The store cannot be reached. */
const UNKNOWN: unique symbol = Symbol("unknown");

/** The period is over in which a question was asked. */
const MOVED: unique symbol = Symbol("moved");

/** Asks whoever watches the pool. The first reply counts; `undefined`: there was none in time. */
export async function askWatchers(
  pool: PoolDefinition,
  question: Question,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  while (!signal.aborted) {
    const span = await pool.currentSpan();
    const reply = await askIn(pool.recordIn(span), span, pool, question, signal);
    if (reply !== MOVED) return reply;
  }
  return undefined;
}

// Asks in the record of one period. Whoever watches looks at the next one, once that has begun.
async function askIn(
  record: string,
  span: PeriodSpan | undefined,
  pool: PoolDefinition,
  question: Question,
  signal: AbortSignal,
): Promise<Reply | undefined | typeof MOVED> {
  const { id } = question;
  const { askFor, lookEvery } = pool.options;
  const within = askFor === "forever" ? {} : { within: askFor };
  await pool.store.change(record, keyed({ kind: "ask", question, ...within }));
  const end = askFor === "forever" ? Infinity : performance.now() + askFor;
  try {
    while (!signal.aborted) {
      await pause(lookEvery, signal);
      const found = await pool.store.look(record).catch((): typeof UNKNOWN => UNKNOWN);
      // The reply may be there all the same, and be read the next time.
      if (found === UNKNOWN && performance.now() < end) continue;
      if (found === UNKNOWN) return undefined;
      const asked = found.totals?.state.questions[id];
      if (!asked || asked.reply !== undefined) return asked?.reply;
      if (asked.until !== undefined && found.now >= asked.until) return undefined;
      if (span && !(span.from <= found.now && found.now < span.to)) return MOVED;
    }
    return undefined;
  } finally {
    await pool.store.change(record, keyed({ kind: "withdraw", question: id })).catch(() => undefined);
  }
}
