import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Stop } from "../../core/governor/decision.ts";
import type { TurnStart } from "../../core/governor/governor.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { RequestKind } from "../../core/governor/run.ts";
import { KIND_NAMES } from "../../core/governor/settings.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import type { Model } from "../../core/meter/model.ts";
import { addUsage, type Usage } from "../../core/meter/usage.ts";
import type { AdapterOptions } from "../../run/adapter-options.ts";
import { type Admission, Driver } from "../../run/driver.ts";
import type { Profile, Recognised, SeenRequest } from "../agents/profile.ts";
import type { AnswerReport, Json } from "../protocols/protocol.ts";
import { AnswerPrices } from "./answer-prices.ts";
import { askWithin } from "./ask-within.ts";
import type { GatewaySummary } from "./gateway-summary.ts";
import { PromptsSeen } from "./prompts-seen.ts";
import { RequestsUnderWay } from "./requests-under-way.ts";
import { digestOf, TurnsSeen } from "./turns-seen.ts";
import type { CountedRequest, Verdict } from "./verdict.ts";
import { finalWords, refusalWords, unpricedWarning, type WayOut } from "./wording.ts";

/** What a run behind the gateway is given: the limits, and what is known of the agent. */
export interface GatewayRunOptions extends AdapterOptions {
  /** What is known of the agent. Without it, requests are counted and not turns, and nobody is asked. */
  profile?: Profile | undefined;
  /** Is the profile used for versions, too, that it was not tested with? */
  anyVersion?: boolean | undefined;
  /** How many milliseconds a request is held while a person is asked. Default: as long as the agent waits. */
  hold?: number | undefined;
  /** How to allow more, in a sentence for the person who reads why the run ended: one for all limits, or by limit. */
  howToRaise?: string | ((boundary: Boundary) => string | undefined) | undefined;
  /** What to do about a model whose price is not known, in a sentence for the same person. */
  howToPrice?: string | undefined;
}

/** A turn of the agent's, or of one that works for it. */
type Turn = Extract<Recognised, { kind: "turn" }>;

/** A run of an agent whose requests pass through the gateway. Decides about each of them. */
export class GatewayRun {
  readonly #driver: Driver;
  readonly #options: GatewayRunOptions;
  readonly #over: string;
  readonly #prices: AnswerPrices;
  readonly #seen = new TurnsSeen();
  readonly #underWay = new RequestsUnderWay();
  readonly #outcomes: Outcome[] = [];
  readonly #prompts = new PromptsSeen();
  /** What the model was told, to wrap up. The agent does not know of it, so it has to be told each time. */
  #wrapUp: string | undefined;
  /** Was the agent's loop told that it is over? */
  #hasFinalWords = false;
  #endedBy: Boundary | undefined;
  #requests = 0;
  #isEstimate = false;
  #knowsVersion = true;
  /** Why nothing can be counted any more. */
  #broken: string | undefined;

  /** `over`: what is said of later requests once a limit was reached. */
  constructor(options: GatewayRunOptions, over = "No more requests are sent in this run.") {
    const {
      profile,
      anyVersion: _,
      hold = profile?.waitsFor,
      howToRaise: __,
      howToPrice: ___,
      ask,
      price,
      onWarning,
      ...given
    } = options;
    this.#options = options;
    this.#over = over;
    this.#prices = new AnswerPrices(price, (message) => this.#driver.warn(message));
    this.#driver = new Driver(
      {
        ...given,
        turns: given.turns ?? "unlimited",
        ...(ask && hold !== undefined && { ask: this.#asksIfKnown(askWithin(ask, hold)) }),
        price: this.#prices.lookedUp,
        ...(onWarning && { onWarning: quietly(onWarning) }),
        onOutcome: (outcome, run) => {
          this.#outcomes.push(outcome);
          options.onOutcome?.(outcome, run);
        },
      },
      {
        cutOff: (decision) => this.#cutOff(decision),
        canGoOn: () => this.#underWay.hasMainTurn,
        unpricedWarning: () => unpricedWarning(this.#wayOut()),
      },
    );
    const hasPool = [given.pool ?? []].flat().length > 0;
    if (!this.hasOwnLimits && !hasPool) throw new InvalidLimit("options", undefined, A_LIMIT, NO_LIMIT);
    this.#driver.begin();
  }

  /** Has it limits besides those of pools? */
  get hasOwnLimits(): boolean {
    return [...KIND_NAMES, "limits" as const].some((name) => this.#options[name] !== undefined);
  }

  /** Who it is in the pools that it draws from. */
  get member(): Driver["member"] {
    return this.#driver.member;
  }

  /** Why nothing is sent any more, if the run is over. */
  get refusal(): string | undefined {
    const { stop } = this.#driver.governor.view;
    if (this.#broken !== undefined) return this.#broken;
    return stop ? this.#refusalOf(stop) : undefined;
  }

  /** Where a request goes whose login decides that, instead of the address that it was made for. */
  upstreamFor(headers: SeenRequest["headers"], upstream: string): string {
    return this.#options.profile?.upstream?.(headers, upstream) ?? upstream;
  }

  /**
   * Begins again, if a limit has ended it: its pools may admit more by now. What it took before is in them, and no longer
   * in the summary. What is under way goes on, and counts in what comes.
   */
  renew(): void {
    if (this.refusal === undefined) return;
    this.#begin();
    this.#outcomes.length = 0;
  }

  /** Decides about a request. It may take as long as a person takes to reply. */
  async decide(request: CountedRequest, signal: AbortSignal): Promise<Verdict> {
    if (this.#broken !== undefined) return { kind: "refuse", message: this.#broken };
    const recognised = this.#recognised(request);
    const priced = this.#isPriced(request);
    if (recognised?.kind !== "turn") {
      const admission = await this.#driver.admitTurn(signal, { as: "aside", priced });
      return admission.kind === "stop"
        ? this.#refused(admission, signal)
        : this.#forward(request, "aside", false);
    }
    this.#notePrompt(recognised);
    const seen = await this.#seen.see(recognised.conversation, digestOf(recognised.same ?? request.body));
    const isAgain = seen === "again";
    let begun = false;
    try {
      const as = isAgain ? "retry" : "turn";
      const admission = await this.#admit(recognised, { as, priced }, signal);
      begun = admission.kind !== "stop";
      if (admission.kind !== "stop") return this.#turn(request, recognised, as, admission);
      return this.#ended(request, recognised, admission, signal);
    } finally {
      if (!isAgain) seen(begun);
    }
  }

  /** The run is over. Resolves when its pools know everything. */
  async end(): Promise<GatewaySummary> {
    this.#underWay.cutOff();
    await this.#underWay.settled();
    this.#driver.end();
    await this.#driver.poolsSettled();
    this.#driver.close();
    return this.summary;
  }

  /** What it came to so far. */
  get summary(): GatewaySummary {
    const current = this.#driver.governor.view.outcome;
    const all = current ? [...this.#outcomes, current] : this.#outcomes;
    const last = all.at(-1);
    const usages = all.flatMap(({ usage }) => usage ?? []);
    const sum = (of: (outcome: Outcome) => number) => all.reduce((total, one) => total + of(one), 0);
    return {
      outcome: last && this.#honest(last),
      endedBy: this.#endedBy,
      turns: sum(({ turns }) => turns),
      requests: this.#requests,
      usage: usages.length > 0 ? usages.reduce(addUsage) : undefined,
      isEstimate: this.#isEstimate,
      isUnpriced: this.#prices.isUnknown,
      time: sum(({ time = 0 }) => time),
    };
  }

  // A run whose requests were refused did not come to its end by itself.
  #honest(outcome: Outcome): Outcome {
    const seemsFinished = outcome.kind === "completed" || outcome.kind === "wrapped-up";
    return this.#endedBy && seemsFinished
      ? { ...outcome, kind: "stopped", limit: this.#endedBy.limit, intervened: true }
      : outcome;
  }

  // What the request is. One that the profile does not know is besides the turns, if it is the agent's own. One of
  // another program, which the agent has started, is a turn of a sub-agent.
  #recognised({ headers, protocol, body }: CountedRequest): Recognised | undefined {
    const { profile, anyVersion } = this.#options;
    if (!profile) return undefined;
    const version = profile.version(headers);
    const isKnown = version !== undefined && (anyVersion || profile.tested.includes(version));
    if (!isKnown && version !== undefined) this.#tellVersion(profile, version);
    if (isKnown) return protocol && body ? profile.recognise({ headers, protocol, body }) : undefined;
    return { kind: "turn", conversation: crypto.randomUUID(), isSubAgent: true };
  }

  #tellVersion({ name, tested, id }: Profile, version: string): void {
    if (!this.#knowsVersion) return;
    this.#knowsVersion = false;
    this.#driver.warn(
      `${name} ${version} is not a version that its profile was tested with (${tested.join(", ")}). So every request ` +
        `counts as a turn, and at a limit nobody is asked. To use the profile all the same: --profile ${id}`,
    );
  }

  // A person's prompt starts the budgets over once, where it is certain that it is one.
  #notePrompt({ prompt, isSubAgent }: Turn): void {
    if (prompt !== undefined && !isSubAgent && this.#prompts.startsOver(prompt)) this.#begin();
  }

  #cutOff(by: Boundary): void {
    this.#endedBy ??= by;
    this.#underWay.cutOff();
  }

  #begin(): void {
    this.#driver.begin();
    this.#hasFinalWords = false;
    this.#endedBy = undefined;
  }

  #admit({ isSubAgent }: Turn, start: TurnStart, signal: AbortSignal): Promise<Admission> {
    return isSubAgent ? this.#driver.admitSubAgentTurn(signal, start) : this.#driver.admitTurn(signal, start);
  }

  // Is there a price for what is asked, where one is needed? Elsewhere it is that of the model which answers.
  #isPriced({ asked, provider }: CountedRequest): boolean {
    const model = modelOf(asked?.model, provider);
    if (!this.#options.price || !model || !this.#driver.stopsUnpriced) return true;
    return this.#prices.of({ input: 1, output: 1 }, model) !== undefined;
  }

  #wayOut(boundary?: Boundary): WayOut {
    const { howToRaise, howToPrice: price } = this.#options;
    const raise = typeof howToRaise === "function" ? boundary && howToRaise(boundary) : howToRaise;
    return { raise, price, unpricedModel: this.#prices.unpricedModel };
  }

  #turn(
    request: CountedRequest,
    { isSubAgent }: Turn,
    as: RequestKind,
    admission: Exclude<Admission, Stop>,
  ): Verdict {
    if (admission.kind === "wrap-up") this.#wrapUp = admission.message;
    if (admission.kind === "synthesize") this.#endedBy = admission;
    return this.#forward(request, as, !isSubAgent, this.#changed(request, admission));
  }

  // The request as the model is to see it, if that is not as it came. One that cannot be written again stays as it is.
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

  // The loop of the agent ends with one answer that says why. Everything else, and everything later, is refused.
  #ended(
    { protocol, asked }: CountedRequest,
    { isSubAgent }: Turn,
    stop: Stop,
    signal: AbortSignal,
  ): Verdict {
    if (signal.aborted || isSubAgent || this.#hasFinalWords || !protocol || !asked)
      return this.#refused(stop, signal);
    this.#hasFinalWords = true;
    this.#endedBy = stop;
    const words = finalWords(stop, stop.outcome === "declined", this.#wayOut(stop));
    return { kind: "answer", answer: protocol.answer(words, asked) };
  }

  // Whoever has gone away was not refused anything.
  #refused(stop: Stop, signal: AbortSignal): Verdict {
    if (!signal.aborted) this.#endedBy ??= stop;
    return { kind: "refuse", message: this.#refusalOf(stop) };
  }

  #refusalOf(boundary: Boundary): string {
    return refusalWords(boundary, this.#over, this.#wayOut(boundary));
  }

  #forward(request: CountedRequest, as: RequestKind, isMainTurn: boolean, body?: Buffer): Verdict {
    // A stream may be long, and must not keep the request.
    const { asked, provider } = request;
    this.#requests += 1;
    const { cutOff, ended } = this.#underWay.begin(isMainTurn, () => this.#driver.requestSent());
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
    return this.#broken === undefined;
  }

  // An answer that cannot be counted is the last one. Never throws.
  #count(as: RequestKind, usage: Usage, model?: Model): void {
    if (!this.#options.price) this.#prices.unpricedModel = model?.id;
    try {
      this.#driver.turnEnded({ as, usage }, model);
    } catch (error) {
      this.#broken ??= `An answer could not be counted (${error}). No more requests are sent in this run.`;
    }
  }

  // What an answer took. Where it does not say, an estimate is better than nothing.
  #taken(report: AnswerReport | undefined): Usage {
    if (report?.usage) return report.usage;
    if (!report?.estimate) return { input: 0, output: 0 };
    this.#isEstimate = true;
    return report.estimate;
  }

  // How long another version waits is not known.
  #asksIfKnown(ask: NonNullable<AdapterOptions["ask"]>): NonNullable<AdapterOptions["ask"]> {
    return (...asked) => (this.#knowsVersion ? ask(...asked) : "unanswered");
  }
}

const A_LIMIT = "at least one limit, such as requests: 200, or a pool";
const NO_LIMIT = `A gateway without a limit limits nothing. Give it ${A_LIMIT}`;

function modelOf(id: string | undefined, provider: string | undefined): Model | undefined {
  return id === undefined ? undefined : { id, provider };
}

// Whoever is told something must not stop the counting by an error.
function quietly(tell: (message: string) => void): (message: string) => void {
  return (message) => {
    try {
      tell(message);
    } catch {
      // There is nobody else to tell.
    }
  };
}
