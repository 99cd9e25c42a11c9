import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import type { Ask, Reply, Stop } from "../../core/governor/decision.ts";
import { KIND_NAMES } from "../../core/governor/settings.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { waitingText } from "../../core/words.ts";
import type { RunOptions } from "../../run/options.ts";
import { Run } from "../../run/run.ts";
import type { BudgetSource, Member } from "../../run/shared-budgets.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import { Warnings } from "../../run/warnings.ts";
import type { Profile, SeenRequest } from "../agents/profile.ts";
import { type Upstream, upstreamAt } from "../endpoints.ts";
import type { Cancellation } from "../forward/cancellation.ts";
import { isFilledList } from "../protocols/parts-of-json.ts";
import type { AgentDialog } from "./agent-dialog.ts";
import { askWithin } from "./asking.ts";
import { Ending, type HowToGoOn, type Readers } from "./ending.ts";
import { FinalCalls } from "./final-calls.ts";
import { modelOf } from "./forwarded-request.ts";
import { ForwardedRequests } from "./forwarded-requests.ts";
import { HeldProgress } from "./held-progress.ts";
import { Loops, requireNoRepeats } from "./loops.ts";
import { type Park, Parking } from "./parking.ts";
import { AnswerPrices, withoutPriceByTokens } from "./prices.ts";
import { type RecognisedTurn, Recognition } from "./recognition.ts";
import { type GatewaySummary, isOver, summaryOf } from "./summary.ts";
import { toldBody } from "./told-body.ts";
import type { CountedRequest, Refusal, Verdict } from "./verdict.ts";
import { WantedTurns } from "./wanted-turn.ts";

/** What a run behind the gateway is given: the limits, and what is known of the agent. */
export interface GatewayRunOptions extends RunOptions, HowToGoOn {
  /** What is known of the agent. Without it, requests are counted and not turns, and nobody is asked. */
  profile?: Profile | undefined;
  /** Asks in the agent's own dialog, by its `ask`, which has to be the `ask` of the run or a part of it. */
  dialog?: AgentDialog | undefined;
  /** How many milliseconds a request is held while a person is asked. Default: as long as the agent waits. */
  hold?: number | undefined;
  /** Keeps the run when nobody answers a question, instead of ending it for good. */
  park?: Park | undefined;
  /** The agent's own session, where its requests do not name it: what is parked goes on in it. */
  session?: string | undefined;
  /** What an earlier run knew when it was parked: this one goes on from it. */
  from?: GovernorState | undefined;
  /** Is there a reply to this question already, so that `ask` returns it at once? Default: no. */
  isReplied?: ((question: Ask) => boolean) | undefined;
  /**
   * Is told what the run knows before each request that counts, which waits for it. Resolves with why it must not be sent, if it
   * must not.
   */
  beforeSending?: ((state: GovernorState) => Promise<string | undefined>) | undefined;
  /** Tells a person what was done to the run from elsewhere. Default: as `onWarning`. */
  onNotice?: ((message: string) => void) | undefined;
  /**
   * Another gateway, by its address without a path, that counts what is sent to it in these pools. They are drawn from
   * as soon as a request goes elsewhere. If a limit of it ends this run, the summary says so.
   */
  outside?: { readonly origin: string; readonly pools: readonly BudgetSource[] } | undefined;
}

/** A run of an agent whose requests pass through the gateway. Decides about each of them. */
export class GatewayRun {
  readonly #run: Run;
  readonly #profile: Profile | undefined;
  readonly #warnings: Warnings;
  readonly #recognition: Recognition;
  readonly #prices: AnswerPrices;
  readonly #ending: Ending;
  readonly #forwarded: ForwardedRequests;
  readonly #parking: Parking;
  readonly #wanted: WantedTurns;
  readonly #progress: HeldProgress | undefined;
  readonly #beforeSending: GatewayRunOptions["beforeSending"];
  /** How many requests the runs made from which this one goes on. */
  readonly #requestsBefore: number;
  readonly #pools: readonly BudgetSource[];
  /** Where the agent's login led the last request instead of where it was sent. */
  #elsewhere: Upstream | undefined;
  #outside: GatewayRunOptions["outside"];
  /** Has it limits besides those of pools? */
  readonly hasOwnLimits: boolean;
  /** May a request have to wait for a person or a store before it is decided? */
  readonly #mayWait: boolean;
  /** What an agent says to a question in its dialog by ending. */
  readonly #replyAtEnd: Reply;
  /** The wrap-up message. It is not in the agent's transcript, so every later request repeats it. */
  #wrapUp: string | undefined;

  /** `readers`: who reads why requests are refused. */
  constructor(options: GatewayRunOptions, readers: Readers = "person") {
    requireNoHistory(options);
    const { profile, hold = profile?.waitsFor, howToRaise, howToPrice, outside, ...more } = options;
    const { park, session, from, onNotice, isReplied, beforeSending, dialog, ...given } = more;
    this.#beforeSending = beforeSending;
    this.#replyAtEnd = park ? "unanswered" : false;
    const { ask, price, onWarning, ...limits } = given;
    this.#warnings = new Warnings(onWarning);
    if (limits.progress && hold !== undefined)
      this.#progress = new HeldProgress(limits.progress, hold, ask !== undefined, this.#warnings);
    this.#profile = profile;
    this.#pools = [limits.pool ?? []].flat();
    this.#outside = outside?.pools.length ? { ...outside, pools: [...outside.pools] } : undefined;
    this.#recognition = new Recognition(profile);
    const hasPool = this.#pools.length > 0 || (outside?.pools.length ?? 0) > 0;
    const isListed = limits.listed !== undefined;
    this.#mayWait = ask !== undefined || hasPool || isListed || limits.progress !== undefined;
    const hasCost = hasPool || limits.cost !== undefined || limits.limits !== undefined;
    this.#prices = new AnswerPrices(price, hasCost, this.#warnings);
    this.#forwarded = new ForwardedRequests(this.#prices, outside?.origin);
    this.#ending = new Ending(
      { howToRaise, howToPrice },
      (limit) => this.#run.view.startsOver(limit),
      readers,
      this.#prices,
      this.#warnings,
    );
    this.#parking = new Parking(park, this.#warnings);
    this.#parking.session = session;
    this.#run = new Run(
      {
        ...limits,
        ...(this.#progress && { progress: this.#progress.progress }),
        turns: limits.turns ?? "unlimited",
        ...(limits.cost !== undefined && { cost: withoutPriceByTokens(limits.cost) }),
        ...(ask && hold !== undefined && { ask: askWithin(hold, ask, this.#asking()) }),
        price: (usage, model) => this.#prices.of(usage, model),
        onWarning,
      },
      {
        cutOff: (by) => {
          this.#ending.by ??= by;
          this.#forwarded.cutOff();
        },
        canGoOn: () => this.#forwarded.hasMainTurn,
        mayWait: (question) => isReplied?.(question) || this.#mayHold(question, hold),
        unpricedWarning: () => this.#ending.unpricedWarning,
        state: from,
        ...(onNotice && { notice: onNotice }),
      },
    );
    const loops = new Loops(this.#run, profile);
    this.#wanted = new WantedTurns(
      this.#run,
      this.#recognition,
      loops,
      new FinalCalls(this.#run, profile?.finalTool),
      dialog,
      profile?.dialog,
    );
    if (!profile) requireNoRepeats(this.#run);
    this.hasOwnLimits = [...KIND_NAMES, "limits" as const].some((name) => limits[name] !== undefined);
    if (!this.hasOwnLimits && !hasPool) throw new InvalidLimit("options", undefined, A_LIMIT, NO_LIMIT);
    this.#requestsBefore = from ? this.#run.view.totals.requests : 0;
    if (from) this.#run.resume();
    else this.#run.begin();
  }

  /** Who it is in the pools that it draws from. */
  get member(): Member {
    return this.#run.shared.member;
  }

  /** Its limits, as they stand. */
  get standings(): Boundary[] {
    return this.#run.view.standings;
  }

  /** What is answered to everything, if nothing is sent any more. */
  get refusal(): Refusal | undefined {
    const { stop } = this.#run.view;
    const { uncountable } = this.#forwarded;
    if (uncountable !== undefined) return { kind: "refuse", message: uncountable };
    return stop ? this.#ending.refusal(stop) : undefined;
  }

  /** Where a request goes instead of `upstream`, if its login decides that. */
  upstreamFor(headers: SeenRequest["headers"], upstream: Upstream): Upstream {
    const address = this.#profile?.upstream?.(headers, upstream.address) ?? upstream.address;
    if (address === upstream.address) return upstream;
    if (this.#elsewhere?.address !== address) this.#elsewhere = upstreamAt(new URL(address));
    return this.#elsewhere;
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

  /** Decides about a request: at once where it can be, or as late as a person replies. */
  decide(request: CountedRequest, gone: Cancellation): Promise<Verdict> | Verdict {
    const { uncountable } = this.#forwarded;
    if (uncountable !== undefined) return { kind: "refuse", message: uncountable };
    this.#joinUnlessOutside(request);
    const recognised = this.#recognition.recognised(request);
    const { problem } = this.#recognition;
    if (problem !== undefined) this.#warnings.warn(problem);
    return recognised?.kind === "turn"
      ? this.#decideTurn(request, recognised, gone)
      : this.#decideAside(request, gone);
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
    const stop = await this.#wanted.end(this.#replyAtEnd);
    if (stop) this.#ending.by ??= stop;
    // One that was cut off in the middle of a turn has not been told anything.
    await this.#ended(this.#run.view.stop);
    this.#run.end();
    await this.#run.shared.done();
    this.#run.close();
    return this.summary;
  }

  /** The summary so far. */
  get summary(): GatewaySummary {
    return summaryOf(this.#run.outcome ?? this.#run.view.outcome, {
      endedBy: this.#ending.by ?? this.#forwarded.stoppedOutside,
      sent: this.#forwarded.count,
      requests: this.#requestsBefore + this.#forwarded.count,
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

  #decideAside(request: CountedRequest, gone: Cancellation): Promise<Verdict> | Verdict {
    const run = this.#run;
    const signal = this.#signalOf(gone);
    // The body is read only if the model may have to be told something.
    const mayTell = run.facts.settings.tell !== false;
    const hears = mayTell && !this.#profile && offersTools(request);
    const turn = run.next({ signal, as: "aside", priced: this.#isPriced(request), hears });
    return turn instanceof Promise
      ? turn.then((turn) => this.#asideDecided(request, turn, hears, gone))
      : this.#asideDecided(request, turn, hears, gone);
  }

  #asideDecided(
    request: CountedRequest,
    turn: Turn | TurnStop,
    hears: boolean,
    gone: Cancellation,
  ): Promise<Verdict> | Verdict {
    if (turn.kind === "stop") return this.#ended(turn).then(() => this.#ending.refused(turn, gone));
    const run = this.#run;
    this.#parking.goesOn();
    const changed = hears ? this.#changed(request, turn, undefined) : undefined;
    return this.#forward(request, { run, turn, agent: run, isMainTurn: false }, changed);
  }

  async #decideTurn(
    request: CountedRequest,
    recognised: RecognisedTurn,
    gone: Cancellation,
  ): Promise<Verdict> {
    if (!recognised.isSubAgent && !recognised.isByOpening) this.#parking.session = recognised.conversation;
    const priced = this.#isPriced(request);
    const wanted = await this.#wanted.of(request, recognised, priced, this.#signalOf(gone));
    let begun: boolean | undefined = false;
    try {
      const turn = await this.#wanted.decide(wanted, request, recognised);
      if (turn.kind === "dialog") {
        begun = undefined;
        return { kind: "answer", answer: turn.answer, by: undefined };
      }
      const { agent, isMainTurn, loop, ended } = wanted;
      if (turn.kind === "stop") {
        await this.#ended(turn);
        return isMainTurn
          ? this.#ending.finalAnswer(request, turn, gone, this.#run.delivered)
          : this.#ending.refused(turn, gone);
      }
      begun = true;
      this.#parking.goesOn();
      if (turn.lastBecauseOf) this.#ending.by = turn.lastBecauseOf;
      else this.#wrapUp = turn.directive ?? this.#wrapUp;
      const of = { run: this.#run, turn, agent, isMainTurn, ended };
      return await this.#forward(request, of, this.#changed(request, turn, loop));
    } finally {
      if (begun !== undefined) wanted.decided(begun);
    }
  }

  #forward(...of: Parameters<ForwardedRequests["forward"]>): Promise<Verdict> | Verdict {
    const verdict = this.#forwarded.forward(...of);
    const allowed = this.#beforeSending?.(this.#run.state);
    if (!allowed) return verdict;
    return allowed.then((why) => {
      if (why === undefined) return verdict;
      verdict.ended(undefined);
      return { kind: "refuse", message: why };
    });
  }

  #signalOf(gone: Cancellation): AbortSignal | undefined {
    return this.#mayWait ? gone.signal : undefined;
  }

  #asking(): Parameters<typeof askWithin>[2] {
    return {
      canAsk: () => this.#recognition.problem === undefined,
      heldFor: () => this.#progress?.takeSpent() ?? 0,
      goesOnAsking: () => this.#wanted.goesOnAsking(),
      unanswered: (question) => {
        this.#ending.unanswered = question.limit;
        this.#parking.unanswered(question, this.#run);
      },
    };
  }

  // Until the limit starts over a request is held. The agent must not give it up before: then the run is parked at once.
  #mayHold(question: Ask, hold: number | undefined): boolean {
    const { until = Infinity } = question.waits ?? {};
    if (!this.#parking.isPossible || until - Date.now() <= (hold ?? Infinity)) {
      if (!this.#run.view.settings.canAsk) this.#warnings.warn(waitingText(question));
      return true;
    }
    this.#parking.unanswered(question, this.#run);
    return false;
  }

  async #ended(stop: Stop | null): Promise<void> {
    this.#ending.parked = await this.#parking.ended(stop);
  }

  // Is there a price for the requested model, where a missing one ends the run?
  #isPriced(request: CountedRequest): boolean {
    // Without a limit of cost a price changes nothing.
    if (!this.#prices.needModel || !this.#run.facts.stopsUnpriced) return true;
    const { asked, protocol, provider } = request;
    return this.#prices.has(modelOf(asked?.model, provider), protocol !== undefined);
  }

  #changed(request: CountedRequest, turn: Turn, loop: string | undefined): Buffer | undefined {
    return toldBody(request, turn, loop, this.#run.facts.wrapUpSent ? this.#wrapUp : undefined);
  }
}

// Without a profile nobody knows which requests are turns. What has no tools is likely to be none.
function offersTools({ protocol, body }: CountedRequest): boolean {
  return protocol !== undefined && (isFilledList(body?.tools) || isFilledList(body?.functions));
}

// Whether an agent behind the gateway finished shows only where it was started.
function requireNoHistory(options: object): void {
  if (!("history" in options) || options.history === undefined) return;
  const why = "it does not see whether an agent finished. Use turn-limit run --max-turns p90";
  throw new UnsupportedOption("turn-limit/gateway", "history", why);
}

const A_LIMIT = "at least one limit, such as requests: 200, or a pool";
const NO_LIMIT = `A gateway without a limit limits nothing. Give it ${A_LIMIT}`;
