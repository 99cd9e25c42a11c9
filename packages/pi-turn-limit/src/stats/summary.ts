import { DEFAULT_MAX_TURNS } from "../core.ts";
import type { History } from "./history.ts";
import type { PromptCost } from "./session-counter.ts";

/** How a measure is spread over the prompts, by nearest rank. */
export interface Spread {
  median: number;
  p90: number;
  p99: number;
  max: number;
}

/** How many prompts took from `from` to `to` turns. */
export interface HistogramRow {
  from: number;
  /** Left out where there is no upper end. */
  to?: number;
  prompts: number;
}

/** What a turn limit would have done. */
export interface CandidateLimit {
  limit: number;
  /** How many prompts took more turns than that. */
  stopped: number;
  /** The same as a share of all prompts, from 0 to 1. */
  share: number;
  default?: true;
  covers99?: true;
}

/** A history in numbers; what `--json` prints. */
export interface Summary {
  folder: string;
  sessions: number;
  prompts: number;
  unanswered: number;
  skippedLines: number;
  unreadableFiles: number;
  /** The rest is there if there are prompts. */
  turns?: Spread;
  steps?: Spread;
  /** Input and output. */
  tokens?: Spread;
  /** Cache reads and writes. */
  cacheTokens?: Spread;
  /** Of the prompts that have a price. */
  dollars?: Spread;
  /** How many prompts used tokens that no price is known for. */
  unpriced: number;
  histogram: HistogramRow[];
  limits: CandidateLimit[];
}

const LIMITS = [5, 10, DEFAULT_MAX_TURNS, 50, 100];
const BUCKET_ENDS = [1, 2, 5, 10, 25, 50, 100];

/** Works out what a history says about limits. */
export function summarize({ prompts, ...counts }: History): Summary {
  const sorted = (measure: keyof PromptCost, among = prompts) =>
    among.map((prompt) => prompt[measure]).sort((one, other) => one - other);
  const priced = prompts.filter(({ dollars, tokens }) => dollars > 0 || tokens === 0);
  const unpriced = prompts.length - priced.length;
  const empty = { ...counts, prompts: prompts.length, unpriced, histogram: [], limits: [] };
  if (prompts.length === 0) return empty;

  const turns = sorted("turns");
  return {
    ...empty,
    turns: spread(turns),
    steps: spread(sorted("steps")),
    tokens: spread(sorted("tokens")),
    cacheTokens: spread(sorted("cacheTokens")),
    ...(priced.length > 0 && { dollars: spread(sorted("dollars", priced)) }),
    histogram: histogram(turns),
    limits: candidateLimits(turns),
  };
}

function spread(sorted: readonly number[]): Spread {
  return {
    median: rank(sorted, 0.5),
    p90: rank(sorted, 0.9),
    p99: rank(sorted, 0.99),
    max: rank(sorted, 1),
  };
}

/** The smallest value that this share of the values does not exceed. */
function rank(sorted: readonly number[], share: number): number {
  // Rounded first, because 0.9 × 10 must be 9 and not a little more.
  const position = Math.ceil(Number((share * sorted.length).toFixed(6)));
  return sorted[Math.max(position, 1) - 1] ?? 0;
}

function histogram(turns: readonly number[]): HistogramRow[] {
  const rows: HistogramRow[] = BUCKET_ENDS.map((to, index) => ({
    from: (BUCKET_ENDS[index - 1] ?? 0) + 1,
    to,
    prompts: 0,
  }));
  rows.push({ from: (BUCKET_ENDS.at(-1) ?? 0) + 1, prompts: 0 });
  for (const count of turns) {
    const row = rows.find(({ to }) => to === undefined || count <= to);
    if (row) row.prompts += 1;
  }
  while (rows.at(-1)?.prompts === 0) rows.pop();
  return rows;
}

function candidateLimits(turns: readonly number[]): CandidateLimit[] {
  const covering = rank(turns, 0.99);
  const limits = [...new Set([...LIMITS, covering])].sort((one, other) => one - other);
  return limits.map((limit) => {
    const stopped = turns.filter((count) => count > limit).length;
    return {
      limit,
      stopped,
      share: stopped / turns.length,
      ...(limit === DEFAULT_MAX_TURNS && { default: true }),
      ...(limit === covering && { covers99: true }),
    };
  });
}
