import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Reply, Stop } from "../../core/governor/decision.ts";
import { KIND_NAMES } from "../../core/governor/settings.ts";
import type { Boundary } from "../../core/limits/boundary.ts";
import { Run } from "../../run/run.ts";
import type { Member } from "../../run/shared-budgets.ts";
import type { Turn, TurnStop } from "../../run/turn.ts";
import { Warnings } from "../../run/warnings.ts";
import type { Profile, SeenRequest } from "../agents/profile.ts";
import type { Upstream } from "../endpoints.ts";
import type { Cancellation } from "../forward/cancellation.ts";
import { askWithin } from "./asking.ts";
import { Ending, type Readers } from "./ending.ts";
import { FinalCalls } from "./final-calls.ts";
import { ForwardedRequests } from "./forwarded-requests.ts";
import { HeldProgress } from "./held-progress.ts";
import { LoginAddress } from "./login-address.ts";
import { Loops, requireNoRepeats } from "./loops.ts";
import { type GatewayRunOptions, requireNoHistory } from "./options.ts";
import { OutsidePools } from "./outside-pools.ts";
import { Parking } from "./parking.ts";
import { AnswerPrices, withoutPriceByTokens } from "./prices.ts";
import { type RecognisedTurn, Recognition } from "./recognition.ts";
import { type GatewaySummary, isOver, summaryOf } from "./summary.ts";
import { offersTools, toldBody } from "./told-body.ts";
import type { CountedRequest, Refusal, Verdict } from "./verdict.ts";
import { WantedTurns } from "./wanted-turn.ts";

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
  readonly #loginAddress: LoginAddress;
  /** Until they are joined, if there are any. */
  #outside: OutsidePools | undefined;
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
    this.#loginAddress = new LoginAddress(profile);
    const pools = [limits.pool ?? []].flat();
    if (outside?.pools.length) this.#outside = new OutsidePools(outside, pools);
    this.#recognition = new Recognition(profile);
    const hasPool = pools.length > 0 || this.#outside !== undefined;
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
        mayWait: (question) => isReplied?.(question) || this.#parking.mayHold(question, hold, this.#run),
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
    return this.#loginAddress.insteadOf(upstream, headers);
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
    if (this.#outside?.sees(request) === false) this.#joinOutside(this.#outside);
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

  #joinOutside({ joined: pool }: OutsidePools): void {
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

  async #ended(stop: Stop | null): Promise<void> {
    this.#ending.parked = await this.#parking.ended(stop);
  }

  // Without a limit of cost a price changes nothing.
  #isPriced(request: CountedRequest): boolean {
    return !this.#run.facts.stopsUnpriced || this.#prices.hasPriceFor(request);
  }

  #changed(request: CountedRequest, turn: Turn, loop: string | undefined): Buffer | undefined {
    return toldBody(request, turn, loop, this.#run.facts.wrapUpSent ? this.#wrapUp : undefined);
  }
}

const A_LIMIT = "at least one limit, such as requests: 200, or a pool";
const NO_LIMIT = `A gateway without a limit limits nothing. Give it ${A_LIMIT}`;
