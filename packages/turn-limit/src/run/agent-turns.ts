import { optionalFlag, optionalKind } from "../core/governor/arguments.ts";
import type { RequestKind } from "../core/governor/run.ts";
import type { Turn, TurnStop } from "./turn.ts";
import type { TurnGate, WantedTurn } from "./turn-gate.ts";
import type { CurrentWork, Work } from "./work.ts";

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
  readonly #agent: WantedTurn["agent"];
  #last: Turn | undefined;
  /** The run that the last turn was of, or that goes on from a saved state. */
  #lastWork: Work | undefined;
  #isRetried = false;

  constructor(gate: TurnGate, current: CurrentWork, agent: WantedTurn["agent"]) {
    this.#gate = gate;
    this.#current = current;
    this.#agent = agent;
  }

  async nextTurn({ signal, as = this.#nextKind, priced }: TurnRequest = {}): Promise<Turn | TurnStop> {
    optionalKind(as, "as");
    optionalFlag(priced, "priced");
    const turn = await this.#gate.admit({ agent: this.#agent, as, priced, signal }, this.#current);
    if (turn.kind === "turn" && as !== "aside") this.#remember(turn);
    return turn;
  }

  recordTurn(): Turn | undefined {
    const turn = this.#gate.record("turn", this.#current.work);
    if (turn) this.#remember(turn);
    return turn;
  }

  subAgent(): SubAgent {
    return new AgentTurns(this.#gate, this.#current, "sub-agent");
  }

  /** The run goes on from a saved state. `isRetried`: its last request failed, so the next one is the same once more. */
  resumed(isRetried: boolean): void {
    this.#last = undefined;
    this.#lastWork = this.#current.work;
    this.#isRetried = isRetried;
  }

  #remember(turn: Turn): void {
    this.#last = turn;
    this.#lastWork = this.#current.work;
  }

  get #nextKind(): RequestKind {
    const { work } = this.#current;
    if (this.#lastWork !== work || work.isOver) return "turn";
    return (this.#last?.isToBeRetried ?? this.#isRetried) ? "retry" : "turn";
  }
}
