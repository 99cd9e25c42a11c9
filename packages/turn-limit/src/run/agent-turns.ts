import { optionalFlag, optionalKind } from "../core/governor/arguments.ts";
import type { RequestKind } from "../core/governor/run.ts";
import type { Turn, TurnStop } from "./turn.ts";
import type { TurnGate } from "./turn-gate.ts";
import type { AgentKind, CurrentWork, Work } from "./work.ts";

/** What a host knows about a turn that is about to begin. */
export interface TurnRequest {
  /** Ends the wait for a person. */
  signal?: AbortSignal | undefined;
  /**
   * What it is: a new turn, the same request once more, or a request besides the turns. Default: the same once more if the
   * last one of this agent failed, else a new turn.
   */
  as?: RequestKind | undefined;
  /** Does the model have a price? Not needed where usage is reported without a cost. */
  priced?: boolean | undefined;
}

/** An agent that works for a run within a tool call. Its end is not the run's end. */
export interface SubAgent {
  /**
   * The turn under way, in which calls are made. Where none was admitted it is one whose request is not known here: it was
   * sent before the run was saved, or the host did not ask.
   */
  readonly turn: Turn;
  /** The next turn, or where the agent must end. */
  nextTurn(request?: TurnRequest): Promise<Turn | TurnStop>;
  /** Counts a turn that another process took, as the pools know. Nobody is asked; `undefined`: it is not covered. */
  recordTurn(): Turn | undefined;
  /** An agent that works for this one. */
  subAgent(): SubAgent;
}

/** The turns of one agent: of the one that was prompted, or of one that works for it. */
export class AgentTurns implements SubAgent {
  readonly #gate: TurnGate;
  readonly #current: CurrentWork;
  readonly #agent: AgentKind;
  #last: Turn | undefined;
  /** The run that it is of. */
  #work: Work | undefined;

  constructor(gate: TurnGate, current: CurrentWork, agent: AgentKind) {
    this.#gate = gate;
    this.#current = current;
    this.#agent = agent;
  }

  get turn(): Turn {
    const last = this.#lastOfRun;
    if (last) return last;
    const { work } = this.#current;
    return this.#remember(this.#gate.unknown(this.#agent, work), work);
  }

  async nextTurn({ signal, as = this.#nextKind, priced }: TurnRequest = {}): Promise<Turn | TurnStop> {
    optionalKind(as, "as");
    optionalFlag(priced, "priced");
    const turn = await this.#gate.admit({ agent: this.#agent, as, priced, signal }, this.#current);
    if (as === "aside") return turn;
    if (turn.kind === "turn") return this.#remember(turn, this.#current.work);
    // What is sent all the same belongs to no turn before it.
    if (!this.#last?.isToBeRetried) this.#last = undefined;
    return turn;
  }

  recordTurn(): Turn | undefined {
    const { work } = this.#current;
    const turn = this.#gate.record(this.#agent, work);
    return turn && this.#remember(turn, work);
  }

  subAgent(): SubAgent {
    return new AgentTurns(this.#gate, this.#current, "sub-agent");
  }

  /** The run goes on from a saved state. `isRetried`: its last request failed, so the next one is the same once more. */
  resumed(isRetried: boolean): void {
    const { work } = this.#current;
    this.#remember(this.#gate.unknown(this.#agent, work, isRetried), work);
  }

  #remember(turn: Turn, work: Work): Turn {
    this.#last = turn;
    this.#work = work;
    return turn;
  }

  get #lastOfRun(): Turn | undefined {
    return this.#work === this.#current.work ? this.#last : undefined;
  }

  get #nextKind(): RequestKind {
    const isRetried = this.#lastOfRun?.isToBeRetried && !this.#current.work.isOver;
    return isRetried ? "retry" : "turn";
  }
}
