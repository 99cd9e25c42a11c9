export { InvalidLimit, isInvalidLimit } from "./errors/invalid-limit.ts";
export {
  isLimitExceeded,
  isStepLimitExceeded,
  LimitExceeded,
  StepLimitExceeded,
} from "./errors/limit-exceeded.ts";
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
} from "./governor/decision.ts";
export { createGovernor, type Governor, type GovernorOptions, type TurnStart } from "./governor/governor.ts";
export type { Outcome, OutcomeKind } from "./governor/outcome.ts";
export type { Failure, Question, RequestStatus, RunStatus, TurnEnd } from "./governor/run.ts";
export {
  type CompleteSettings,
  DEFAULT_SYNTHESIS_MESSAGE,
  type GovernorSettings,
  type LimitSettings,
} from "./governor/settings.ts";
export type { GovernorState } from "./governor/state.ts";
export type { GovernorView } from "./governor/view.ts";
export { limitTitle } from "./governor/wording.ts";
export type { StepCall } from "./limits/call-row.ts";
export {
  costLimit,
  type LimitSetting,
  timeLimit,
  tokenLimit,
  toolLimit,
  type Unpriced,
} from "./limits/kinds.ts";
export { type AllOf, type AnyOf, allOf, anyOf, type CustomLimit, type Limit } from "./limits/limit.ts";
export { type Boundary, isReached, type LimitName, type Max } from "./limits/max.ts";
export type { Headless, OnExhausted, Policy } from "./limits/policy.ts";
export { type StepBudget, StepLimit } from "./limits/step-limit.ts";
export { DEFAULT_MAX_TURNS, TurnLimit, type TurnLimitState } from "./limits/turn-limit.ts";
export { DEFAULT_WRAP_UP_MESSAGE, GracefulTurnLimit, type WrapUpOptions } from "./limits/wrap-up.ts";
export type { Totals } from "./meter/meter.ts";
export type { Usage } from "./meter/usage.ts";
