export { InvalidLimit, isInvalidLimit } from "./errors/InvalidLimit.ts";
export { createGovernor, type Governor, type GovernorOptions } from "./governor/createGovernor.ts";
export type { Ask, Boundary, LimitName, Proceed, Stop, TurnDecision } from "./governor/Decision.ts";
export type { GovernorState, Mishap, RunStatus } from "./governor/GovernorState.ts";
export type { Outcome, OutcomeKind } from "./governor/Outcome.ts";
export { isReached, type Max } from "./limits/Max.ts";
export { DEFAULT_MAX_TURNS, TurnLimit, type TurnLimitState } from "./limits/TurnLimit.ts";
