import { StepLimitExceeded } from "../../errors/StepLimitExceeded.ts";
import { createGovernor } from "../../governor/createGovernor.ts";
import type { Ask, Proceed, Stop, Synthesize, TurnDecision, WrapUp } from "../../governor/Decision.ts";
import type { Governor } from "../../governor/Governor.ts";
import type { Outcome } from "../../governor/Outcome.ts";
import type { Mishap, TurnEnd } from "../../governor/RequestStatus.ts";
import type { AdapterOptions } from "./AdapterOptions.ts";

/** A decision that needs nobody any more. */
export type Admission = Proceed | WrapUp | Synthesize | Stop;

/** The runs of one adapter, with what the hosts have in common. */
export class GovernedRuns {
  readonly governor: Governor;
  readonly #options: AdapterOptions;
  #outcome: Outcome | undefined;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.governor = createGovernor({ ...options, canAsk: options.ask !== undefined });
  }

  /** How the last run ended. `undefined` while one is under way, and before the first. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** A person's prompt. A run that was still open has ended somehow, unseen. */
  begin(): void {
    this.end();
    this.#outcome = undefined;
    this.governor.prompt();
  }

  /** Whether the next turn may begin, after asking the person if it comes to that. */
  async admitTurn(signal?: AbortSignal): Promise<Admission> {
    let decision: TurnDecision = this.governor.beforeTurn();
    while (decision.kind === "ask") {
      const yes = await this.#ask(decision, signal);
      // The question stays unanswered, so the run will have been aborted, not declined.
      if (signal?.aborted) return { ...decision, kind: "stop", outcome: "stopped" };
      decision = this.governor.answer(yes);
    }
    return decision;
  }

  /** Why a tool call must not run, for the model to read, or `undefined` if it may. */
  refusal(): string | undefined {
    const decision = this.governor.beforeStep();
    return decision.kind === "proceed" ? undefined : decision.reason;
  }

  turnEnded(end?: Mishap | TurnEnd): void {
    this.governor.turnEnded(end);
  }

  /** The agent is idle again. Safe to call more than once. */
  end(mishap?: Mishap): Outcome | undefined {
    if (mishap) this.governor.turnEnded(mishap);
    const outcome = this.governor.settled();
    if (!outcome) return this.#outcome;
    this.#outcome = outcome;
    this.#options.onOutcome?.(outcome);
    return outcome;
  }

  async #ask(ask: Ask, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return (await Promise.race([this.#options.ask?.(ask), aborted(signal)])) ?? false;
    } catch {
      return false;
    }
  }
}

/** The error that a stop by a step limit which raises is due, for hosts in which a run can end with one. */
export function errorOf({ limit, max }: Stop): StepLimitExceeded | undefined {
  return limit === "steps" && typeof max === "number" ? new StepLimitExceeded(max) : undefined;
}

function aborted(signal: AbortSignal | undefined): Promise<false> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(false);
    signal?.addEventListener("abort", () => resolve(false), { once: true });
  });
}
