import { optionalFinalTool, optionalFlag, optionalKind } from "../core/governor/checks.ts";
import { limitError, notBegun, PROCEED, type Stop } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import { finalToolMissing } from "../core/limits/last-turn.ts";
import { type Decided, decideHeldTurn, decideTurn, endFor, isHeld, type Wanted } from "./decide-turn.ts";
import type { RunServices } from "./services.ts";
import { type Admitted, Turn, type TurnFacts, type TurnOrder, type TurnStop } from "./turn.ts";
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
    const end = endFor(this.#services, this.#kind, as, current.work);
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
    const first = decideTurn(this.#services, wanted);
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
      while (isHeld(decided.decision))
        decided = await decideHeldTurn(this.#services, decided.decision, wanted);
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
