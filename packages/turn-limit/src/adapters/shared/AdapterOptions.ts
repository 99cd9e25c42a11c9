import type { Ask } from "../../governor/Decision.ts";
import type { GovernorOptions } from "../../governor/GovernorOptions.ts";
import type { Outcome } from "../../governor/Outcome.ts";

/** What every adapter takes: the limits, and a person to ask. */
export interface AdapterOptions extends Omit<GovernorOptions, "canAsk" | "state"> {
  /** Asks a person at the boundary. Without it the run is stopped there. Throwing is a no. */
  ask?: (boundary: Ask) => boolean | Promise<boolean>;
  /** Is told how each run ended. */
  onOutcome?: (outcome: Outcome) => void;
}
