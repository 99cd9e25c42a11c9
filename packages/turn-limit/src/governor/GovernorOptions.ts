import type { WrapUpOptions } from "../limits/GracefulTurnLimit.ts";
import type { Limit } from "../limits/Limit.ts";
import type { Max } from "../limits/Max.ts";
import type { BudgetSettings } from "./Budgets.ts";
import type { GovernorState } from "./GovernorState.ts";
import type { Headless } from "./Headless.ts";
import type { StepOption } from "./StepCounter.ts";

/** The turn limit, with what goes with it. */
export interface TurnOptions {
  /** How many turns a round admits. Default 25. */
  max?: Max;
  /** How many turns before the limit the model is told to wrap up. Default 0: it is not told. */
  grace?: number;
  /** How the wrap-up is worded, and a grace that changes. */
  wrapUp?: WrapUpOptions;
  /** What to do at the boundary when nobody can be asked. Default `stop`. */
  headless?: Headless;
}

/** What a governor is made of. */
export interface GovernorOptions extends BudgetSettings {
  /** The turn limit. Default 25. */
  turns?: Max | TurnOptions;
  /** The step limit. Default `unlimited`. */
  steps?: StepOption;
  /** Limits of one's own, alone or combined by `anyOf` and `allOf`. */
  limits?: readonly Limit[];
  /** What the model is told in the tools-free last turn. */
  synthesisMessage?: string;
  /** Is there a person who can be asked at the boundary? Default: no, and the run is stopped instead. */
  canAsk?: boolean;
  /** Go on from what an earlier governor's `state` said. Its limits and counters win over the options. */
  state?: GovernorState;
}
