import { isPlainObject } from "../../core/checks.ts";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Reply } from "../../core/governor/decision.ts";
import { KIND_NAMES } from "../../core/governor/settings.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run } from "../../run/run.ts";
import type { BudgetSource, Member } from "../../run/shared-budgets.ts";
import type { Turn } from "../../run/turn.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { Warnings } from "../../run/warnings.ts";
import type { Profile, SeenRequest } from "../agents/profile.ts";
import type { Json } from "../protocols/protocol.ts";
import { Ending, type HowToGoOn, type Readers } from "./ending.ts";
import { ForwardedRequests, modelOf } from "./forwarded.ts";
import { AnswerPrices } from "./prices.ts";
import { type RecognisedTurn, Recognition } from "./recognition.ts";
import { type GatewaySummary, isOver, summaryOf } from "./summary.ts";
import type { CountedRequest, Refusal, Verdict } from "./verdict.ts";

/** What a run behind the gateway is given: the limits, and what is known of the agent. */
export interface GatewayRunOptions extends AdapterOptions, HowToGoOn {
  /** What is known of the agent. Without it, requests are counted and not turns, and nobody is asked. */
  profile?: Profile | undefined;
  /** How many milliseconds a request is held while a person is asked. Default: as long as the agent waits. */
  hold?: number | undefined;
  /**
   * Another gateway, by its address without a path, that counts what is sent to it in these pools. They are drawn from
   * as soon as a request goes elsewhere. If a limit of it ends this run, the summary says so.
   */
  outside?: { readonly origin: string; readonly pools: readonly BudgetSource[] } | undefined;
}

type AskPerson = NonNullable<AdapterOptions["ask"]>;

/** A run of an agent whose requests pass through the gateway. Decides about each of them. */
export class GatewayRun {
  readonly #run: Run;
  readonly #profile: Profile | undefined;
  readonly #warnings: Warnings;
  readonly #recognition: Recognition;
  readonly #prices: AnswerPrices;
  readonly #ending: Ending;
  readonly #forwarded: ForwardedRequests;
  readonly #pools: readonly BudgetSource[];
  #outside: GatewayRunOptions["outside"];
  /** Has it limits besides those of pools? */
  readonly hasOwnLimits: boolean;
  #lastReply: Reply | undefined;
  /** The wrap-up message. It is not in the agent's transcript, so every later request repeats it. */
  #wrapUp: string | undefined;

  /** `readers`: who reads why requests are refused. */
  constructor(options: GatewayRunOptions, readers: Readers = "person") {
    const { profile, hold = profile?.waitsFor, howToRaise, howToPrice, outside, ...given } = options;
    const { ask, price, onWarning, ...limits } = given;
    this.#warnings = new Warnings(onWarning);
    this.#profile = profile;
    this.#pools = [limits.pool ?? []].flat();
    this.#outside = outside?.pools.length ? { ...outside, pools: [...outside.pools] } : undefined;
    this.#recognition = new Recognition(profile);
    this.#prices = new AnswerPrices(price, this.#warnings);
    this.#forwarded = new ForwardedRequests(this.#prices, outside?.origin);
    this.#ending = new Ending({ howToRaise, howToPrice }, readers, this.#prices, this.#warnings);
    this.#run = new Run(
      {
        ...limits,
        turns: limits.turns ?? "unlimited",
        ...(limits.cost !== undefined && { cost: withoutPriceByTokens(limits.cost) }),
        ...(ask && hold !== undefined && { ask: this.#asking(ask, hold) }),
        price: (usage, model) => this.#prices.of(usage, model),
        onWarning,
      },
      {
        cutOff: (by) => {
          this.#ending.by ??= by;
          this.#forwarded.cutOff();
        },
        canGoOn: () => this.#forwarded.hasMainTurn,
        unpricedWarning: () => this.#ending.unpricedWarning,
      },
    );
    this.hasOwnLimits = [...KIND_NAMES, "limits" as const].some((name) => limits[name] !== undefined);
    const hasPool = this.#pools.length > 0 || (outside?.pools.length ?? 0) > 0;
    if (!this.hasOwnLimits && !hasPool) throw new InvalidLimit("options", undefined, A_LIMIT, NO_LIMIT);
    this.#run.begin();
  }

  /** Who it is in the pools that it draws from. */
  get member(): Member {
    return this.#run.shared.member;
  }

  /** What is answered to everything, if nothing is sent any more. */
  get refusal(): Refusal | undefined {
    const { stop } = this.#run.view;
    const { uncountable } = this.#forwarded;
    if (uncountable !== undefined) return { kind: "refuse", message: uncountable };
    return stop ? this.#ending.refusal(stop) : undefined;
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
    this.#run.begin();
    this.#warnings.clear();
    this.#ending.startOver();
  }

  /** Decides about a request. It may take as long as a person takes to reply. */
  async decide(request: CountedRequest, signal: AbortSignal): Promise<Verdict> {
    const { uncountable } = this.#forwarded;
    if (uncountable !== undefined) return { kind: "refuse", message: uncountable };
    this.#joinUnlessOutside(request);
    const recognised = this.#recognition.recognised(request);
    const { problem } = this.#recognition;
    if (problem !== undefined) this.#warnings.warn(problem);
    return recognised?.kind === "turn"
      ? this.#decideTurn(request, recognised, signal)
      : this.#decideAside(request, signal);
  }

  /** A request was refused that would have spent where no limit sees it. The run goes on. */
  refusedElsewhere(why: string): void {
    this.#warnings.warn(why);
    this.#forwarded.refused(why);
  }

  /** How a request is read that costs nothing, if it asks again for an answer that the provider goes on with. */
  askedAgain(path: string): Extract<Verdict, { kind: "forward" }> | undefined {
    return this.#forwarded.askedAgain(path, this.#run);
  }

  /** Ends the run. Resolves when its usage is settled in the pools. */
  async end(): Promise<GatewaySummary> {
    this.#forwarded.cutOff();
    await this.#forwarded.settled();
    this.#run.end();
    await this.#run.shared.done();
    this.#run.close();
    return this.summary;
  }

  /** The summary so far. */
  get summary(): GatewaySummary {
    return summaryOf(this.#run.outcome ?? this.#run.view.outcome, {
      endedBy: this.#ending.by ?? this.#forwarded.stoppedOutside,
      requests: this.#forwarded.count,
      isEstimate: this.#forwarded.hasEstimates,
      isUnpriced: this.#prices.isUnknown,
      over: this.#run.view.standings.filter(isOver),
      problem: this.#forwarded.problem,
    });
  }

  #joinUnlessOutside({ upstream }: CountedRequest): void {
    if (!this.#outside || new URL(upstream).origin === this.#outside.origin) return;
    const pool = [...this.#pools, ...this.#outside.pools];
    this.#outside = undefined;
    this.#run.configure({ ...this.#run.view.settings, pool });
  }

  async #decideAside(request: CountedRequest, signal: AbortSignal): Promise<Verdict> {
    const run = this.#run;
    const turn = await run.nextTurn({ signal, as: "aside", priced: this.#isPriced(request) });
    if (turn.kind === "stop") return this.#ending.refused(turn, signal);
    return this.#forwarded.forward(request, { run, turn, agent: run, isMainTurn: false });
  }

  async #decideTurn(
    request: CountedRequest,
    recognised: RecognisedTurn,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const isMainTurn = !recognised.isSubAgent;
    const agent = isMainTurn ? this.#run : this.#run.subAgent();
    const priced = this.#isPriced(request);
    const { isRetry, decided } = await this.#recognition.seenBefore(recognised, request);
    let begun = false;
    try {
      const turn = await agent.nextTurn({ signal, as: isRetry ? "retry" : "turn", priced });
      if (turn.kind === "stop")
        return isMainTurn
          ? this.#ending.finalAnswer(request, turn, signal)
          : this.#ending.refused(turn, signal);
      begun = true;
      if (turn.lastBecauseOf) this.#ending.by = turn.lastBecauseOf;
      else this.#wrapUp = turn.message ?? this.#wrapUp;
      const of = { run: this.#run, turn, agent, isMainTurn };
      return this.#forwarded.forward(request, of, this.#changed(request, turn));
    } finally {
      decided(begun);
    }
  }

  // Asks for as long as the agent waits. Of an agent whose requests cannot be told apart that is not known.
  #asking(ask: AskPerson, hold: number): AskPerson {
    return async (question, signal, run) => {
      if (this.#recognition.problem !== undefined) return "unanswered";
      const over = AbortSignal.timeout(Math.min(hold, LONGEST_TIMER));
      const asked = Promise.resolve(ask(question, AbortSignal.any([signal, over]), run));
      const reply = await untilAborted(over, asked, () => "unanswered" as const);
      // A model that was told to wrap up and goes on is not told again: that would never end.
      const isRepeated = reply === "wrap-up" && this.#lastReply === "wrap-up";
      this.#lastReply = reply;
      return isRepeated ? "unanswered" : reply;
    };
  }

  // Is there a price for the requested model, where a missing one ends the run?
  #isPriced({ asked, protocol, provider }: CountedRequest): boolean {
    const { stopsUnpriced } = this.#run.view;
    return !stopsUnpriced || this.#prices.has(modelOf(asked?.model, provider), protocol !== undefined);
  }

  // The body with the message for the model. A body that cannot be serialised again stays as it is.
  #changed({ protocol, body }: CountedRequest, turn: Turn): Buffer | undefined {
    const wrapUp = this.#run.view.wrapUpSent ? this.#wrapUp : undefined;
    const message = turn.tools ? wrapUp : turn.message;
    if (!protocol || !body || message === undefined) return undefined;
    try {
      const changed: Json = protocol.withMessage(turn.tools ? body : protocol.withoutTools(body), message);
      return Buffer.from(JSON.stringify(changed));
    } catch {
      return undefined;
    }
  }
}

// Behind the gateway nothing is sent to a model without a price, unless a token limit holds it or that is wanted.
function withoutPriceByTokens(cost: NonNullable<AdapterOptions["cost"]>): AdapterOptions["cost"] {
  const settings = isPlainObject(cost) ? cost : { max: cost };
  return { unpriced: "tokens", ...settings };
}

const A_LIMIT = "at least one limit, such as requests: 200, or a pool";
const NO_LIMIT = `A gateway without a limit limits nothing. Give it ${A_LIMIT}`;
