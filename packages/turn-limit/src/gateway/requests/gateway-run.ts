import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Stop } from "../../core/governor/decision.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { RequestKind } from "../../core/governor/run.ts";
import { KIND_NAMES } from "../../core/governor/settings.ts";
import type { Model } from "../../core/meter/model.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { type Admission, Driver } from "../../pools/old-driver/driver.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { Profile, SeenRequest } from "../agents/profile.ts";
import type { AnswerReport, Json } from "../protocols/protocol.ts";
import { askOnlyIfVersionIsKnown, askWithin } from "./asking.ts";
import { Ending, type HowToGoOn, OVER } from "./ending.ts";
import { RequestsInFlight } from "./in-flight.ts";
import { AnswerPrices } from "./prices.ts";
import { type RecognisedTurn, Recognition } from "./recognition.ts";
import { type GatewaySummary, summaryOf } from "./summary.ts";
import type { CountedRequest, Verdict } from "./verdict.ts";

/** What a run behind the gateway is given: the limits, and what is known of the agent. */
export interface GatewayRunOptions extends AdapterOptions, HowToGoOn {
  /** What is known of the agent. Without it, requests are counted and not turns, and nobody is asked. */
  profile?: Profile | undefined;
  /** Is the profile also used for versions that it was not tested with? */
  anyVersion?: boolean | undefined;
  /** How many milliseconds a request is held while a person is asked. Default: as long as the agent waits. */
  hold?: number | undefined;
}

/** A run of an agent whose requests pass through the gateway. Decides about each of them. */
export class GatewayRun {
  readonly #driver: Driver;
  readonly #profile: Profile | undefined;
  readonly #recognition: Recognition;
  readonly #prices: AnswerPrices;
  readonly #ending: Ending;
  readonly #inFlight = new RequestsInFlight();
  readonly #outcomes: Outcome[] = [];
  /** Has it limits besides those of pools? */
  readonly hasOwnLimits: boolean;
  /** The wrap-up message. It is not in the agent's transcript, so every later request repeats it. */
  #wrapUp: string | undefined;
  #requests = 0;
  #isEstimate = false;

  /** `over`: what is said of later requests once a limit was reached. */
  constructor(options: GatewayRunOptions, over: string = OVER.run) {
    const { profile, anyVersion, hold = profile?.waitsFor, howToRaise, howToPrice, ...given } = options;
    const { ask, price, onWarning, onOutcome, ...limits } = given;
    const recognition = new Recognition(profile, anyVersion);
    const prices = new AnswerPrices(price);
    const ending = new Ending({ howToRaise, howToPrice }, over, prices);
    const driver = new Driver(
      {
        ...limits,
        turns: limits.turns ?? "unlimited",
        ...(ask && hold !== undefined && { ask: askOnlyIfVersionIsKnown(askWithin(ask, hold), recognition) }),
        price: prices.lookedUp,
        ...(onWarning && { onWarning: quietly(onWarning) }),
        onOutcome: (outcome, run) => {
          this.#outcomes.push(outcome);
          onOutcome?.(outcome, run);
        },
      },
      {
        cutOff: (by) => {
          ending.cutOff(by);
          this.#inFlight.cutOff();
        },
        canGoOn: () => this.#inFlight.hasMainTurn,
        unpricedWarning: () => ending.unpricedWarning,
      },
    );
    this.hasOwnLimits = [...KIND_NAMES, "limits" as const].some((name) => limits[name] !== undefined);
    const hasPool = [limits.pool ?? []].flat().length > 0;
    if (!this.hasOwnLimits && !hasPool) throw new InvalidLimit("options", undefined, A_LIMIT, NO_LIMIT);
    this.#driver = driver;
    this.#profile = profile;
    this.#recognition = recognition;
    this.#prices = prices;
    this.#ending = ending;
    driver.begin();
  }

  /** Who it is in the pools that it draws from. */
  get member(): Driver["member"] {
    return this.#driver.member;
  }

  /** Why nothing is sent any more, if the run is over. */
  get refusal(): string | undefined {
    const { stop } = this.#driver.governor.view;
    return this.#ending.uncountable ?? (stop ? this.#ending.refusal(stop) : undefined);
  }

  /** Where a request goes instead of `upstream`, if its login decides that. */
  upstreamFor(headers: SeenRequest["headers"], upstream: string): string {
    return this.#profile?.upstream?.(headers, upstream) ?? upstream;
  }

  /**
   * Begins again if a limit has ended it: its pools may admit more by now. Earlier usage is in them, and no longer in the
   * summary. Requests in flight go on, and count from now on.
   */
  renew(): void {
    if (this.refusal === undefined) return;
    this.#begin();
    this.#outcomes.length = 0;
  }

  /** Decides about a request. It may take as long as a person takes to reply. */
  async decide(request: CountedRequest, signal: AbortSignal): Promise<Verdict> {
    const { uncountable } = this.#ending;
    if (uncountable !== undefined) return { kind: "refuse", message: uncountable };
    const recognised = this.#recognition.recognised(request);
    this.#warn(this.#recognition.versionProblem);
    return recognised?.kind === "turn"
      ? this.#decideTurn(request, recognised, signal)
      : this.#decideAside(request, signal);
  }

  /** Ends the run. Resolves when its usage is settled in the pools. */
  async end(): Promise<GatewaySummary> {
    this.#inFlight.cutOff();
    await this.#inFlight.settled();
    this.#driver.end();
    await this.#driver.poolsSettled();
    this.#driver.close();
    return this.summary;
  }

  /** The summary so far. */
  get summary(): GatewaySummary {
    return summaryOf([...this.#outcomes, this.#driver.governor.view.outcome ?? []].flat(), {
      endedBy: this.#ending.by,
      requests: this.#requests,
      isEstimate: this.#isEstimate,
      isUnpriced: this.#prices.isUnknown,
    });
  }

  async #decideAside(request: CountedRequest, signal: AbortSignal): Promise<Verdict> {
    const admission = await this.#driver.admitTurn(signal, { as: "aside", priced: this.#isPriced(request) });
    if (admission.kind === "stop") return this.#ending.refused(admission, signal);
    return this.#forward(request, "aside", false);
  }

  async #decideTurn(request: CountedRequest, turn: RecognisedTurn, signal: AbortSignal): Promise<Verdict> {
    // A person's prompt starts the budgets over.
    if (this.#recognition.isNewPrompt(turn)) this.#begin();
    const { isSubAgent } = turn;
    const priced = this.#isPriced(request);
    const { isRetry, decided } = await this.#recognition.seenBefore(turn, request);
    let begun = false;
    try {
      const as = isRetry ? "retry" : "turn";
      const admission = isSubAgent
        ? await this.#driver.admitSubAgentTurn(signal, { as, priced })
        : await this.#driver.admitTurn(signal, { as, priced });
      if (admission.kind === "stop")
        return isSubAgent
          ? this.#ending.refused(admission, signal)
          : this.#ending.finalAnswer(request, admission, signal);
      begun = true;
      if (admission.kind === "wrap-up") this.#wrapUp = admission.message;
      if (admission.kind === "synthesize") this.#ending.lastTurn(admission);
      return this.#forward(request, as, !isSubAgent, this.#changed(request, admission));
    } finally {
      decided(begun);
    }
  }

  #begin(): void {
    this.#driver.begin();
    this.#ending.startOver();
  }

  // Is there a price for the requested model, where a missing one ends the run?
  #isPriced({ asked, provider }: CountedRequest): boolean {
    const isPriced = !this.#driver.stopsUnpriced || this.#prices.has(modelOf(asked?.model, provider));
    this.#warn(this.#prices.problem);
    return isPriced;
  }

  // The body with the message for the model. A body that cannot be serialised again stays as it is.
  #changed(request: CountedRequest, admission: Exclude<Admission, Stop>): Buffer | undefined {
    try {
      const changed = this.#asTold(request, admission);
      return changed && Buffer.from(JSON.stringify(changed));
    } catch {
      return undefined;
    }
  }

  #asTold({ protocol, body }: CountedRequest, admission: Exclude<Admission, Stop>): Json | undefined {
    if (!protocol || !body) return undefined;
    if (admission.kind === "synthesize")
      return protocol.withMessage(protocol.withoutTools(body), admission.message);
    const isToldToWrapUp = this.#wrapUp !== undefined && this.#driver.governor.view.wrapUpSent;
    return isToldToWrapUp ? protocol.withMessage(body, this.#wrapUp as string) : undefined;
  }

  #forward(request: CountedRequest, as: RequestKind, isMainTurn: boolean, body?: Buffer): Verdict {
    // The request is not kept in memory while its answer is streamed.
    const { asked, provider } = request;
    this.#requests += 1;
    const { cutOff, ended } = this.#inFlight.begin(isMainTurn, () => this.#driver.requestSent());
    let isOver = false;
    return {
      kind: "forward",
      ...(body && { body }),
      cutOff,
      mayResend: () => this.#mayResend(as, cutOff),
      ended: (report) => {
        if (isOver) return;
        isOver = true;
        this.#count(as, this.#taken(report), modelOf(report?.model ?? asked?.model, provider));
        ended();
      },
    };
  }

  async #mayResend(as: RequestKind, cutOff: AbortSignal): Promise<boolean> {
    try {
      const admission = await this.#driver.admitTurn(cutOff, { as: "retry" });
      if (admission.kind === "stop") return false;
      this.#requests += 1;
      this.#driver.requestSent();
    } catch {
      return false;
    }
    this.#count(as, { input: 0, output: 0 });
    return this.#ending.uncountable === undefined;
  }

  // After an answer that cannot be counted nothing more is sent. Never throws.
  #count(as: RequestKind, usage: Usage, model?: Model): void {
    this.#prices.answered(model);
    try {
      this.#driver.turnEnded({ as, usage }, model);
    } catch (error) {
      this.#ending.countingFailed(error);
    }
    this.#warn(this.#prices.problem);
  }

  // The usage of an answer, or an estimate where it reports none.
  #taken(report: AnswerReport | undefined): Usage {
    if (report?.usage) return report.usage;
    if (!report?.estimate) return { input: 0, output: 0 };
    this.#isEstimate = true;
    return report.estimate;
  }

  #warn(message: string | undefined): void {
    if (message !== undefined) this.#driver.warn(message);
  }
}

const A_LIMIT = "at least one limit, such as requests: 200, or a pool";
const NO_LIMIT = `A gateway without a limit limits nothing. Give it ${A_LIMIT}`;

function modelOf(id: string | undefined, provider: string | undefined): Model | undefined {
  return id === undefined ? undefined : { id, provider };
}

// An error of the listener must not stop the counting.
function quietly(tell: (message: string) => void): (message: string) => void {
  return (message) => {
    try {
      tell(message);
    } catch {
      // There is nothing else to report it to.
    }
  };
}
