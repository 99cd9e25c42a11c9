import type { Boundary } from "../../governor/Decision.ts";
import { isReached } from "../../limits/Max.ts";
import type { Admission, GovernedRuns } from "../shared/GovernedRuns.ts";

/** Lets the program make its requests, or says where the run must end instead. */
export class TurnGate {
  readonly #runs: GovernedRuns;
  readonly #signal: AbortSignal | undefined;
  #admitting: Promise<unknown> = Promise.resolve();
  #wrapUp: string | undefined;
  #synthesis: string | undefined;

  constructor(runs: GovernedRuns, signal: AbortSignal | undefined) {
    this.#runs = runs;
    this.#signal = signal;
  }

  /** Where the run must end; `undefined` if the request is made now. */
  async pass(): Promise<Boundary | undefined> {
    const admission = await this.admit();
    if (admission.kind === "stop" || admission.kind === "synthesize") return admission;
    this.#runs.requestSent();
    return this.#runs.governor.stop ?? undefined;
  }

  /** The same for a sub-agent's first request. A boundary stays the main loop's: it may ask for an answer there. */
  async passSubAgent(): Promise<Boundary | undefined> {
    const { exhausted, standings, turnsUsed: used, maxTurns: max } = this.#runs.governor;
    if (!exhausted) return this.pass();
    return standings.find((limit) => isReached(limit.used, limit.max)) ?? { limit: "turns", used, max };
  }

  /** One after the other: sub-agents work side by side, and a person is asked one question at a time. */
  admit(): Promise<Admission> {
    const admitting = this.#admitting.then(async () => {
      const admission = await this.#runs.admitTurn(this.#signal);
      if (admission.kind === "wrap-up") this.#wrapUp = admission.message;
      if (admission.kind === "synthesize") this.#synthesis = admission.message;
      return admission;
    });
    this.#admitting = admitting.catch(() => {});
    return admitting;
  }

  /** What the model still has to be told, if it has to wrap up. */
  takeWrapUp(): string | undefined {
    const message = this.#wrapUp;
    this.#wrapUp = undefined;
    return message;
  }

  /** Is the tools-free turn to be made now? */
  get isSynthesisDue(): boolean {
    return this.#synthesis !== undefined;
  }

  /** What the model has to be told in the tools-free turn, which is made now, if it is due. */
  takeSynthesis(): string | undefined {
    const message = this.#synthesis;
    this.#synthesis = undefined;
    if (message !== undefined) this.#runs.requestSent();
    return this.#runs.governor.stop ? undefined : message;
  }
}
