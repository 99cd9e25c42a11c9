import type { Deadline } from "./deadline.ts";
import type { Pricing } from "./pricing.ts";
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
  readonly deadline: Deadline;
  readonly shared: SharedPort;
  readonly settlements: Settlements;
  /** What repeats are recognised by, if not by the whole result. */
  readonly comparable: ((result: unknown) => unknown) | undefined;
}
