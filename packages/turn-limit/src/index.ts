export { InvalidLimit, isInvalidLimit } from "./errors/InvalidLimit.ts";
export { isStepLimitExceeded, StepLimitExceeded } from "./errors/StepLimitExceeded.ts";
export { isUnsupportedOption, UnsupportedOption } from "./errors/UnsupportedOption.ts";
export { createGovernor } from "./governor/createGovernor.ts";
export type {
  Ask,
  Boundary,
  LimitName,
  Proceed,
  Refuse,
  RefuseAndSynthesize,
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
export type { Mishap, TurnEnd } from "./governor/RequestStatus.ts";
export type { StepOption } from "./governor/StepCounter.ts";
export { DEFAULT_SYNTHESIS_MESSAGE } from "./governor/Synthesis.ts";
export type { Usage } from "./governor/Usage.ts";
export {
  DEFAULT_WRAP_UP_MESSAGE,
  GracefulTurnLimit,
  type WrapUpOptions,
} from "./limits/GracefulTurnLimit.ts";
export { isReached, type Max } from "./limits/Max.ts";
export { type OnExhausted, type StepBudget, StepLimit } from "./limits/StepLimit.ts";
export { DEFAULT_MAX_TURNS, TurnLimit, type TurnLimitState } from "./limits/TurnLimit.ts";
