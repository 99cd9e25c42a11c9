import type { Ask, Reply } from "../../governor/Decision.ts";
import type { GovernorOptions } from "../../governor/GovernorOptions.ts";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Usage } from "../../governor/Usage.ts";
import type { Clock } from "./Clock.ts";

/** What every adapter takes: the limits, and a person to ask. */
export interface AdapterOptions extends Omit<GovernorOptions, "canAsk" | "state"> {
  /** Asks a person at the boundary. Without it the run is stopped there. Throwing is a no. */
  ask?: (boundary: Ask) => Reply | Promise<Reply>;
  /** Is told how each run ended. */
  onOutcome?: (outcome: Outcome) => void;
  /** What an answer costs, in US dollars, where the host does not say. Default: nobody knows. */
  price?: (usage: Usage) => number | undefined;
  /** Is told what a person should know. Default: `console.warn`, each message once. */
  onWarning?: (message: string) => void;
  /** Default: the system's clock. */
  clock?: Clock;
}
