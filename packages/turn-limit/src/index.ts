export { InvalidLimit, isInvalidLimit } from "./errors/InvalidLimit.ts";
export { isStepLimitExceeded, StepLimitExceeded } from "./errors/StepLimitExceeded.ts";
export { isUnsupportedOption, UnsupportedOption } from "./errors/UnsupportedOption.ts";
export type { BudgetSettings } from "./governor/Budgets.ts";
export { createGovernor } from "./governor/createGovernor.ts";
export type {
  Ask,
  Boundary,
  LimitName,
  OverdueDecision,
  Proceed,
  Refuse,
  RefuseAndSynthesize,
  Reply,
  StepDecision,
  Stop,
  Synthesize,
  TurnDecision,
  WrapUp,
} from "./governor/Decision.ts";
export type { Governor } from "./governor/Governor.ts";
export type { GovernorOptions, TurnOptions } from "./governor/GovernorOptions.ts";
export type { GovernorState, RunStatus } from "./governor/GovernorState.ts";
export type { Headless } from "./governor/Headless.ts";
export type { Outcome, OutcomeKind } from "./governor/Outcome.ts";
export type { OnBudgetExhausted, Policy } from "./governor/Policy.ts";
export type { Mishap, TurnEnd } from "./governor/RequestStatus.ts";
export type { Spent } from "./governor/Spent.ts";
export type { StepOption } from "./governor/StepCounter.ts";
export { DEFAULT_SYNTHESIS_MESSAGE } from "./governor/Synthesis.ts";
export type { Usage } from "./governor/Usage.ts";
export { limitTitle } from "./governor/wording.ts";
export type { BudgetOptions, ReserveOptions } from "./limits/BudgetOptions.ts";
export { type CostOptions, costLimit, type Unpriced } from "./limits/CostLimit.ts";
export {
  DEFAULT_WRAP_UP_MESSAGE,
  GracefulTurnLimit,
  type WrapUpOptions,
} from "./limits/GracefulTurnLimit.ts";
export { type AllOf, type AnyOf, allOf, anyOf, type CustomLimit, type Limit } from "./limits/Limit.ts";
export { isReached, type Max } from "./limits/Max.ts";
export type { StepCall } from "./limits/RepeatTracker.ts";
export { type OnExhausted, type StepBudget, StepLimit } from "./limits/StepLimit.ts";
export { timeLimit } from "./limits/TimeLimit.ts";
export { type TokenOptions, tokenLimit } from "./limits/TokenLimit.ts";
export { toolLimit } from "./limits/ToolLimit.ts";
export { DEFAULT_MAX_TURNS, TurnLimit, type TurnLimitState } from "./limits/TurnLimit.ts";
