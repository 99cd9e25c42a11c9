import type { Reply } from "../core/governor/decision.ts";
import { pause } from "../run/pause.ts";
import { of } from "./ledger/amounts.ts";
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
  const { lookEvery } = pool.options;
  // Nobody has to reply to one that is waited for.
  const askFor = question.waits ? "forever" : pool.options.askFor;
  const end = askFor === "forever" ? Infinity : performance.now() + askFor;
  const put = () => {
    const within = askFor === "forever" ? {} : { within: Math.max(0, Math.ceil(end - performance.now())) };
    return pool.store.change(record, keyed({ kind: "ask", question, ...within }));
  };
  // The store says which came first: that it closes, or a reply.
  const close = async () => {
    const answer = { kind: "answer", question: id, reply: "unanswered" } as const;
    const closed = await pool.store.change(record, keyed(answer)).catch(() => undefined);
    return closed && !closed.made ? of(closed.state.questions, id)?.reply : undefined;
  };
  try {
    await put();
    while (!signal.aborted) {
      await pause(lookEvery, signal);
      const found = await pool.store.look(record).catch((): typeof UNKNOWN => UNKNOWN);
      // The reply may be there all the same, and be read the next time.
      if (found === UNKNOWN && performance.now() < end) continue;
      if (found === UNKNOWN) return await close();
      const asked = of(found.totals?.state.questions ?? {}, id);
      if (asked?.reply !== undefined) return asked.reply;
      if (asked?.until !== undefined && found.now >= asked.until) return undefined;
      if (span && !(span.from <= found.now && found.now < span.to)) return (await close()) ?? MOVED;
      if (asked) continue;
      // The store has lost it.
      if (performance.now() >= end) return undefined;
      await put().catch(() => undefined);
    }
    return undefined;
  } finally {
    // Also one that could not be put, as far as is known.
    await pool.store.change(record, keyed({ kind: "withdraw", question: id })).catch(() => undefined);
  }
}
