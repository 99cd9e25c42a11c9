import type { Boundary } from "../../core/limits/boundary.ts";
import type { Admission, Driver } from "../../pools/old-driver/driver.ts";

/** Lets the program make its requests, or says where the run must end instead. */
export class TurnGate {
  readonly #driver: Driver;
  readonly #signal: AbortSignal | undefined;
  #wrapUp: string | undefined;
  #synthesis: string | undefined;

  constructor(driver: Driver, signal: AbortSignal | undefined) {
    this.#driver = driver;
    this.#signal = signal;
  }

  /** Where the run must end; `undefined` if the request is made now. */
  async pass(): Promise<Boundary | undefined> {
    return this.#send(await this.admit());
  }

  /** The same for a sub-agent: where that has to end. */
  async passSubAgent(): Promise<Boundary | undefined> {
    return this.#send(this.#keep(await this.#driver.admitSubAgentTurn(this.#signal)));
  }

  /** Whether the next turn may begin. What the model has to be told in it can be taken afterwards. */
  async admit(): Promise<Admission> {
    return this.#keep(await this.#driver.admitTurn(this.#signal));
  }

  /** What the model has to be told if it has to wrap up, once. */
  takeWrapUp(): string | undefined {
    const message = this.#wrapUp;
    this.#wrapUp = undefined;
    return message;
  }

  /** Is the tools-free turn to be made now? */
  get isSynthesisDue(): boolean {
    return this.#synthesis !== undefined;
  }

  /** What the model has to be told in the tools-free turn if that is due. It is made now. */
  takeSynthesis(): string | undefined {
    const message = this.#synthesis;
    this.#synthesis = undefined;
    if (message !== undefined) this.#driver.requestSent();
    return this.#driver.governor.view.stop ? undefined : message;
  }

  #keep(admission: Admission): Admission {
    if (admission.kind === "wrap-up") this.#wrapUp = admission.message;
    if (admission.kind === "synthesize") this.#synthesis = admission.message;
    return admission;
  }

  #send(admission: Admission): Boundary | undefined {
    if (admission.kind === "stop" || admission.kind === "synthesize") return admission;
    this.#driver.requestSent();
    return this.#driver.governor.view.stop ?? undefined;
  }
}
