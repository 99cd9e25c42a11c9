import type { LimitExceeded } from "../../core/errors/limit-exceeded.ts";
import type { Failure } from "../../core/governor/run-state.ts";
import type { Model } from "../../core/meter/model.ts";
import type { RunStart } from "../../run/run-info.ts";
import type { Turn, TurnAnswer, TurnStop } from "../../run/turn.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";

/**
 * Where a run of the host stands: that of the agent that was prompted, or a sub-agent's part of it.
 *
 * The host does not say when it suspends a run that needs a person's approval, but none of the calls is running then. So
 * whenever that is the case between an answer with tool calls and the next turn, the run waits for a person.
 */
export class Progress {
  readonly agent: HostedAgent;
  /** Which run it is: set again where it is resumed. */
  info: RunStart = {};
  /** What is asked in the turn under way. */
  model: Model | undefined;
  // `stopped`: by a limit, and the host has yet to end it.
  #phase: "new" | "open" | "stopped" | "over" = "new";
  // Is it not known yet what became of the turn under way? The host may have made its request again: then it is another one.
  #isUnanswered = false;
  #isCallingTools = false;
  #callsRunning = 0;
  /** The error of a limit that had ended the run before the host did. */
  raised: LimitExceeded | undefined;

  constructor(agent: HostedAgent) {
    this.agent = agent;
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

  begin(): void {
    this.#phase = "open";
    this.agent.beginRun(this.info);
  }

  /** It is made to go on after its end. */
  goOn(): void {
    if (!this.isOpen) this.#phase = "open";
  }

  turnBegins(turn: Turn): void {
    this.agent.begin(turn);
    this.#isUnanswered = true;
  }

  /** A limit does not admit the next turn. */
  stop(stop: TurnStop): void {
    this.agent.begin(stop);
    this.#phase = "stopped";
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
    this.agent.run.waiting(false);
  }

  /** A tool may take turns of the same run, so the turn that called it is over now. Its usage is not known yet. */
  callBegins(): void {
    this.agent.turn.answered({ model: this.model });
  }

  /**
   * The turn and its tool calls are over, unless that is known already. It may have been answered before them, so that
   * they could take turns of the same run.
   */
  turnEnded(end: "failed" | TurnAnswer): void {
    if (!this.#isUnanswered) return;
    this.#isUnanswered = false;
    const { turn, run } = this.agent;
    if (end === "failed") {
      turn.failed();
      return;
    }
    turn.answered({ model: end.model });
    if (end.usage) run.spend("nested", end.usage, { model: end.model });
  }

  /** It is over, unless that is known already. */
  end(failure?: Failure): void {
    if (!this.isOpen) return;
    this.toolsReturned();
    this.#phase = "over";
    this.#isUnanswered = false;
    this.raised = failure || this.agent.isNested ? undefined : this.agent.raised;
    this.agent.end(failure);
  }

  /** Resolves when pools have been told what the run used, if it is over. */
  poolsSettled(): Promise<void> | undefined {
    return this.isOver ? this.agent.settled() : undefined;
  }

  #noteWaiting(): void {
    if (this.#isCallingTools) this.agent.run.waiting(this.#callsRunning === 0);
  }
}
