import type { News, SeenGrant, SeenPool, SeenQuestion } from "../news.ts";

/** A question, and what it is asked in. */
export interface Asked {
  pool: SeenPool;
  question: SeenQuestion;
}

/** A question that was open here, and what became of it. */
export interface Closed extends Asked {
  said: string;
}

/** All that the page shows. */
export interface BoardState {
  readonly pools: ReadonlyMap<string, SeenPool>;
  readonly grants: readonly SeenGrant[];
  readonly closed: readonly Closed[];
}

export const NOTHING: BoardState = { pools: new Map(), grants: [], closed: [] };

/** How many closed questions stay on the page. */
const MOST_CLOSED = 3;
const UNKNOWN = "This question is closed: it was withdrawn, or its time is over.";

/** The board after what a server tells. */
export function after(before: BoardState, news: Extract<News, { pools: SeenPool[] }>): BoardState {
  const pools = new Map(news.kind === "all" ? [] : before.pools);
  for (const pool of news.pools) pools.set(pool.record, pool);
  if (news.kind === "changed") for (const record of news.gone) pools.delete(record);
  const grants = news.grants ?? before.grants;
  const open = new Set(openQuestions(pools).map(keyOf));
  const justClosed = openQuestions(before.pools).filter((asked) => !open.has(keyOf(asked)));
  const closed = [...justClosed, ...before.closed].map((asked) => ({
    ...asked,
    said: saidOf(asked, grants),
  }));
  return { pools, grants, closed: closed.slice(0, MOST_CLOSED) };
}

/** The open questions, the oldest first. */
export function openQuestions(pools: BoardState["pools"]): Asked[] {
  return [...pools.values()]
    .flatMap((pool) => pool.questions.map((question) => ({ pool, question })))
    .sort((one, other) => one.question.asked - other.question.asked);
}

/** Tells one question from all others. */
export function keyOf({ pool, question }: Asked): string {
  return `${pool.record} ${question.id}`;
}

function saidOf({ pool, question }: Asked, grants: readonly SeenGrant[]): string {
  const answer = grants.find((grant) => grant.record === pool.record && grant.question === question.id);
  return answer?.text ?? UNKNOWN;
}
