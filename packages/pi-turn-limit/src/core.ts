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
export { createGovernor } from "../../turn-limit/src/core/governor/governor.ts";
export type { GovernorView } from "../../turn-limit/src/core/governor/view.ts";
export { choiceFrom } from "../../turn-limit/src/core/history/choice.ts";
export { maximumWithoutRuns } from "../../turn-limit/src/core/history/chosen-maximum.ts";
export { countsAs, type PastRun } from "../../turn-limit/src/core/history/past-run.ts";
export { amountMax, DEFAULT_MAX_TURNS, isOwn, isReached } from "../../turn-limit/src/core/limits/boundary.ts";
export { KINDS, type KindName, PLAN, UNPRICED } from "../../turn-limit/src/core/limits/kinds.ts";
export { identifiedLimit } from "../../turn-limit/src/core/limits/limit.ts";
export { requireTell } from "../../turn-limit/src/core/limits/tell.ts";
export { maxText } from "../../turn-limit/src/core/measures/write-amounts.ts";
export { amountsIn, PER, saidAmount } from "../../turn-limit/src/core/text/amount-per-period.ts";
export {
  type Amount,
  counted,
  DOLLARS,
  DURATION,
  PERCENT,
  TOKENS,
} from "../../turn-limit/src/core/text/amounts.ts";
export { nearestWord } from "../../turn-limit/src/core/text/nearest-word.ts";
export { countOf, listed, whole } from "../../turn-limit/src/core/text/number-text.ts";
export {
  formatPercentile,
  isPercentile,
  NOT_OF_RUNS,
  PERCENTILE_SCHEMA,
  parsePercentile,
  UP_TO,
  whyNoPercentile,
} from "../../turn-limit/src/core/text/percentile.ts";
export {
  quoted,
  whyNoAmount,
  whyNoPeriod,
  writeInstead,
} from "../../turn-limit/src/core/text/refused-amounts.ts";
export {
  BY,
  EXTEND,
  saidExtension,
  whyNoBy,
  whyNoExtension,
} from "../../turn-limit/src/core/text/said-extension.ts";
export { saidTell, TELL_ALLOWED, tellText } from "../../turn-limit/src/core/text/said-tell.ts";
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
  CONTINUE_NOW,
  capitalised,
  extensionText,
  goesOnText,
  invalid,
  limitTitle,
  noPrice,
  STOPPED_HERE,
  sentence,
  unpricedText,
  waitingText,
  wasExtendedText,
} from "../../turn-limit/src/core/words.ts";
export { PI_RESUMED } from "../../turn-limit/src/launch/resumed-pi.ts";
export { NOTIFY } from "../../turn-limit/src/notify/variables.ts";
export { Journal } from "../../turn-limit/src/pools/journal.ts";
export { isRunRecord } from "../../turn-limit/src/pools/ledger/listed-run.ts";
export { listIn } from "../../turn-limit/src/pools/listing/list-in.ts";
export { answeredText, tooLateText } from "../../turn-limit/src/pools/listing/words.ts";
export { joinPool, type ManagedPool, managedPool } from "../../turn-limit/src/pools/managed-pool.ts";
export { cannotHold, SUBSCRIPTIONS } from "../../turn-limit/src/pools/plan-windows.ts";
export type { Pool } from "../../turn-limit/src/pools/pool.ts";
export { PoolRequests } from "../../turn-limit/src/pools/pool-requests.ts";
export { SerialQueue } from "../../turn-limit/src/pools/serial-queue.ts";
export { fromUnits, toUnits } from "../../turn-limit/src/pools/units.ts";
export type { Call } from "../../turn-limit/src/run/call.ts";
export { LONGEST_TIMER } from "../../turn-limit/src/run/clock.ts";
export { pause } from "../../turn-limit/src/run/pause.ts";
export { windowsIn } from "../../turn-limit/src/run/plan-headers.ts";
export { Run } from "../../turn-limit/src/run/run.ts";
export type { Turn } from "../../turn-limit/src/run/turn.ts";
export { untilAborted } from "../../turn-limit/src/run/until-aborted.ts";
