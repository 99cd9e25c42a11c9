export { GracefulTurnLimit } from "./counters/graceful-turn-limit.ts";
export { type StepBudget, StepLimit } from "./counters/step-limit.ts";
export { TurnLimit, type TurnLimitState } from "./counters/turn-limit.ts";
export { InvalidLimit, isInvalidLimit } from "./errors/invalid-limit.ts";
export {
  isLimitExceeded,
  isStepLimitExceeded,
  LimitExceeded,
  StepLimitExceeded,
} from "./errors/limit-exceeded.ts";
export { isStoreError, StoreError } from "./errors/store-error.ts";
export { isUnsupportedOption, UnsupportedOption } from "./errors/unsupported-option.ts";
export {
  type Ask,
  limitError,
  type OverdueDecision,
  type Proceed,
  type Refuse,
  type RefuseAndSynthesize,
  type Reply,
  type StepDecision,
  type Stop,
  type Synthesize,
  type TurnDecision,
  type WrapUp,
  type Yes,
} from "./governor/decision.ts";
export { createGovernor, type Governor, type TurnStart } from "./governor/governor.ts";
export type { Outcome, OutcomeKind } from "./governor/outcome.ts";
export type { GovernorOptions } from "./governor/parts.ts";
export type { Failure, Question, RequestKind, RequestStatus, RunStatus, TurnEnd } from "./governor/run.ts";
export {
  type CompleteSettings,
  DEFAULT_SYNTHESIS_MESSAGE,
  type GovernorSettings,
  type LimitSettings,
} from "./governor/settings.ts";
export type { GovernorState } from "./governor/state.ts";
export type { GovernorView } from "./governor/view.ts";
export { limitTitle } from "./governor/wording.ts";
export type { Amounts } from "./ledger/amounts.ts";
export type { Change, Changed, Head, PoolQuestion } from "./ledger/head.ts";
export type { Period } from "./ledger/period.ts";
export type { Member, PoolRecord, Store, Take, Taken } from "./ledger/store.ts";
export { type Boundary, DEFAULT_MAX_TURNS, isReached, type Max } from "./limits/boundary.ts";
export {
  costLimit,
  type LimitName,
  type LimitSetting,
  timeLimit,
  tokenLimit,
  toolLimit,
  type Unpriced,
} from "./limits/kinds.ts";
export { type AllOf, type AnyOf, allOf, anyOf, type CustomLimit, type Limit } from "./limits/limit.ts";
export type { Headless, OnExhausted, Policy, PolicyBefore } from "./limits/policy.ts";
export type { StepCall } from "./limits/repeated-calls.ts";
export { DEFAULT_WRAP_UP_MESSAGE, type WrapUpOptions } from "./limits/wrap-up.ts";
export type { Totals } from "./meter/meter.ts";
export type { Usage } from "./meter/usage.ts";
export { createPool, type Pool, type PoolMemberStanding, type PoolStanding } from "./pools/pool.ts";
export type { PoolOptions, Unreachable } from "./pools/pool-options.ts";
export { memoryStore } from "./stores/memory.ts";
