import type { Failure } from "../../core/governor/run.ts";
import type { SubAgent } from "../../run/agent-turns.ts";
import type { Run } from "../../run/run.ts";
import type { RunStart } from "../../run/run-info.ts";
import type { Turn, TurnAnswer, TurnStop } from "../../run/turn.ts";

/**
 * Where a run of the host stands: that of the agent that was prompted, or a sub-agent's part of it.
 *
 * The host does not say when it suspends a run that needs a person's approval, but none of the calls is running then. So
 * whenever that is the case between an answer with tool calls and the next turn, the run waits for a person.
 */
export class Progress {
  readonly run: Run;
  readonly #subAgent: SubAgent | undefined;
  /** Which run it is: set again where it is resumed. */
  info: RunStart = {};
  /** Called when it ends. */
  whenOver = () => {};
  // `stopped`: by a limit, and the host has yet to end it.
  #phase: "new" | "open" | "stopped" | "over" = "new";
  #turn: Turn | undefined;
  #awaitsAnswer = false;
  // Admitted after the turn before it, and not begun.
  #next: Turn | TurnStop | undefined;
  #isCallingTools = false;
  #callsRunning = 0;

  /** `subAgent`: it is the part of a sub-agent in this run. */
  constructor(run: Run, subAgent?: SubAgent) {
    this.run = run;
    this.#subAgent = subAgent;
  }

  get isOpen(): boolean {
    return this.#phase === "open" || this.#phase === "stopped";
  }

  get isOver(): boolean {
    return this.#phase === "over";
  }

  /** Must it take no other turn? */
  get isStopped(): boolean {
    return this.#phase === "stopped" || this.isOver;
  }

  /** The turn under way, which tool calls are made in. */
  get turn(): Turn {
    return this.#turn ?? (this.#subAgent ?? this.run).turn;
  }

  begin(): void {
    this.#phase = "open";
    this.#turn = undefined;
    if (!this.#subAgent) this.run.begin(this.info);
  }

  /** It is made to go on after its end. */
  goOn(): void {
    if (!this.isOpen) this.#phase = "open";
  }

  /** The next turn. Until it begins, it is the same one. */
  async nextTurn(signal: AbortSignal | undefined): Promise<Turn | TurnStop> {
    this.#next ??= await (this.#subAgent ?? this.run).nextTurn({ signal });
    return this.#next;
  }

  turnBegins(turn: Turn): void {
    this.#next = undefined;
    this.#turn = turn;
    this.#awaitsAnswer = true;
  }

  /** The model called tools. */
  toolsCalled(): void {
    this.#isCallingTools = true;
    this.#noteWaiting();
  }

  /** Runs a tool call. */
  async duringCall<T>(call: () => Promise<T>): Promise<T> {
    this.#callsRunning += 1;
    this.#noteWaiting();
    try {
      return await call();
    } finally {
      this.#callsRunning -= 1;
      this.#noteWaiting();
    }
  }

  /** All tool calls of the turn have their results. */
  toolsReturned(): void {
    if (!this.#isCallingTools) return;
    this.#isCallingTools = false;
    this.run.waiting(false);
  }

  /**
   * The turn and its tool calls are over, unless that is known already. It may have been answered before them, so that
   * they could take turns of the same run.
   */
  turnEnded(end: "failed" | TurnAnswer): void {
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    if (end === "failed") {
      this.turn.failed();
      return;
    }
    this.turn.answered();
    if (end.usage) this.run.spend("nested", end.usage, { model: end.model });
  }

  /** A limit does not admit the next turn. */
  stop(): void {
    this.#next = undefined;
    this.#phase = "stopped";
  }

  /** It is over, unless that is known already. */
  end(failure?: Failure): void {
    if (!this.isOpen) return;
    this.toolsReturned();
    this.#phase = "over";
    if (this.#next?.kind === "turn") this.#next.abandon();
    this.#next = undefined;
    if (!this.#subAgent) this.run.end(failure);
    else if (failure && this.#awaitsAnswer) this.turn.failed(failure);
    this.#awaitsAnswer = false;
    this.whenOver();
  }

  /** It waits for a person, and is not going to be resumed. What is a part of another run ends with that one. */
  abandon(): void {
    if (!this.#subAgent) this.end("aborted");
  }

  /** Resolves when pools have been told what the run used, if it is over. */
  poolsSettled(): Promise<void> | undefined {
    return this.isOver && !this.#subAgent ? this.run.shared.done() : undefined;
  }

  #noteWaiting(): void {
    if (this.#isCallingTools) this.run.waiting(this.#callsRunning === 0);
  }
}
