import { optionalFinalTool, optionalFlag, optionalKind } from "../core/governor/arguments.ts";
import {
  type Ask,
  type CheckProgress,
  limitError,
  notBegun,
  PROCEED,
  type Reply,
  type Stop,
  type TurnDecision,
} from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import { type Boundary, isReached } from "../core/limits/boundary.ts";
import { finalToolMissing } from "../core/limits/last-turn.ts";
import { ROOM } from "./question.ts";
import type { RunServices } from "./services.ts";
import { type Admitted, Turn, type TurnFacts, type TurnOrder, type TurnStop } from "./turn.ts";
import { untilAborted } from "./until-aborted.ts";
import type { AgentKind, Work } from "./work.ts";

/** What a host knows about a turn that is about to begin. */
export interface TurnRequest {
  /** Ends the wait for a person. */
  signal?: AbortSignal | undefined;
  /**
   * What it is: a new turn, the same request once more, or a request besides the turns. Default: the same once more if the
   * last one of this agent failed, else a new turn. Of requests that an agent makes at once, each is a new turn.
   */
  as?: RequestKind | undefined;
  /** Does the model have a price? Not needed where usage is reported without a cost. */
  priced?: boolean | undefined;
  /**
   * Can the model be told in it what it has left? If not, it is told in a later one. Default: in turns, and not in requests
   * besides them.
   */
  hears?: boolean | undefined;
  /**
   * The tool with which the agent gives its answer, where the host knows it, and not the options; `false`: the agent has
   * none, whatever the options say. It holds until another is named.
   */
  finalTool?: string | false | undefined;
  /** Has the agent this tool? Asked about the final tool of the options, if they name one. */
  hasTool?: ((name: string) => boolean) | undefined;
}

/** A turn that is wanted. `signal`: ends the wait for it. */
interface Wanted extends TurnFacts {
  readonly priced: boolean;
  readonly hears: boolean;
  readonly finalTool: string | false | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What a person said to a question, and what is decided by it. `wasOpen`: it had not been decided before. */
interface Replied {
  readonly ask: Ask;
  readonly reply: Reply | undefined;
  readonly as: RequestKind;
  readonly wasOpen: boolean;
}

function isHeld(decision: TurnDecision): decision is Ask | CheckProgress {
  return decision.kind === "ask" || decision.kind === "check-progress";
}

/** What was decided, with what shared budgets granted for it. */
type Decided = Omit<Admitted, "decision"> & { readonly decision: TurnDecision };

/**
 * An agent that takes turns: the one that was prompted, or one that works for it. Whether they may begin is decided by the
 * governor, the person and the shared budgets.
 */
export class Agent {
  readonly #services: RunServices;
  readonly #kind: AgentKind;
  #order: TurnOrder = { begun: 0, underWay: 0 };
  /** How many of its requests wait to be decided. */
  #waiting = 0;
  #last: Turn | undefined;
  /** The run that it is of. */
  #work: Work | undefined;
  /** The run whose turns are counted in the order. */
  #orderOf: Work | undefined;

  constructor(services: RunServices, kind: AgentKind) {
    this.#services = services;
    this.#kind = kind;
  }

  /**
   * The turn under way, in which calls are made. Where none was admitted it is one whose request is not known here: it was
   * sent before the run was saved, or the host did not ask.
   */
  get turn(): Turn {
    const { work } = this.#services.current;
    if (this.#last && this.#work === work) return this.#last;
    const agent = this.#kind;
    this.#followWork(work);
    const hasFailed = work.resumesFailed && agent === "prompted";
    const facts: TurnFacts = { work, agent, as: "turn", order: this.#order };
    return this.#remember(new Turn(this.#services, facts, { decision: PROCEED, hasFailed }), work);
  }

  /**
   * The next turn, after asking the person if necessary, or where the agent must end. Several turns may wait for one
   * reply: each is decided afterwards, one by one.
   */
  async nextTurn(request?: TurnRequest): Promise<Turn | TurnStop> {
    return this.next(request);
  }

  /** The same at once, unless a person or shared budgets have to be waited for. */
  next({
    signal,
    as = this.#nextKind,
    priced,
    hears = as !== "aside",
    finalTool,
    hasTool,
  }: TurnRequest = {}): Promise<Turn | TurnStop> | Turn | TurnStop {
    optionalKind(as, "as");
    optionalFlag(priced, "priced");
    optionalFlag(hears, "hears");
    optionalFinalTool(finalTool, "finalTool");
    const { engine, current, pricing, deadline, listed, history } = this.#services;
    engine.tellTime();
    const end = this.#endFor(as, current.work);
    if (end) return this.#stop(notBegun(end), as);
    const isPriced = pricing.isPriced(engine.facts, priced);
    if (as !== "aside") deadline.turnComes();
    // A run that was not started by a prompt.
    if (engine.facts.status === "idle") {
      current.begin();
      listed.begin();
      history?.begin();
    }
    this.#followWork(current.work);
    const order = as === "aside" ? undefined : this.#order;
    const wanted: Wanted = {
      work: current.work,
      agent: this.#kind,
      as,
      order,
      priced: isPriced,
      hears,
      finalTool: finalTool ?? this.#finalToolAmong(hasTool),
      signal,
    };
    return history?.isChoosing ? this.#whenChosen(wanted) : this.#unlessHeld(wanted);
  }

  /** Waits until the limits are chosen, which happens once in a run. */
  async #whenChosen(wanted: Wanted): Promise<Turn | TurnStop> {
    const { history } = this.#services;
    const { signal, work } = wanted;
    this.#waiting += 1;
    await history?.untilChosen(signal);
    this.#waiting -= 1;
    return signal?.aborted || work.isOver ? this.#notWanted() : this.#unlessHeld(wanted);
  }

  #unlessHeld(wanted: Wanted): Promise<Turn | TurnStop> | Turn | TurnStop {
    const { engine, listed, progress } = this.#services;
    if (listed.isHeld) return this.#whenThawed(wanted);
    return wanted.as === "turn" && progress.watches && engine.mayExtend
      ? this.#whenSeen(wanted)
      : this.#take(wanted);
  }

  /** Lets the host see how far the run got, before a turn that may be at a boundary. */
  async #whenSeen(wanted: Wanted): Promise<Turn | TurnStop> {
    const { engine, progress } = this.#services;
    const { signal, work } = wanted;
    this.#waiting += 1;
    await progress.turnComes(work.info, signal, engine.reading.turns);
    this.#waiting -= 1;
    engine.tellTime();
    return signal?.aborted || work.isOver ? this.#notWanted() : this.#take(wanted);
  }

  #notWanted(): TurnStop {
    return { ...notBegun(this.#services.engine.facts.standings[0] as Boundary), error: undefined };
  }

  /** Waits until the run is unfrozen. A turn that nobody waits for any more does not begin. */
  async #whenThawed(wanted: Wanted): Promise<Turn | TurnStop> {
    const { listed } = this.#services;
    const { signal, work } = wanted;
    await listed.untilThawed(signal);
    return signal?.aborted || work.isOver ? this.#notWanted() : this.#take(wanted);
  }

  #take(wanted: Wanted): Promise<Turn | TurnStop> | Turn | TurnStop {
    const first = this.#decide(wanted);
    // Without shared budgets, and a question, it is decided at once.
    return first instanceof Promise || isHeld(first.decision)
      ? this.#waitFor(first, wanted).then((decided) => this.#decided(decided, wanted))
      : this.#decided(first, wanted);
  }

  #decided(decided: Decided, wanted: Wanted): Turn | TurnStop {
    const { as, work } = wanted;
    this.#services.deadline.watch();
    if (decided.decision.kind === "stop") return this.#stop(decided.decision, as);
    const turn = new Turn(this.#services, wanted, decided as Admitted);
    return as === "aside" ? turn : this.#remember(turn, work);
  }

  /**
   * An agent that works for this one within a tool call, on the same budget. Where the run ends without a question, or has
   * ended, it has to stop, and no more: the tools-free turn, and the limit's error, are left to the agent that was prompted.
   */
  subAgent(): SubAgent {
    return new SubAgent(this.#services);
  }

  // What is sent all the same belongs to no turn before it.
  #stop(stop: Stop, as: RequestKind): TurnStop {
    if (as !== "aside" && !this.#last?.isToBeRetried) this.#last = undefined;
    return { ...stop, error: limitError(stop) };
  }

  async #waitFor(first: Promise<Decided> | Decided, wanted: Wanted): Promise<Decided> {
    this.#waiting += 1;
    try {
      let decided = await first;
      while (isHeld(decided.decision)) decided = await this.#afterHold(decided.decision, wanted);
      return decided;
    } finally {
      this.#waiting -= 1;
    }
  }

  // The answer of a sub-agent is not that of the run.
  #finalToolAmong(hasTool: TurnRequest["hasTool"]): string | false | undefined {
    const { engine, current } = this.#services;
    const { finalTool } = engine.facts.settings;
    if (!hasTool || finalTool === undefined || this.#kind === "sub-agent") return undefined;
    if (hasTool(finalTool)) return finalTool;
    current.warnings.warn(finalToolMissing(finalTool));
    return false;
  }

  // What was under way in an earlier run is not beside the turns of this one.
  #followWork(work: Work): void {
    if (this.#orderOf === work) return;
    this.#orderOf = work;
    this.#order = { begun: 0, underWay: 0 };
  }

  #remember(turn: Turn, work: Work): Turn {
    this.#last = turn;
    this.#work = work;
    return turn;
  }

  get #nextKind(): RequestKind {
    const { isToBeRetried, wasAlone, isOver } = this.turn;
    // Of requests at once, none takes the place of another one unless the host says so.
    return isToBeRetried && wasAlone && this.#waiting === 0 && !isOver ? "retry" : "turn";
  }

  // Decides, with what shared budgets say.
  #decide(wanted: Wanted, replied?: Replied): Promise<Decided> | Decided {
    const { engine, question, shared, settlements } = this.#services;
    if (!shared.isUsed)
      return { decision: this.#byGovernor(wanted, replied), admission: engine.facts.admission };
    const { as, signal, work } = wanted;
    const asked = replied?.wasOpen ? replied : undefined;
    const notBegin = (): Decided => ({
      decision: notBegun(asked?.ask ?? (engine.facts.standings[0] as Boundary)),
    });
    const decided = shared.inTurn(async (): Promise<Decided> => {
      // Several turns may wait for one reply: what it allows, it allows once.
      const said = asked && question.isOpen(asked.ask) ? asked : undefined;
      const { ask, reply } = said ?? {};
      const isYes = ask !== undefined && shared.isYes(ask.limit, reply);
      let reserved = said && !isYes ? undefined : await shared.reserveTurn(as, said !== undefined);
      if (isYes && !reserved && shared.has(ask.limit)) {
        await shared.allow(ask.limit, reply as Reply);
        reserved = await shared.reserveTurn(as, true);
      }
      if (signal?.aborted || work.isOver) {
        await reserved?.release();
        return notBegin();
      }
      engine.tellTime();
      const decision = this.#byGovernor(wanted, replied);
      const begins = !isHeld(decision) && decision.kind !== "stop";
      if (begins) {
        settlements.start();
        const { admission } = engine.facts;
        return { decision, admission, reservation: await shared.begun(reserved) };
      }
      await reserved?.release();
      return { decision };
    });
    // Who aborts does not wait for a store. What it grants meanwhile is given back.
    return signal ? untilAborted(signal, decided, notBegin) : decided;
  }

  #byGovernor(wanted: Wanted, replied: Replied | undefined): TurnDecision {
    const { engine, question } = this.#services;
    if (!replied) return engine.turns.before(wanted);
    return question.answer(replied.reply, replied.ask, { as: replied.as, hears: wanted.hears });
  }

  #afterHold(held: Ask | CheckProgress, wanted: Wanted): Promise<Decided> | Decided {
    return held.kind === "ask" ? this.#afterReply(held, wanted) : this.#afterCheck(held, wanted);
  }

  // Finds out whether the run got somewhere, and decides again.
  async #afterCheck(check: CheckProgress, wanted: Wanted): Promise<Decided> {
    const { as, signal, work } = wanted;
    await this.#services.question.check(check, work.info, signal);
    if (signal?.aborted || work.isOver) return { decision: notBegun(check) };
    this.#services.engine.tellTime();
    const end = this.#endFor(as, work);
    return end ? { decision: notBegun(end) } : this.#decide(wanted);
  }

  // Asks, and decides by the reply, or again if somebody else allowed more.
  async #afterReply(ask: Ask, wanted: Wanted): Promise<Decided> {
    const { engine, question, observation, history } = this.#services;
    const { as, signal, work } = wanted;
    const reply = await question.replyTo(ask, work.info, signal);
    // The limits may have been set again while it was asked.
    if (history?.isChoosing) await history.untilChosen(signal);
    // The question stays unanswered, so the run will have been aborted, not declined.
    if (signal?.aborted || work.isOver) return { decision: notBegun(ask) };
    engine.tellTime();
    const wasOpen = question.isOpen(ask);
    if (wasOpen && reply !== ROOM) observation?.tell("replied", { ...ask }, reply, work.info);
    const end = wasOpen ? undefined : this.#endFor(as, work);
    if (end) return { decision: notBegun(end) };
    if (reply === ROOM) return this.#decide(wanted);
    // If nobody is there and the last answer is due, a sub-agent leaves it to the agent that was prompted.
    const leavesAnswer =
      this.#kind === "sub-agent" && reply === "unanswered" && wasOpen && engine.endsInAnswerAlone;
    return this.#decide(wanted, { ask, reply, as: leavesAnswer ? "aside" : as, wasOpen });
  }

  // Where the run ends, or has ended, for a sub-agent: other than by a decision that every turn gets.
  #endFor(as: RequestKind, work: Work): Boundary | undefined {
    if (this.#kind === "prompted") return undefined;
    const { engine } = this.#services;
    const { stop, synthesizing, standings } = engine.facts;
    if (stop || !(engine.isExhausted(as) || synthesizing || work.isOver)) return undefined;
    return standings.find(({ used, max }) => isReached(used, max)) ?? standings[0];
  }
}

/** An agent that works for a run within a tool call. Its end is not the run's end. */
export class SubAgent extends Agent {
  readonly #services: RunServices;

  constructor(services: RunServices) {
    super(services, "sub-agent");
    this.#services = services;
  }

  /** Counts a turn that another process took, as the pools know. Nobody is asked; `undefined`: it is not covered. */
  recordTurn(): Turn | undefined {
    const { engine, current } = this.#services;
    const decision = engine.turns.before({ as: "turn", hears: false });
    if (isHeld(decision) || decision.kind === "stop") return undefined;
    const facts = { work: current.work, agent: "sub-agent", as: "turn" } as const;
    return new Turn(this.#services, facts, { decision, admission: engine.facts.admission });
  }
}
