import type { Deadline } from "./deadline.ts";
import type { HistoryPort } from "./history-port.ts";
import type { ListingPort } from "./listing-port.ts";
import type { Observation } from "./observer.ts";
import type { Pricing } from "./pricing.ts";
import type { Progress } from "./progress.ts";
import type { Question } from "./question.ts";
import type { Settlements } from "./settlements.ts";
import type { SharedPort } from "./shared-port.ts";
import type { TimedEngine } from "./timed-engine.ts";
import type { CurrentWork } from "./work.ts";

/** What the turns and calls of a run need, made once for the run. */
export interface RunServices {
  readonly engine: TimedEngine;
  readonly current: CurrentWork;
  readonly pricing: Pricing;
  readonly question: Question;
  readonly progress: Progress;
  readonly deadline: Deadline;
  readonly shared: SharedPort;
  readonly settlements: Settlements;
  readonly listed: ListingPort;
  /** What earlier runs took, if limits are chosen from it, or this run is to be kept in it. */
  readonly history: HistoryPort | undefined;
  /** Is told what happens, if somebody wants to know. */
  readonly observation: Observation | undefined;
  /** What repeats are recognised by, if not by the whole result. */
  readonly comparable: ((result: unknown) => unknown) | undefined;
  readonly isError: ((result: unknown) => boolean) | undefined;
}
