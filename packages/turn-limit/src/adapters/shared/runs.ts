import type { Outcome } from "../../core/governor/outcome.ts";
import { limitsOf } from "../../core/governor/settings.ts";
import { newHiddenField } from "../../core/hidden-field.ts";
import { kindOf } from "../../core/limits/kinds.ts";
import { actionOf } from "../../core/limits/policy.ts";
import { type AdapterOptions, ownOptions } from "../../run/options.ts";
import { Run } from "../../run/run.ts";
import type { RunHost } from "../../run/services.ts";

/** The runs under the same limits, and how each of them ended, by what the host returned for it. */
export class Runs {
  /** What holds for each of them. */
  readonly options: AdapterOptions;
  readonly #outcomes = newHiddenField<() => Outcome | undefined>();
  #last: Outcome | undefined;

  /** Bad options are refused here, and not only when the first run begins. */
  constructor(options: AdapterOptions) {
    this.options = ownOptions(options);
    new Run(this.options);
  }

  /** How the last run ended; `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#last;
  }

  /** A run, of which the outcome is to be known. It is the last one from now on. */
  newRun(host?: RunHost, options = this.options): Run {
    this.#last = undefined;
    const ended = (outcome: Outcome) => {
      this.#last = outcome;
    };
    return new Run(options, { ...host, ended });
  }

  /** This is what the host returned for a run. How that ended may be known only later. */
  returned<Result extends object>(result: Result, outcome: () => Outcome | undefined): Result {
    this.#outcomes.set(result, outcome);
    return result;
  }

  /** How the run ended that the host returned this for; `undefined` if it has not ended, or is not one of ours. */
  outcomeOf(result: unknown): Outcome | undefined {
    return typeof result === "object" && result !== null ? this.#outcomes.get(result)?.() : undefined;
  }
}

/** Can a run under these limits end with the tools-free turn? */
export function maySynthesize({ facts: { settings } }: Pick<Run, "facts">): boolean {
  return limitsOf(settings).some((limit) => actionOf(limit, settings.canAsk) === "synthesize");
}

/** Can a run under these limits end with the error of one? */
export function mayRaise({ facts: { settings } }: Pick<Run, "facts">): boolean {
  return limitsOf(settings).some((limit) => actionOf(limit, settings.canAsk) === "raise");
}

/** May the model be told what it has left? */
export function mayTell({ facts: { settings } }: Pick<Run, "facts">): boolean {
  return settings.tell !== false;
}

/** Is a limit of requests in force? */
export function limitsRequests({ facts: { standings } }: Pick<Run, "facts">): boolean {
  return standings.some(
    ({ identity, max }) => max !== "unlimited" && kindOf(identity)?.measure === "requests",
  );
}

/** Is a limit of requests in force, or one of the user's own, which may be one? */
export function mayLimitRequests(run: Pick<Run, "facts">): boolean {
  return limitsRequests(run) || run.facts.standings.some(({ identity }) => kindOf(identity) === undefined);
}
