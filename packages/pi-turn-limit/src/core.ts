/**
 * What is used of the core at run time. From its sources, by their path: Pi also loads this extension from a clone in
 * which nothing is installed or built. Types of data are imported from `turn-limit` itself.
 */
export { hasPrice, usageOf } from "../../turn-limit/src/adapters/pi-agent-core/messages.ts";
export {
  amount,
  type Check,
  check,
  count,
  flag,
  list,
  object,
  oneOf,
  optional,
} from "../../turn-limit/src/core/checks.ts";
export { messageOf } from "../../turn-limit/src/core/errors/message-of.ts";
export { amountMax, isOwn } from "../../turn-limit/src/core/limits/boundary.ts";
export { KINDS, type KindName, UNPRICED } from "../../turn-limit/src/core/limits/kinds.ts";
export { identifiedLimit } from "../../turn-limit/src/core/limits/limit.ts";
export { maxText } from "../../turn-limit/src/core/measures/write-amounts.ts";
export { amountsIn, PER, saidAmount } from "../../turn-limit/src/core/text/amount-per-period.ts";
export {
  type Amount,
  counted,
  DOLLARS,
  DURATION,
  TOKENS,
} from "../../turn-limit/src/core/text/amounts.ts";
export { nearestWord } from "../../turn-limit/src/core/text/nearest-word.ts";
export { countOf, listed, whole } from "../../turn-limit/src/core/text/number-text.ts";
export {
  quoted,
  whyNoAmount,
  whyNoPeriod,
  writeInstead,
} from "../../turn-limit/src/core/text/refused-amounts.ts";
export {
  charactersOf,
  cut,
  endOf,
  flow,
  oneLine,
  padEnd,
  padStart,
  shorten,
  startOf,
  widthOf,
  wrap,
} from "../../turn-limit/src/core/text/text-width.ts";
export {
  CONTINUE,
  capitalised,
  invalid,
  limitTitle,
  noPrice,
  sentence,
  unpricedText,
} from "../../turn-limit/src/core/words.ts";
export {
  createGovernor,
  DEFAULT_MAX_TURNS,
  type GovernorView,
  isReached,
} from "../../turn-limit/src/index.ts";
export { Journal } from "../../turn-limit/src/pools/journal.ts";
export { joinPool, type ManagedPool, managedPool } from "../../turn-limit/src/pools/managed-pool.ts";
export type { Pool } from "../../turn-limit/src/pools/pool.ts";
export { PoolRequests } from "../../turn-limit/src/pools/pool-requests.ts";
export { SerialQueue } from "../../turn-limit/src/pools/serial-queue.ts";
export { sqliteStore } from "../../turn-limit/src/pools/stores/sqlite/index.ts";
export { fromUnits, toUnits } from "../../turn-limit/src/pools/units.ts";
export type { Call } from "../../turn-limit/src/run/call.ts";
export { LONGEST_TIMER } from "../../turn-limit/src/run/clock.ts";
export { Run } from "../../turn-limit/src/run/run.ts";
export type { Turn } from "../../turn-limit/src/run/turn.ts";
