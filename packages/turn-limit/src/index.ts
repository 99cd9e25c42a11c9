export { InvalidLimit, isInvalidLimit } from "./core/errors/invalid-limit.ts";
export {
  isLimitExceeded,
  isStepLimitExceeded,
  LimitExceeded,
  StepLimitExceeded,
} from "./core/errors/limit-exceeded.ts";
export { isStoreError, StoreError } from "./core/errors/store-error.ts";
export { isUnsupportedOption, UnsupportedOption } from "./core/errors/unsupported-option.ts";
export {
  type Ask,
  type CheckProgress,
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
  type Verdict,
  type WrapUp,
  type Yes,
} from "./core/governor/decision.ts";
export type { GovernorOptions } from "./core/governor/engine.ts";
export { createGovernor, type Governor } from "./core/governor/governor.ts";
export type { Outcome, OutcomeKind } from "./core/governor/outcome.ts";
export type {
  ExtendedLimit,
  Failure,
  Question,
  RequestKind,
  RequestStatus,
  RunStatus,
  TurnEnd,
  TurnStart,
} from "./core/governor/run-state.ts";
export type { CompleteSettings, GovernorSettings, LimitSettings } from "./core/governor/settings.ts";
export type { GovernorState } from "./core/governor/state.ts";
export type { GovernorView } from "./core/governor/view.ts";
export type { PastRun } from "./core/history/past-run.ts";
export type { LimitFromHistory, SettingsFromHistory } from "./core/history/percentile-settings.ts";
export {
  type Boundary,
  DEFAULT_MAX_TURNS,
  type Extended,
  isReached,
  type LimitIdentity,
  type Max,
} from "./core/limits/boundary.ts";
export {
  costLimit,
  type LimitName,
  type LimitSetting,
  timeLimit,
  tokenLimit,
  toolLimit,
  type Unpriced,
} from "./core/limits/kinds.ts";
export { DEFAULT_SYNTHESIS_MESSAGE } from "./core/limits/last-turn.ts";
export { type AllOf, type AnyOf, allOf, anyOf, type CustomLimit, type Limit } from "./core/limits/limit.ts";
export type {
  Extension,
  ExtensionOptions,
  Headless,
  OnExhausted,
  Policy,
  PolicyBefore,
} from "./core/limits/policy.ts";
export type { StepCall } from "./core/limits/repeated-calls.ts";
export {
  DEFAULT_SHARES,
  type Tell,
  type TellMessage,
  type TellOptions,
  type TellSetting,
  type ToldLimit,
} from "./core/limits/tell.ts";
export { DEFAULT_WRAP_UP_MESSAGE, type WrapUpOptions } from "./core/limits/wrap-up.ts";
export type { Totals } from "./core/meter/meter.ts";
export type { Usage } from "./core/meter/usage.ts";
export { GracefulTurnLimit } from "./core/standalone/graceful-turn-limit.ts";
export { type StepBudget, StepLimit } from "./core/standalone/step-limit.ts";
export { TurnLimit, type TurnLimitState } from "./core/standalone/turn-limit.ts";
export { limitTitle } from "./core/words.ts";
export { type HistoryOptions, historyIn } from "./pools/history/history-in.ts";
export type { Amounts } from "./pools/ledger/amounts.ts";
export type { ByPerson, Grant } from "./pools/ledger/grants.ts";
export type { ListedRun, ParkedRun } from "./pools/ledger/listed-run.ts";
export type { EndedRun } from "./pools/ledger/past-runs.ts";
export type { Period } from "./pools/ledger/period.ts";
export type { Change, Changed } from "./pools/ledger/pool-changes.ts";
export type { PoolQuestion, PoolState } from "./pools/ledger/pool-state.ts";
export type { Member, PoolRecord, Store, Take, Taken } from "./pools/ledger/store.ts";
export { type ListingOptions, listIn, type StoreListing } from "./pools/listing/list-in.ts";
export { createPool, type Pool } from "./pools/pool.ts";
export type { PoolOptions, Unreachable } from "./pools/pool-options.ts";
export type { PoolMemberStanding, PoolStanding } from "./pools/pool-standing.ts";
export { memoryStore } from "./pools/stores/memory.ts";
